// SPDX-License-Identifier: MIT
// Half floats in storage and workgroup memory: arithmetic whose results are exact, and conversions, rounded.
import { count, hash } from '../gpu.js';

const COUNT = 256;

const shader = /* wgsl */ `
enable f16;
@group(0) @binding(0) var<storage, read> wide: array<f32>;
@group(0) @binding(1) var<storage, read> small: array<vec4<f16>>;
@group(0) @binding(2) var<storage, read_write> packed: array<f16>;
@group(0) @binding(3) var<storage, read_write> results: array<vec4f>;
var<workgroup> shared_halves: array<f16, 64>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) local: u32) {
  packed[id.x] = f16(wide[id.x]);
  let v = small[id.x];
  shared_halves[local] = v.x * v.y + v.z;
  workgroupBarrier();
  let other = shared_halves[63u - local];
  results[id.x] = vec4f(f32(other), f32(dot(v, vec4<f16>(1, 2, 3, 4))), f32(max(v.x, -v.w)), f32(v.y / 4.0h - v.z));
}
`;

// The half float nearest to x, ties to even, as its bits. x is not NaN, and too large for none.
function toHalf(x) {
  const sign = x < 0 ? 0x8000 : 0, magnitude = Math.abs(x);
  const exponent = Math.max(Math.floor(Math.log2(magnitude)), -14);
  const scaled = magnitude / 2 ** (exponent - 10); // a normal number's is 1024 to 2047
  let whole = Math.floor(scaled);
  const rest = scaled - whole;
  if (rest > 0.5 || (rest === 0.5 && whole % 2)) whole++;
  return sign | (((exponent + 14) << 10) + whole);
}

export default async function (gpu) {
  if (!gpu.has('shader-f16')) return 'no shader-f16';
  const wide = count(COUNT, (i) => Math.fround(((hash(i) % 20001) - 10000) * 2 ** ((i % 14) - 12) + 0.001));
  const small = count(COUNT, (i) => count(4, (k) => (hash(4 * i + k) % 21) - 10));
  const packed = gpu.buffer(COUNT * 2), results = gpu.buffer(COUNT * 16);
  const halves = Uint16Array.from(small.flat(), (x) => (x ? toHalf(x) : 0));
  gpu.run(shader, [gpu.buffer(Float32Array.from(wide)), gpu.buffer(halves), packed, results], [COUNT / 64]);
  const value = ([x, y, z]) => x * y + z;
  return {
    got: [...await gpu.read(packed, Uint16Array), ...await gpu.read(results, Float32Array)],
    want: [...wide.map(toHalf), ...small.flatMap(([x, y, z, w], i) =>
      [value(small[(i & ~63) + 63 - (i & 63)]), x + 2 * y + 3 * z + 4 * w, Math.max(x, -w), y / 4 - z])],
  };
}
