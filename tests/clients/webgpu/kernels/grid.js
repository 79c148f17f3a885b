// SPDX-License-Identifier: MIT
// Every builtin of a grid of three dimensions, and constants that the pipeline overrides, also the workgroup's size.
import { count } from '../gpu.js';

const GRID = [4, 3, 2], GROUP = [6, 5, 3];

const shader = /* wgsl */ `
override width: u32;
override height: u32 = 1u;
override depth: u32 = 3u;
override scale = 1.0;
override negate = false;
@group(0) @binding(0) var<storage, read_write> results: array<vec4u>;

fn pack(v: vec3u) -> u32 {
  return v.x | (v.y << 8u) | (v.z << 16u);
}

@compute @workgroup_size(width, height, depth)
fn main(@builtin(global_invocation_id) global: vec3u, @builtin(local_invocation_id) local: vec3u,
        @builtin(local_invocation_index) index: u32, @builtin(workgroup_id) group: vec3u,
        @builtin(num_workgroups) groups: vec3u) {
  let size = groups * vec3u(width, height, depth);
  let at = (global.z * size.y + global.y) * size.x + global.x;
  let value = i32(scale * f32(index));
  results[at] = vec4u(pack(local), pack(group), pack(groups),
                      u32(select(value, -value, negate)));
}
`;

export default async function (gpu) {
  const size = GRID.map((groups, k) => groups * GROUP[k]), total = size[0] * size[1] * size[2];
  const results = gpu.buffer(total * 16), pack = ([x, y, z]) => x | y << 8 | z << 16;
  gpu.run(shader, [results], GRID, { constants: { width: GROUP[0], height: GROUP[1], scale: 2.5, negate: 1 } });
  const want = count(total, (i) => {
    const global = [i % size[0], Math.floor(i / size[0]) % size[1], Math.floor(i / (size[0] * size[1]))];
    const local = global.map((x, k) => x % GROUP[k]), group = global.map((x, k) => Math.floor(x / GROUP[k]));
    const index = (local[2] * GROUP[1] + local[1]) * GROUP[0] + local[0];
    return [pack(local), pack(group), pack(GRID), -Math.floor(2.5 * index) >>> 0];
  });
  return { got: await gpu.read(results), want: want.flat() };
}
