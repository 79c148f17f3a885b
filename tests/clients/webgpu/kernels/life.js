// SPDX-License-Identifier: MIT
// Conway's game of life on a torus: two buffers that change places, twenty dispatches in one pass.
import { count, hash } from '../gpu.js';

const WIDTH = 48, HEIGHT = 40, GENERATIONS = 20;

const shader = /* wgsl */ `
@group(0) @binding(0) var<storage, read> before: array<u32>;
@group(0) @binding(1) var<storage, read_write> after: array<u32>;
@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  var neighbours = 0u;
  for (var dy = ${HEIGHT - 1}u; dy <= ${HEIGHT + 1}u; dy++) {
    for (var dx = ${WIDTH - 1}u; dx <= ${WIDTH + 1}u; dx++) {
      neighbours += before[(id.y + dy) % ${HEIGHT}u * ${WIDTH}u + (id.x + dx) % ${WIDTH}u];
    }
  }
  let at = id.y * ${WIDTH}u + id.x;
  neighbours -= before[at];
  after[at] = select(0u, 1u, neighbours == 3u || (neighbours == 2u && before[at] == 1u));
}
`;

function next(cells) {
  return cells.map((cell, i) => {
    const x = i % WIDTH, y = Math.floor(i / WIDTH);
    let n = -cell;
    for (const dy of [HEIGHT - 1, 0, 1])
      for (const dx of [WIDTH - 1, 0, 1]) n += cells[((y + dy) % HEIGHT) * WIDTH + ((x + dx) % WIDTH)];
    return n === 3 || (n === 2 && cell) ? 1 : 0;
  });
}

export default async function (gpu) {
  let cells = count(WIDTH * HEIGHT, (i) => Number(hash(i) % 3 === 0));
  const buffers = [gpu.buffer(Uint32Array.from(cells)), gpu.buffer(WIDTH * HEIGHT * 4)];
  const pipeline = gpu.pipeline(shader);
  const groups = [gpu.bind(pipeline, ...buffers), gpu.bind(pipeline, buffers[1], buffers[0])];
  gpu.compute(...count(GENERATIONS, (i) => [pipeline, groups[i % 2], [WIDTH / 8, HEIGHT / 8]]));
  for (let i = 0; i < GENERATIONS; i++) cells = next(cells);
  return { got: await gpu.read(buffers[GENERATIONS % 2]), want: cells };
}
