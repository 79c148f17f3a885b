// SPDX-License-Identifier: MIT
// One bind group, several dispatches, each with its own offsets into the uniform and the storage buffer.
import { count } from '../gpu.js';

const PARTS = 5, LANES = 64, STRIDE = 256; // bytes; every device can align to it

const shader = /* wgsl */ `
struct Parameters {
  first: u32,
  factor: u32,
}
@group(0) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(1) var<storage, read_write> part: array<u32, ${LANES}>;
@compute @workgroup_size(${LANES})
fn main(@builtin(local_invocation_index) i: u32) {
  part[i] += parameters.first + parameters.factor * i;
}
`;

export default async function (gpu) {
  const parameters = new Uint32Array(PARTS * STRIDE / 4);
  for (let part = 0; part < PARTS; part++) parameters.set([part * 1000, part + 2], part * STRIDE / 4);
  const uniform = gpu.buffer(parameters);
  // Written beforehand: wgpu zeroes what was never written, and does not see what dispatches write at dynamic offsets.
  const output = gpu.buffer(new Uint32Array(PARTS * LANES));
  const entry = (binding, type) =>
    ({ binding, visibility: GPUShaderStage.COMPUTE, buffer: { type, hasDynamicOffset: true } });
  const groupLayout = gpu.device.createBindGroupLayout({ entries: [entry(0, 'uniform'), entry(1, 'storage')] });
  const layout = gpu.device.createPipelineLayout({ bindGroupLayouts: [groupLayout] });
  const pipeline = gpu.pipeline(shader, { layout });
  const group = gpu.bind(pipeline, { buffer: uniform, size: 8 }, { buffer: output, size: LANES * 4 });
  gpu.submit((encoder) => {
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    for (let part = 0; part < PARTS; part++) { // the last part's parameters go to the first part's lanes
      pass.setBindGroup(0, group, [(PARTS - 1 - part) * STRIDE, part * LANES * 4]);
      pass.dispatchWorkgroups(1);
    }
    pass.end();
  });
  const value = (i) => {
    const from = PARTS - 1 - Math.floor(i / LANES);
    return from * 1000 + (from + 2) * (i % LANES);
  };
  return { got: await gpu.read(output), want: count(PARTS * LANES, value) };
}
