// SPDX-License-Identifier: MIT
// Bits counted, found, moved, packed and unpacked; divisions and shifts at the ends of their ranges.
import { count, hash } from '../gpu.js';

const edges = [0, 1, 2, 3, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff];
const values = [...edges, ...count(114, hash)];
const floats = count(values.length, (i) => Math.fround((i - 64) / 49));

// [WGSL, JavaScript], of x (u32), i (i32), y (u32, another value) and f (a float about zero); each gives 32 bits.
const operations = [
  ['countOneBits(x)', (x) => x.toString(2).replaceAll('0', '').length],
  ['countLeadingZeros(x)', (x) => Math.clz32(x)],
  ['countTrailingZeros(x)', (x) => (x ? 31 - Math.clz32(x & -x) : 32)],
  ['reverseBits(x)', (x) => parseInt([...x.toString(2).padStart(32, '0')].reverse().join(''), 2)],
  ['firstLeadingBit(x)', (x) => 31 - Math.clz32(x)],
  ['bitcast<u32>(firstLeadingBit(i))', (x) => 31 - Math.clz32(x >> 31 ? ~x : x)],
  ['firstTrailingBit(x)', (x) => (x ? 31 - Math.clz32(x & -x) : -1)],
  ['extractBits(x, y & 31u, 5u)', (x, y) => (x >>> (y & 31)) & 31],
  ['bitcast<u32>(extractBits(i, y & 31u, 5u))', (x, y) => { // the part that is there
    const offset = y & 31, bits = Math.min(5, 32 - offset);
    return ((x >>> offset) << (32 - bits)) >> (32 - bits);
  }],
  ['insertBits(x, y, 9u, 11u)', (x, y) => (x & ~(0x7ff << 9)) | ((y & 0x7ff) << 9)],
  ['x << (y & 31u)', (x, y) => x << (y & 31)],
  ['bitcast<u32>(i >> (y & 31u))', (x, y) => x >> (y & 31)],
  ['x / max(y, 1u)', (x, y) => Math.floor(x / Math.max(y, 1))],
  ['x % max(y, 1u)', (x, y) => x % Math.max(y, 1)],
  ['bitcast<u32>(i / max(i32(y & 1023u), 1))', (x, y) => Math.trunc((x | 0) / Math.max(y & 1023, 1))],
  ['bitcast<u32>(i % max(i32(y & 1023u), 1))', (x, y) => (x | 0) % Math.max(y & 1023, 1)],
  ['x * y', Math.imul],
  ['bitcast<u32>(abs(i))', (x) => Math.abs(x | 0)],
  ['bitcast<u32>(clamp(i, -1000, 1000))', (x) => Math.max(-1000, Math.min(x | 0, 1000))],
  ['dot4U8Packed(x, y)', (x, y) => bytes(x).reduce((sum, a, k) => sum + a * bytes(y)[k], 0)],
  ['bitcast<u32>(dot4I8Packed(x, y))', (x, y) => signed(x).reduce((sum, a, k) => sum + a * signed(y)[k], 0)],
  ['pack4xU8(vec4u(x, y, 3u, 4u))', (x, y) => (x & 255) | (y & 255) << 8 | 3 << 16 | 4 << 24],
  ['unpack4xU8(x).z', (x) => bytes(x)[2]],
  ['bitcast<u32>(unpack4xI8(x).y)', (x) => signed(x)[1]],
  ['pack4x8unorm(vec4f(f, -f, 0.5, 1))', (x, y, f) => unorm(f) | unorm(-f) << 8 | 128 << 16 | 255 << 24],
  ['u32(unpack4x8unorm(x).w * 255.0 + 0.5)', (x) => bytes(x)[3]],
  ['pack2x16float(vec2f(1.5, -2))', () => 0x3e00 | 0xc000 << 16],
  ['u32(unpack2x16float(0x57b0d640u).y)', () => 123],
  ['bitcast<u32>(f)', (x, y, f) => new Uint32Array(new Float32Array([f]).buffer)[0]],
  ['bitcast<u32>(i32(f * 100))', (x, y, f) => Math.trunc(Math.fround(f * 100))],
];

const bytes = (x) => [x & 255, (x >>> 8) & 255, (x >>> 16) & 255, x >>> 24];
const signed = (x) => bytes(x).map((byte) => (byte << 24) >> 24);
const unorm = (f) => Math.floor(0.5 + 255 * Math.max(0, Math.min(f, 1)));

const shader = /* wgsl */ `
@group(0) @binding(0) var<storage, read> values: array<u32>;
@group(0) @binding(1) var<storage, read> floats: array<f32>;
@group(0) @binding(2) var<storage, read_write> results: array<array<u32, ${operations.length}>>;
@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let x = values[id.x];
  let i = bitcast<i32>(x);
  let y = values[(id.x * 5u + 3u) % ${values.length}u];
  let f = floats[id.x];
  ${operations.map(([wgsl], k) => `results[id.x][${k}] = ${wgsl};`).join('\n  ')}
}
`;

export default async function (gpu) {
  const results = gpu.buffer(values.length * operations.length * 4);
  gpu.run(shader, [gpu.buffer(Uint32Array.from(values)), gpu.buffer(Float32Array.from(floats)), results],
    [values.length / 32]);
  const want = values.map((x, i) => operations.map(([, js]) =>
    js(x, values[(i * 5 + 3) % values.length], floats[i]) >>> 0));
  return { got: await gpu.read(results), want: want.flat() };
}
