// SPDX-License-Identifier: MIT
// Texels written by shaders, copied into buffers: several formats, a 2D array, a volume, and one read and written.
import { count } from '../gpu.js';

const WIDTH = 37, HEIGHT = 21, LAYERS = 3; // nothing is a multiple of a tile or a workgroup

const write = (format, type, value, dimension = '2d', more = '') => /* wgsl */ `
@group(0) @binding(0) var image: texture_storage_${dimension}<${format}, write>;
@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let x = id.x;
  let y = id.y;
  let z = id.z;
  textureStore(image, vec2u(x, y)${more}, ${type}(${value}));
}
`;

const increment = /* wgsl */ `
@group(0) @binding(0) var image: texture_storage_2d<r32uint, read_write>;
@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (all(id.xy < textureDimensions(image))) {
    textureStore(image, id.xy, textureLoad(image, id.xy) * 3u + vec4u(id.x));
  }
}
`;

// Of texel i: column, row, layer.
function place(i) {
  return [i % WIDTH, Math.floor(i / WIDTH) % HEIGHT, Math.floor(i / (WIDTH * HEIGHT))];
}

export default async function (gpu) {
  const got = [], want = [], grid = [Math.ceil(WIDTH / 8), Math.ceil(HEIGHT / 8)], flat = [WIDTH, HEIGHT];
  const collect = (values, texels, value) => {
    got.push(...values);
    want.push(...count(texels, (i) => value(...place(i))).flat());
  };
  const store = (format, shader, layers = 1, dimension = '2d') => {
    const texture = gpu.texture(format, [...flat, layers], { storage: true, dimension });
    gpu.run(shader, [texture.createView()], [...grid, layers]);
    return texture;
  };

  const bytes = store('rgba8unorm', write('rgba8unorm', 'vec4f', 'f32(x) / 255, f32(y) / 255, f32(x + y) / 255, 1'));
  collect(await gpu.readTexture(bytes, 4, flat, Uint8Array), WIDTH * HEIGHT, (x, y) => [x, y, x + y, 255]);

  const halves = store('rgba16float', write('rgba16float', 'vec4f', 'f32(x) + 0.5, -f32(y), 0.25, 1'));
  const half = { 0.25: 0x3400, 1: 0x3c00 };
  const small = (x) => { // whole numbers and halves of them below 2048, as half floats
    if (x === 0) return 0;
    const exponent = Math.floor(Math.log2(x));
    return ((exponent + 15) << 10) | ((x / 2 ** exponent - 1) * 1024);
  };
  collect(await gpu.readTexture(halves, 8, flat, Uint16Array), WIDTH * HEIGHT,
    (x, y) => [small(x + 0.5), small(y) | 0x8000, half[0.25], half[1]]);

  const words = store('r32uint', write('r32uint', 'vec4u', 'x * 1000u + y'));
  gpu.run(increment, [words.createView()], grid);
  collect(await gpu.readTexture(words, 4, flat, Uint32Array), WIDTH * HEIGHT, (x, y) => [(x * 1000 + y) * 3 + x]);

  const layers = write('rg32float', 'vec4f', 'f32(x * y), f32(z), 0, 0', '2d_array', ', z');
  const layered = store('rg32float', layers, LAYERS);
  collect(await gpu.readTexture(layered, 8, [...flat, LAYERS], Float32Array), WIDTH * HEIGHT * LAYERS,
    (x, y, z) => [x * y, z]);

  const volume = store('r32sint', write('r32sint', 'vec4i', '-i32(x + 100u * y + 10000u * z)', '3d')
    .replace('vec2u(x, y)', 'id'), LAYERS, '3d');
  collect(await gpu.readTexture(volume, 4, [...flat, LAYERS], Int32Array), WIDTH * HEIGHT * LAYERS,
    (x, y, z) => [-(x + 100 * y + 10000 * z)]);
  return { got, want };
}
