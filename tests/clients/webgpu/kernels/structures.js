// SPDX-License-Identifier: MIT
// How structures lie in memory: vectors of three, matrices, nested arrays; in uniform, storage and workgroup memory.
import { count } from '../gpu.js';

const COUNT = 40;

const shader = /* wgsl */ `
struct Inner {
  direction: vec3f, // 12 bytes, aligned to 16
  weight: f32,
  pair: vec2u,
}
struct Outer {
  transform: mat3x3f, // three columns of 16 bytes
  inners: array<Inner, 2>,
  tail: u32,
}
struct Scale {
  factors: array<vec4f, 2>,
  @align(32) bias: vec2f,
}
@group(0) @binding(0) var<uniform> scale: Scale;
@group(0) @binding(1) var<storage, read_write> outers: array<Outer>;
@group(0) @binding(2) var<storage, read_write> sums: array<vec4f>;
var<workgroup> copies: array<Outer, 8>;

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) local: u32) {
  copies[local] = outers[id.x];
  workgroupBarrier();
  let other = copies[local ^ 1u];
  var sum = vec3f(0);
  for (var i = 0; i < 2; i++) {
    sum += other.transform * other.inners[i].direction * other.inners[i].weight * scale.factors[i].xyz;
  }
  sums[id.x] = vec4f(sum + vec3f(scale.bias, 0), f32(other.tail + other.inners[1].pair.y));
  outers[id.x].inners[1].pair.x += 5u;
  outers[id.x].transform[2].y = -1;
}
`;

const SIZE = 48 + 2 * 32 + 16; // bytes of an Outer

export default async function (gpu) {
  const bytes = new ArrayBuffer(COUNT * SIZE), view = new DataView(bytes);
  const outers = count(COUNT, (n) => ({
    transform: count(3, (column) => count(3, (row) => ((n + 3 * column + row) % 11) - 5)),
    inners: count(2, (k) => ({
      direction: count(3, (i) => ((n * (i + 2) + k) % 7) - 3), weight: (n + k) % 4, pair: [n * 3 + k, n * 5 + k],
    })),
    tail: n * 1000,
  }));
  outers.forEach(({ transform, inners, tail }, n) => {
    const at = n * SIZE;
    transform.flat().forEach((x, i) => view.setFloat32(at + 16 * Math.floor(i / 3) + 4 * (i % 3), x, true));
    inners.forEach(({ direction, weight, pair }, k) => {
      [...direction, weight].forEach((x, i) => view.setFloat32(at + 48 + 32 * k + 4 * i, x, true));
      pair.forEach((x, i) => view.setUint32(at + 64 + 32 * k + 4 * i, x, true));
    });
    view.setUint32(at + 112, tail, true);
  });
  const scale = gpu.buffer(new Float32Array([1, 2, 3, 0, 2, 1, 2, 0, 10, 20, 0, 0, 0, 0, 0, 0]));
  const storage = gpu.buffer(new Uint8Array(bytes)), sums = gpu.buffer(COUNT * 16);
  gpu.run(shader, [scale, storage, sums], [COUNT / 8]);

  const factors = [[1, 2, 3], [2, 1, 2]], bias = [10, 20, 0];
  const want = count(COUNT, (n) => {
    const { transform, inners, tail } = outers[n ^ 1];
    const row = (r) => inners.reduce((sum, { direction, weight }, k) =>
      sum + direction.reduce((s, x, column) => s + transform[column][r] * x, 0) * weight * factors[k][r], bias[r]);
    return [row(0), row(1), row(2), tail + inners[1].pair[1]];
  });
  for (let n = 0; n < COUNT; n++) {
    view.setUint32(n * SIZE + 96, outers[n].inners[1].pair[0] + 5, true);
    view.setFloat32(n * SIZE + 36, -1, true);
  }
  return {
    got: [...await gpu.read(sums, Float32Array), ...await gpu.read(storage)],
    want: [...want.flat(), ...new Uint32Array(bytes)],
  };
}
