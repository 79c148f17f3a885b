// SPDX-License-Identifier: MIT
// Operations across the lanes of a wave, in all of them and where a branch leaves some out.
import { count, hash } from '../gpu.js';

const WORKGROUP = 128, COUNT = 2 * WORKGROUP, RESULTS = 14;

const shader = /* wgsl */ `
enable subgroups;
diagnostic(off, subgroup_uniformity); // the branch is meant to leave lanes out
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> results: array<array<u32, ${RESULTS}>>;

@compute @workgroup_size(${WORKGROUP})
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(subgroup_size) size: u32,
        @builtin(subgroup_invocation_id) lane: u32) {
  let value = input[id.x];
  let ballot = subgroupBallot(value % 3u == 0u);
  var odd = 0u;
  if (value % 2u == 1u) {
    odd = subgroupAdd(value);
  }
  results[id.x] = array<u32, ${RESULTS}>(
    size, lane, subgroupAdd(value), subgroupExclusiveAdd(value), subgroupInclusiveAdd(value), subgroupMax(value),
    subgroupXor(value), subgroupBroadcastFirst(value), subgroupShuffle(value, (lane * 7u + 3u) % size),
    subgroupShuffleXor(value, 5u), ballot.x, ballot.y, quadSwapX(value), odd);
}
`;

export default async function (gpu) {
  if (!gpu.has('subgroups')) return 'no subgroups';
  const values = count(COUNT, hash), results = gpu.buffer(COUNT * RESULTS * 4);
  gpu.run(shader, [gpu.buffer(Uint32Array.from(values)), results], [COUNT / WORKGROUP]);
  const got = await gpu.read(results), size = got[0];
  if (![4, 8, 16, 32, 64, 128].includes(size)) return { got: [size], want: [32] };
  const sum = (list) => list.reduce((a, b) => (a + b) >>> 0, 0);
  const want = count(COUNT, (i) => {
    const first = i - (i % size), lane = i - first, wave = values.slice(first, first + size);
    const bit = (from) => wave.slice(from, from + 32).reduce((bits, x, k) => bits | (x % 3 ? 0 : 1 << k), 0) >>> 0;
    return [size, lane, sum(wave), sum(wave.slice(0, lane)), sum(wave.slice(0, lane + 1)), Math.max(...wave),
      wave.reduce((a, b) => a ^ b) >>> 0, wave[0], wave[(lane * 7 + 3) % size], wave[lane ^ 5], bit(0), bit(32),
      wave[lane ^ 1], values[i] % 2 ? sum(wave.filter((x) => x % 2)) : 0];
  });
  return { got, want: want.flat() };
}
