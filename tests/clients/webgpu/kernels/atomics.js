// SPDX-License-Identifier: MIT
// Every atomic operation, in storage and in workgroup memory, on signed and unsigned numbers: what comes out in the end
// does not depend on the order.
import { count, hash } from '../gpu.js';

const GROUPS = 7, LANES = 96, COUNT = GROUPS * LANES, BINS = 16;

const shader = /* wgsl */ `
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> u: array<atomic<u32>, 10>;
@group(0) @binding(2) var<storage, read_write> s: array<atomic<i32>, 2>;
@group(0) @binding(3) var<storage, read_write> bins: array<atomic<u32>, ${BINS}>;
var<workgroup> local_bins: array<atomic<u32>, ${BINS}>;

@compute @workgroup_size(${LANES})
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) lane: u32) {
  let value = input[id.x];
  atomicAdd(&u[0], value);
  atomicSub(&u[1], value);
  atomicMax(&u[2], value);
  atomicMin(&u[3], value);
  atomicAnd(&u[4], value | 0x80000001u);
  atomicOr(&u[5], value & 0x00ffff00u);
  atomicXor(&u[6], value);
  atomicMax(&s[0], bitcast<i32>(value));
  atomicMin(&s[1], bitcast<i32>(value));

  // What is in the cell in the end and what was ever taken out of it is all that was put in.
  atomicAdd(&u[8], atomicExchange(&u[7], id.x + 1u));

  // An addition made of compare and exchange.
  var old = atomicLoad(&u[9]);
  loop {
    let result = atomicCompareExchangeWeak(&u[9], old, old + (value & 0xffu));
    if (result.exchanged) {
      break;
    }
    old = result.old_value;
  }

  atomicAdd(&local_bins[value % ${BINS}u], 1u);
  workgroupBarrier();
  if (lane < ${BINS}u) {
    atomicAdd(&bins[lane], atomicLoad(&local_bins[lane]));
  }
}
`;

export default async function (gpu) {
  const values = count(COUNT, (i) => hash(i + 77));
  const unsigned = gpu.buffer(new Uint32Array([0, 0, 0, ~0, ~0, 0, 0, 0, 0, 0]));
  const signed = gpu.buffer(new Int32Array([-0x80000000, 0x7fffffff])), bins = gpu.buffer(BINS * 4);
  gpu.run(shader, [gpu.buffer(Uint32Array.from(values)), unsigned, signed, bins], [GROUPS]);
  const all = (operation, initial) => values.reduce((a, b) => operation(a, b) >>> 0, initial);
  const asSigned = values.map((value) => value | 0), counts = new Array(BINS).fill(0);
  for (const value of values) counts[value % BINS]++;
  const u = await gpu.read(unsigned);
  return {
    got: [...u.slice(0, 7), u[7] + u[8], u[9], ...await gpu.read(signed, Int32Array), ...await gpu.read(bins)],
    want: [all((a, b) => a + b, 0), all((a, b) => a - b, 0), Math.max(...values), Math.min(...values),
      all((a, b) => a & (b | 0x80000001), ~0), all((a, b) => a | (b & 0xffff00), 0), all((a, b) => a ^ b, 0),
      COUNT * (COUNT + 1) / 2, all((a, b) => a + (b & 0xff), 0), Math.max(...asSigned), Math.min(...asSigned),
      ...counts],
  };
}
