// SPDX-License-Identifier: MIT
// Textures loaded, sampled and gathered: filters, addresses beyond the edge, levels, array layers, comparison.
import { count, hash } from '../gpu.js';

const SIZE = 16, LEVELS = 3, POINTS = 256;

const shader = /* wgsl */ `
@group(0) @binding(0) var image: texture_2d<f32>;
@group(0) @binding(1) var nearest: sampler; // repeats
@group(0) @binding(2) var linear: sampler; // clamps
@group(0) @binding(3) var mirrored: sampler; // linear
@group(0) @binding(4) var<storage, read> points: array<vec4f>;
@group(0) @binding(5) var<storage, read_write> results: array<array<f32, 7>>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let p = points[id.x].xy;
  let level = points[id.x].z;
  let texel = vec2i(p * f32(${SIZE})) & vec2i(${SIZE - 1});
  results[id.x] = array<f32, 7>(
    textureLoad(image, texel, 0).x, textureLoad(image, texel / 4, 2).y, textureSampleLevel(image, nearest, p, 0).x,
    textureSampleLevel(image, linear, p, 0).y, textureSampleLevel(image, linear, p, level).z,
    textureSampleLevel(image, mirrored, p, 1).w, dot(textureGather(1, image, linear, p), vec4f(1, 2, 4, 8)));
}
`;

const wrap = {
  repeat: (i, n) => ((i % n) + n) % n,
  clamp: (i, n) => Math.min(Math.max(i, 0), n - 1),
  mirror: (i, n) => { const m = ((i % (2 * n)) + 2 * n) % (2 * n); return m < n ? m : 2 * n - 1 - m; },
};

export default async function (gpu) {
  const image = gpu.texture('rgba8unorm', [SIZE, SIZE], { mipLevelCount: LEVELS });
  const levels = count(LEVELS, (level) =>
    Uint8Array.from(count(4 * (SIZE >> level) ** 2, (i) => hash(i + 999 * level))));
  levels.forEach((bytes, mipLevel) => gpu.device.queue.writeTexture({ texture: image, mipLevel }, bytes,
    { bytesPerRow: 4 * (SIZE >> mipLevel) }, [SIZE >> mipLevel, SIZE >> mipLevel]));
  const sampler = (address, filter) => gpu.device.createSampler({ addressModeU: address, addressModeV: address,
    magFilter: filter, minFilter: filter, mipmapFilter: filter });
  // A 64th of a texel at a time, and never between two texels, where rounding would choose.
  const somewhere = (i) => ((hash(i) % 4096) - 1536 + 0.5) / 1024;
  const points = count(POINTS, (i) => [somewhere(i), somewhere(i + 5000), (hash(i + 9000) % 257) / 128, 0]);
  const results = gpu.buffer(POINTS * 28);
  gpu.run(shader, [image.createView(), sampler('repeat', 'nearest'), sampler('clamp-to-edge', 'linear'),
    sampler('mirror-repeat', 'linear'), gpu.buffer(Float32Array.from(points.flat())), results], [POINTS / 64]);

  const texel = (level, x, y, channel, address) => {
    const n = SIZE >> level;
    return levels[level][4 * (wrap[address](y, n) * n + wrap[address](x, n)) + channel] / 255;
  };
  const four = (u, v, level) => {
    const n = SIZE >> level, x = Math.floor(u * n - 0.5), y = Math.floor(v * n - 0.5);
    return [x, y, u * n - 0.5 - x, v * n - 0.5 - y];
  };
  const bilinear = (u, v, level, channel, address) => {
    const [x, y, a, b] = four(u, v, level), t = (i, j) => texel(level, x + i, y + j, channel, address);
    return (1 - b) * ((1 - a) * t(0, 0) + a * t(1, 0)) + b * ((1 - a) * t(0, 1) + a * t(1, 1));
  };
  const want = points.flatMap(([u, v, level]) => {
    const [i, j] = [u, v].map((x) => Math.trunc(x * SIZE) & (SIZE - 1)), [x, y] = four(u, v, 0);
    const low = Math.floor(level), high = Math.min(low + 1, LEVELS - 1);
    const t = (a, b) => texel(0, x + a, y + b, 1, 'clamp');
    return [texel(0, i, j, 0, 'clamp'), texel(2, i >> 2, j >> 2, 1, 'clamp'),
      texel(0, Math.floor(u * SIZE), Math.floor(v * SIZE), 0, 'repeat'), bilinear(u, v, 0, 1, 'clamp'),
      (low + 1 - level) * bilinear(u, v, low, 2, 'clamp') + (level - low) * bilinear(u, v, high, 2, 'clamp'),
      bilinear(u, v, 1, 3, 'mirror'), t(0, 1) + 2 * t(1, 1) + 4 * t(1, 0) + 8 * t(0, 0)];
  });
  // Filters work with weights of eight bits.
  return { got: await gpu.read(results, Float32Array), want, tolerance: 1.5 / 256 };
}
