// SPDX-License-Identifier: MIT
// Indices outside of an array, in every kind of memory: WGSL lets the access go to some element of it or nowhere. What
// lies around it stays as it was.
import { count } from '../gpu.js';

const PART = 64, AROUND = 64; // elements; 256 bytes each, as bindings are aligned
const MARK = 0xabcd0000;

const shader = /* wgsl */ `
@group(0) @binding(0) var<storage, read_write> part: array<u32>;
@group(0) @binding(1) var<storage, read> indices: array<i32>;
@group(0) @binding(2) var<storage, read_write> loaded: array<vec4u>;
@group(0) @binding(3) var<uniform> fixed: array<vec4u, 4>;
@group(0) @binding(4) var image: texture_2d<u32>;
var<workgroup> tile: array<u32, 16>;

@compute @workgroup_size(32)
fn main(@builtin(local_invocation_index) lane: u32) {
  let index = indices[lane];
  var private_array = array<u32, 4>(7, 7, 7, 7);
  if (lane < 16u) {
    tile[lane] = 7u;
  }
  workgroupBarrier();
  tile[index] = 7u;
  private_array[index] = 7u;
  let read = part[index];
  part[index] = 7u;
  loaded[lane] = vec4u(select(1u, 0u, read == 7u || read == 0u), tile[index] + private_array[index], fixed[index].x,
                       textureLoad(image, vec2i(index, -index), 0).x);
}
`;

export default async function (gpu) {
  const outside = [-1, PART, PART + 1, -PART, 0x7fffff00, -0x80000000, 0x40000000, 1000];
  const indices = count(32, (i) => outside[i % 8] + (i >> 4));
  const content = count(PART + 2 * AROUND, (i) => (i >= AROUND && i < AROUND + PART ? 7 : MARK + i));
  const whole = gpu.buffer(Uint32Array.from(content));
  const image = gpu.texture('r32uint', [4, 4]), loaded = gpu.buffer(32 * 16);
  const fixed = gpu.buffer(new Uint32Array(16).fill(7));
  gpu.run(shader, [{ buffer: whole, offset: AROUND * 4, size: PART * 4 }, gpu.buffer(Int32Array.from(indices)), loaded,
    fixed, image.createView()], [1]);
  const results = await gpu.read(loaded), words = await gpu.read(whole);
  // Arrays full of sevens give seven wherever the access goes, or zero if it goes nowhere.
  const among = (value, ...right) => right.includes(value);
  return {
    got: [...words, ...results.map((value, i) => among(value, ...[[0], [14, 7, 0], [7, 0], [0]][i % 4]))],
    want: [...content, ...count(128, () => true)],
  };
}
