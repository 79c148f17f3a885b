// SPDX-License-Identifier: MIT
// Iterations until a point leaves the Mandelbrot set, up to 200: waves whose lanes loop for different times. A compiler
// may fuse a product and a sum, which decides the count of points near the set's edge: where rounding matters, any is
// right.
import { count } from '../gpu.js';

const WIDTH = 96, HEIGHT = 64, LIMIT = 200;

const shader = /* wgsl */ `
@group(0) @binding(0) var<storage, read_write> iterations: array<u32>;
@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let c = vec2f(f32(id.x) / 32.0 - 2.25, f32(id.y) / 32.0 - 1.0);
  var z = vec2f(0);
  var n = 0u;
  while (n < ${LIMIT}u && dot(z, z) < 4.0) {
    z = vec2f(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
    n++;
  }
  iterations[id.y * ${WIDTH}u + id.x] = n;
}
`;

// In the arithmetic of round.
function iterate(cx, cy, round) {
  let x = 0, y = 0, n = 0;
  while (n < LIMIT && round(round(x * x) + round(y * y)) < 4) {
    const next = round(round(round(x * x) - round(y * y)) + cx);
    y = round(round(2 * x * y) + cy);
    x = next;
    n++;
  }
  return n;
}

export default async function (gpu) {
  const iterations = gpu.buffer(WIDTH * HEIGHT * 4);
  gpu.run(shader, [iterations], [WIDTH / 8, HEIGHT / 8]);
  const got = await gpu.read(iterations);
  const up = (x) => Math.fround(x * (1 + 2 ** -22)), down = (x) => Math.fround(x * (1 - 2 ** -22));
  let unsure = 0;
  const want = count(WIDTH * HEIGHT, (i) => {
    const cx = (i % WIDTH) / 32 - 2.25, cy = Math.floor(i / WIDTH) / 32 - 1;
    const [first, ...others] = [Math.fround, (x) => x, up, down].map((round) => iterate(cx, cy, round));
    if (others.every((other) => other === first)) return first;
    unsure++;
    return got[i];
  });
  // Whether there were few of those is part of the result.
  return { got: [...got, unsure < WIDTH * HEIGHT / 20], want: [...want, true] };
}
