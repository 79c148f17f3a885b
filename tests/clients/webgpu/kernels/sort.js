// SPDX-License-Identifier: MIT
// A bitonic sort in workgroup memory: barriers in two nested loops, four elements to a lane.
import { count, hash } from '../gpu.js';

const COUNT = 1024, GROUPS = 3;

const shader = /* wgsl */ `
@group(0) @binding(0) var<storage, read_write> values: array<i32>;
var<workgroup> keys: array<i32, ${COUNT}>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let first = group.x * ${COUNT}u;
  for (var i = lane; i < ${COUNT}u; i += 256u) {
    keys[i] = values[first + i];
  }
  for (var length = 2u; length <= ${COUNT}u; length *= 2u) {
    for (var distance = length / 2u; distance > 0u; distance /= 2u) {
      workgroupBarrier();
      for (var i = lane; i < ${COUNT / 2}u; i += 256u) {
        let low = i / distance * distance * 2u + i % distance;
        let high = low + distance;
        let ascending = (low & length) == 0u;
        if ((keys[low] > keys[high]) == ascending) {
          let key = keys[low];
          keys[low] = keys[high];
          keys[high] = key;
        }
      }
    }
  }
  workgroupBarrier();
  for (var i = lane; i < ${COUNT}u; i += 256u) {
    values[first + i] = keys[i];
  }
}
`;

export default async function (gpu) {
  const input = Int32Array.from(count(COUNT * GROUPS, (i) => hash(i) | 0)), values = gpu.buffer(input);
  gpu.run(shader, [values], [GROUPS]);
  const part = (group) => [...input.slice(group * COUNT, (group + 1) * COUNT)].sort((a, b) => a - b);
  return { got: await gpu.read(values, Int32Array), want: count(GROUPS, part).flat() };
}
