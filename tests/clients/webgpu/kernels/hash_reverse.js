// SPDX-License-Identifier: MIT
// Each workgroup hashes its elements into workgroup memory and writes them out in reverse, so that every element comes
// from another wave's lane.
import { count, hash } from '../gpu.js';

const WORKGROUP = 128; // more than one wave of 32 or 64
const COUNT = 1000; // the last workgroup is not full
const ROUNDS = 3;
const SEED = 0x9e3779b9;

const shader = /* wgsl */ `
struct Parameters {
  count: u32,
  rounds: u32,
  seed: u32,
}
@group(0) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(1) var<storage, read> input: array<u32>;
@group(0) @binding(2) var<storage, read_write> output: array<u32>;
var<workgroup> tile: array<u32, ${WORKGROUP}>;

fn hash(value: u32) -> u32 {
  var x = value;
  x ^= x >> 16u;
  x *= 0x7feb352du;
  x ^= x >> 15u;
  x *= 0x846ca68bu;
  return x ^ (x >> 16u);
}

@compute @workgroup_size(${WORKGROUP})
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) local: u32) {
  var x = 0u;
  if (id.x < parameters.count) {
    x = input[id.x];
    for (var round = 0u; round < parameters.rounds; round++) {
      x = hash(x ^ parameters.seed);
    }
  }
  tile[local] = x;
  workgroupBarrier();
  output[id.x] = tile[${WORKGROUP - 1}u - local];
}
`;

// What output[i] must be.
function expected(i) {
  const local = i % WORKGROUP;
  const from = i - local + (WORKGROUP - 1 - local);
  let x = 0;
  if (from < COUNT) {
    x = from * 7 + 1;
    for (let round = 0; round < ROUNDS; round++) x = hash(x ^ SEED);
  }
  return x;
}

export default async function (gpu) {
  const groups = Math.ceil(COUNT / WORKGROUP), length = groups * WORKGROUP;
  const output = gpu.buffer(length * 4);
  const parameters = gpu.buffer(new Uint32Array([COUNT, ROUNDS, SEED, 0]));
  gpu.run(shader, [parameters, gpu.buffer(Uint32Array.from(count(length, (i) => i * 7 + 1))), output], [groups]);
  return { got: await gpu.read(output), want: count(length, expected) };
}
