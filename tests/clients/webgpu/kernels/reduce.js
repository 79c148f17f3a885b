// SPDX-License-Identifier: MIT
// Sum and maximum: a tree in workgroup memory, barriers in its loop, then one atomic operation a workgroup.
import { count, hash } from '../gpu.js';

const COUNT = 5000;

const shader = /* wgsl */ `
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> result: array<atomic<u32>, 2>;
var<workgroup> sums: array<u32, 256>;
var<workgroup> maxima: array<u32, 256>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) local: u32) {
  var value = 0u;
  if (id.x < arrayLength(&input)) {
    value = input[id.x];
  }
  sums[local] = value;
  maxima[local] = value;
  for (var half = 128u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (local < half) {
      sums[local] += sums[local + half];
      maxima[local] = max(maxima[local], maxima[local + half]);
    }
  }
  if (local == 0u) {
    atomicAdd(&result[0], sums[0]);
    atomicMax(&result[1], maxima[0]);
  }
}
`;

export default async function (gpu) {
  const values = count(COUNT, hash), result = gpu.buffer(8);
  gpu.run(shader, [gpu.buffer(Uint32Array.from(values)), result], [Math.ceil(COUNT / 256)]);
  return { got: await gpu.read(result), want: [values.reduce((a, b) => (a + b) >>> 0), Math.max(...values)] };
}
