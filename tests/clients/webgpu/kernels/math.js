// SPDX-License-Identifier: MIT
// Functions of floats, as exact as WGSL wants them or better.
import { count } from '../gpu.js';

// [WGSL, JavaScript, the error allowed absolutely, and relative to the result], of x in [0.01, 8] and y in [-2, 2].
const operations = [
  ['x + y', (x, y) => x + y, 0, 2 ** -23],
  ['x * y - 1.0', (x, y) => x * y - 1, 2 ** -20, 0],
  ['y / x', (x, y) => y / x, 0, 2 ** -21],
  ['sqrt(x)', Math.sqrt, 0, 2 ** -21],
  ['inverseSqrt(x)', (x) => 1 / Math.sqrt(x), 0, 2 ** -21],
  ['exp2(y)', (x, y) => 2 ** y, 0, 2 ** -19],
  ['exp(y)', (x, y) => Math.exp(y), 0, 2 ** -18],
  ['log2(x)', Math.log2, 2 ** -20, 2 ** -20],
  ['log(x)', Math.log, 2 ** -20, 2 ** -20],
  ['pow(x, y)', (x, y) => x ** y, 0, 2 ** -17],
  ['sin(y)', (x, y) => Math.sin(y), 2 ** -11, 0],
  ['cos(y)', (x, y) => Math.cos(y), 2 ** -11, 0],
  ['tan(y * 0.5)', (x, y) => Math.tan(y / 2), 2 ** -9, 2 ** -9],
  ['atan(y)', (x, y) => Math.atan(y), 0, 2 ** -11],
  ['atan2(y, x)', (x, y) => Math.atan2(y, x), 2 ** -12, 2 ** -11],
  ['asin(y * 0.5)', (x, y) => Math.asin(y / 2), 2 ** -10, 0],
  ['tanh(y)', (x, y) => Math.tanh(y), 2 ** -15, 2 ** -12],
  ['floor(y)', (x, y) => Math.floor(y), 0, 0],
  ['ceil(y)', (x, y) => Math.ceil(y), 0, 0],
  ['trunc(y)', (x, y) => Math.trunc(y), 0, 0],
  ['round(y * 4.0)', (x, y) => even(y * 4), 0, 0],
  ['fract(y)', (x, y) => y - Math.floor(y), 2 ** -22, 0],
  ['sign(y)', (x, y) => Math.sign(y), 0, 0],
  ['mix(x, y, 0.25)', (x, y) => 0.75 * x + 0.25 * y, 2 ** -20, 0],
  ['fma(x, y, x)', (x, y) => x * y + x, 2 ** -19, 0],
  ['smoothstep(-1.0, 3.0, y)', (x, y) => smooth(Math.max(0, (y + 1) / 4)), 2 ** -20, 0],
  ['length(vec3f(x, y, 2.0))', (x, y) => Math.hypot(x, y, 2), 0, 2 ** -19],
  ['cross(vec3f(x, y, 1.0), vec3f(y, 2.0, x)).z', (x, y) => 2 * x - y * y, 2 ** -18, 0],
  ['determinant(mat3x3f(x, y, 1.0, 0.5, x, y, y, 1.0, 2.0))',
    (x, y) => x * (2 * x - y) - y * (1 - y * y) + (0.5 - x * y), 2 ** -15, 0],
  ['ldexp(x, i32(y * 5.0))', (x, y) => x * 2 ** Math.trunc(Math.fround(y * 5)), 0, 2 ** -23],
];

const smooth = (t) => t * t * (3 - 2 * t);

function even(x) {
  const low = Math.floor(x), rest = x - low;
  return rest < 0.5 || (rest === 0.5 && low % 2 === 0) ? low : low + 1;
}

const COUNT = 128;

const shader = /* wgsl */ `
@group(0) @binding(0) var<storage, read> input: array<vec2f>;
@group(0) @binding(1) var<storage, read_write> results: array<array<f32, ${operations.length}>>;
@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let x = input[id.x].x;
  let y = input[id.x].y;
  ${operations.map(([wgsl], k) => `results[id.x][${k}] = ${wgsl};`).join('\n  ')}
}
`;

export default async function (gpu) {
  const input = count(COUNT, (i) => [Math.fround(0.01 + i * 0.0625), Math.fround(((i * 37) % COUNT) / 32 - 2)]);
  const results = gpu.buffer(COUNT * operations.length * 4);
  gpu.run(shader, [gpu.buffer(Float32Array.from(input.flat())), results], [COUNT / 32]);
  const got = await gpu.read(results, Float32Array);
  // A result that is near enough counts as the right one: each operation has its own tolerance.
  const want = [...got].map((value, i) => {
    const [, js, absolute, relative] = operations[i % operations.length];
    const exact = js(...input[Math.floor(i / operations.length)]);
    return Math.abs(value - exact) <= absolute + relative * Math.abs(exact) ? value : exact;
  });
  return { got, want };
}
