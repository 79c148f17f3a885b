// SPDX-License-Identifier: MIT
// A stack machine that each lane runs on a program of its own: arrays in private memory with indices of the lane's, a
// switch in a loop, waves whose lanes leave one after another.
import { count, hash } from '../gpu.js';

const LANES = 200, LENGTH = 24;
const PUSH = 0, ADD = 1, MUL = 2, XOR = 3, SWAP = 4, DUP = 5, BACK = 6, END = 7;

const shader = /* wgsl */ `
@group(0) @binding(0) var<storage, read> code: array<u32>;
@group(0) @binding(1) var<storage, read_write> results: array<vec2u>;

struct Machine {
  stack: array<u32, 16>,
  top: u32,
  jumps: u32,
}

fn pop(m: ptr<function, Machine>) -> u32 {
  if ((*m).top == 0u) {
    return 1u;
  }
  (*m).top--;
  return (*m).stack[(*m).top];
}

fn push(m: ptr<function, Machine>, value: u32) {
  (*m).stack[(*m).top & 15u] = value;
  (*m).top = min((*m).top + 1u, 15u);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= ${LANES}u) {
    return;
  }
  var m: Machine;
  m.jumps = id.x % 5u;
  var steps = 0u;
  for (var pc = 0u; pc < ${LENGTH}u; pc++) {
    let word = code[id.x * ${LENGTH}u + pc];
    steps++;
    switch (word & 7u) {
      case ${PUSH}u: { push(&m, word >> 3u); }
      case ${ADD}u: { push(&m, pop(&m) + pop(&m)); }
      case ${MUL}u: { push(&m, pop(&m) * pop(&m)); }
      case ${XOR}u: { push(&m, pop(&m) ^ pop(&m)); }
      case ${SWAP}u: { let a = pop(&m); let b = pop(&m); push(&m, a); push(&m, b); }
      case ${DUP}u: { let a = pop(&m); push(&m, a); push(&m, a); }
      case ${BACK}u: {
        if (m.jumps > 0u) {
          m.jumps--;
          pc -= min(pc, (word >> 3u) % 7u);
        }
      }
      default: { pc = ${LENGTH}u; }
    }
  }
  results[id.x] = vec2u(pop(&m), steps);
}
`;

function execute(code, lane) {
  const stack = new Array(16).fill(0);
  let top = 0, jumps = lane % 5, steps = 0;
  const pop = () => (top === 0 ? 1 : stack[--top]);
  const push = (value) => {
    stack[top & 15] = value >>> 0;
    top = Math.min(top + 1, 15);
  };
  for (let pc = 0; pc < LENGTH; pc++) {
    const word = code[lane * LENGTH + pc], argument = word >>> 3;
    steps++;
    switch (word & 7) {
      case PUSH: push(argument); break;
      case ADD: push(pop() + pop()); break;
      case MUL: push(Math.imul(pop(), pop())); break;
      case XOR: push(pop() ^ pop()); break;
      case SWAP: { const a = pop(), b = pop(); push(a); push(b); break; }
      case DUP: { const a = pop(); push(a); push(a); break; }
      case BACK: if (jumps > 0) { jumps--; pc -= Math.min(pc, argument % 7); } break;
      case END: pc = LENGTH;
    }
  }
  return [pop(), steps];
}

export default async function (gpu) {
  // Few ends, or most programs would be short.
  const code = count(LANES * LENGTH, (i) => ((hash(i) & 7) === END && i % 9 ? hash(i) & ~7 : hash(i)));
  const results = gpu.buffer(LANES * 8);
  gpu.run(shader, [gpu.buffer(Uint32Array.from(code)), results], [Math.ceil(LANES / 64)]);
  return { got: await gpu.read(results), want: count(LANES, (lane) => execute(code.map((x) => x >>> 0), lane)).flat() };
}
