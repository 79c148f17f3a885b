// SPDX-License-Identifier: MIT
// A product of matrices by tiles in workgroup memory. The numbers are small whole ones: float sums are exact.
import { count, hash } from '../gpu.js';

const M = 48, K = 80, N = 64;

const shader = /* wgsl */ `
const tile = 16u;
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
var<workgroup> tile_a: array<array<f32, 16>, 16>;
var<workgroup> tile_b: array<array<f32, 16>, 16>;

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_id) local: vec3u) {
  var sum = 0.0;
  for (var k = 0u; k < ${K}u; k += tile) {
    tile_a[local.y][local.x] = a[id.y * ${K}u + k + local.x];
    tile_b[local.y][local.x] = b[(k + local.y) * ${N}u + id.x];
    workgroupBarrier();
    for (var i = 0u; i < tile; i++) {
      sum += tile_a[local.y][i] * tile_b[i][local.x];
    }
    workgroupBarrier();
  }
  c[id.y * ${N}u + id.x] = sum;
}
`;

export default async function (gpu) {
  const small = (i) => (hash(i) % 31) - 15;
  const a = count(M * K, small), b = count(K * N, (i) => small(i + M * K)), c = gpu.buffer(M * N * 4);
  gpu.run(shader, [gpu.buffer(Float32Array.from(a)), gpu.buffer(Float32Array.from(b)), c], [N / 16, M / 16]);
  const dot = (i) => count(K, (k) => a[Math.floor(i / N) * K + k] * b[k * N + (i % N)]).reduce((x, y) => x + y);
  return { got: await gpu.read(c, Float32Array), want: count(M * N, dot) };
}
