// SPDX-License-Identifier: MIT
// Copies and clears without a shader: buffers, textures of every dimension, levels, layers, formats of every size, and
// the queue's own writes.
import { count, hash } from '../gpu.js';

const bytesOf = (n, seed) => Uint8Array.from(count(n, (i) => hash(i + seed * 65536)));

// The part of a volume of bytes that a copy moves: rows of texels at [x, y, z], of size [w, h, d].
function part(bytes, [width, height], texel, [x, y, z], [w, h, d]) {
  const out = [];
  for (let k = z; k < z + d; k++)
    for (let j = y; j < y + h; j++) {
      const at = ((k * height + j) * width + x) * texel;
      out.push(...bytes.slice(at, at + w * texel));
    }
  return out;
}

export default async function (gpu) {
  const got = [], want = [], { queue } = gpu.device;

  const source = bytesOf(4096, 1), target = gpu.buffer(bytesOf(4096, 2)), expected = bytesOf(4096, 2);
  const buffer = gpu.buffer(source);
  gpu.submit((encoder) => {
    encoder.copyBufferToBuffer(buffer, 64, target, 1028, 1000);
    encoder.clearBuffer(target, 512, 256);
  });
  queue.writeBuffer(target, 4, source, 0, 8);
  expected.set(source.subarray(64, 1064), 1028);
  expected.fill(0, 512, 768);
  expected.set(source.subarray(0, 8), 4);
  got.push(...await gpu.read(target, Uint8Array));
  want.push(...expected);

  const cases = [
    ['r8unorm', 1, [53, 19, 1], '2d'], ['rg8snorm', 2, [53, 19, 1], '2d'], ['rgba8unorm', 4, [53, 19, 3], '2d'],
    ['rgba8unorm-srgb', 4, [16, 16, 1], '2d'], ['bgra8unorm', 4, [31, 9, 1], '2d'],
    ['rgb10a2unorm', 4, [8, 8, 1], '2d'], ['rg11b10ufloat', 4, [8, 8, 1], '2d'], ['r16float', 2, [33, 7, 2], '2d'],
    ['rgba16uint', 8, [21, 30, 2], '2d'],
    ['r32float', 4, [65, 5, 1], '2d'], ['rgba32float', 16, [19, 11, 2], '2d'], ['r32uint', 4, [100, 1, 1], '1d'],
    ['rgba8uint', 4, [18, 14, 6], '3d'], ['rg32sint', 8, [40, 20, 4], '3d'],
  ];
  for (const [format, texel, size, dimension] of cases) {
    const bytes = bytesOf(size[0] * size[1] * size[2] * texel, texel + size[0]);
    if (format === 'rg8snorm') bytes.forEach((byte, i) => { if (byte === 0x80) bytes[i] = 0x81; }); // both are -1
    if (format.endsWith('float')) bytes.fill(0x35, 0); // a number, and no NaN, in each of the formats
    const layout = { bytesPerRow: size[0] * texel, rowsPerImage: size[1] };
    const [first, second] = [gpu.texture(format, size, { dimension }), gpu.texture(format, size, { dimension })];
    queue.writeTexture({ texture: first }, bytes, layout, size);
    // A part of the one into the corner of the other.
    const from = size.map((n) => Math.floor(n / 3)), moved = size.map((n, k) => n - from[k]);
    gpu.submit((encoder) => encoder.copyTextureToTexture({ texture: first, origin: from }, { texture: second }, moved));
    got.push(...await gpu.readTexture(first, texel, size, Uint8Array));
    want.push(...bytes);
    got.push(...part(await gpu.readTexture(second, texel, size, Uint8Array), size, texel, [0, 0, 0], moved));
    want.push(...part(bytes, size, texel, from, moved));
  }

  // Levels, each from a buffer and into one.
  const mipped = gpu.texture('rgba8unorm', [40, 24], { mipLevelCount: 4 });
  for (let level = 0; level < 4; level++) {
    const size = [40 >> level, 24 >> level], bytes = bytesOf(256 * size[1], level + 9);
    const rows = gpu.buffer(bytes);
    gpu.submit((encoder) => encoder.copyBufferToTexture({ buffer: rows, bytesPerRow: 256 },
      { texture: mipped, mipLevel: level }, size));
    want.push(...part(bytes, [64, size[1]], 4, [0, 0, 0], [...size, 1]));
  }
  for (let level = 0; level < 4; level++)
    got.push(...await gpu.readTexture(mipped, 4, [40 >> level, 24 >> level], Uint8Array, level));

  // Never written: zero.
  got.push(...await gpu.readTexture(gpu.texture('rgba8uint', [30, 10]), 4, [30, 10], Uint8Array));
  want.push(...count(1200, () => 0));
  return { got, want };
}
