// SPDX-License-Identifier: MIT
// Prefix sums of more than a workgroup holds, by three dispatches in one pass: each sees what the one before it wrote.
import { count, hash } from '../gpu.js';

const BLOCK = 128, BLOCKS = 50, COUNT = BLOCK * BLOCKS;

const shader = /* wgsl */ `
@group(0) @binding(0) var<storage, read_write> values: array<u32>;
@group(0) @binding(1) var<storage, read_write> totals: array<u32>;
var<workgroup> ping: array<u32, ${BLOCK}>;

fn scan(value: u32, local: u32) -> u32 {
  ping[local] = value;
  for (var distance = 1u; distance < ${BLOCK}u; distance *= 2u) {
    workgroupBarrier();
    var sum = ping[local];
    if (local >= distance) {
      sum += ping[local - distance];
    }
    workgroupBarrier();
    ping[local] = sum;
  }
  return ping[local];
}

@compute @workgroup_size(${BLOCK})
fn blocks(@builtin(global_invocation_id) id: vec3u, @builtin(workgroup_id) block: vec3u,
          @builtin(local_invocation_index) local: u32) {
  let sum = scan(values[id.x], local);
  values[id.x] = sum;
  if (local == ${BLOCK - 1}u) {
    totals[block.x] = sum;
  }
}

@compute @workgroup_size(${BLOCK})
fn between(@builtin(local_invocation_index) local: u32) {
  var total = 0u;
  if (local < ${BLOCKS}u) {
    total = totals[local];
  }
  let sum = scan(total, local);
  if (local < ${BLOCKS}u) {
    totals[local] = sum - total;
  }
}

@compute @workgroup_size(${BLOCK})
fn add(@builtin(global_invocation_id) id: vec3u, @builtin(workgroup_id) block: vec3u) {
  values[id.x] += totals[block.x];
}
`;

export default async function (gpu) {
  const input = count(COUNT, hash);
  const buffers = [gpu.buffer(Uint32Array.from(input)), gpu.buffer(BLOCKS * 4)];
  gpu.compute(...[['blocks', BLOCKS], ['between', 1], ['add', BLOCKS]].map(([entryPoint, groups]) => {
    const pipeline = gpu.pipeline(shader, { entryPoint });
    const used = entryPoint === 'between' ? [{ binding: 1, resource: { buffer: buffers[1] } }]
      : buffers.map((buffer, binding) => ({ binding, resource: { buffer } }));
    const group = gpu.device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries: used });
    return [pipeline, group, [groups]];
  }));
  let sum = 0;
  return { got: await gpu.read(buffers[0]), want: input.map((value) => (sum = (sum + value) >>> 0)) };
}
