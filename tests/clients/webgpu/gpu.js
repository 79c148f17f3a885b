// SPDX-License-Identifier: MIT
// What the kernels share: a device of Dawn (under node, from the package webgpu) or of wgpu (under Deno), and short
// ways to buffers, dispatches and results.

const ROW = 256; // copies between buffers and textures want rows of a multiple of this

export class Gpu {
  static async open() {
    let gpu = globalThis.navigator?.gpu;
    if (!gpu) {
      const dawn = await import('webgpu');
      Object.assign(globalThis, dawn.globals);
      gpu = dawn.create(['backend=vulkan']);
    }
    const adapter = await gpu.requestAdapter();
    if (!adapter) throw new Error('no adapter');
    const wanted = ['shader-f16', 'subgroups', 'timestamp-query'];
    const requiredFeatures = wanted.filter((name) => adapter.features.has(name));
    const device = await adapter.requestDevice({ requiredFeatures });
    const opened = new Gpu();
    opened.name = `${adapter.info.description} ${adapter.info.device}`;
    opened.device = device;
    opened.instance = gpu; // Dawn's device does not keep it from being collected
    opened.errors = [];
    device.onuncapturederror = ({ error }) => opened.errors.push(error.message);
    return opened;
  }

  has(feature) {
    return this.device.features.has(feature);
  }

  // A buffer that holds what is given, or as many zeroed bytes; for everything but mapping.
  buffer(content) {
    const size = typeof content === 'number' ? content : content.byteLength;
    const { STORAGE, UNIFORM, INDIRECT, COPY_DST, COPY_SRC } = GPUBufferUsage;
    const buffer = this.device.createBuffer({ size, usage: STORAGE | UNIFORM | INDIRECT | COPY_DST | COPY_SRC });
    if (typeof content !== 'number') this.device.queue.writeBuffer(buffer, 0, content);
    return buffer;
  }

  async read(buffer, Type = Uint32Array) {
    const { MAP_READ, COPY_DST } = GPUBufferUsage;
    const mapped = this.device.createBuffer({ size: buffer.size, usage: MAP_READ | COPY_DST });
    this.submit((encoder) => encoder.copyBufferToBuffer(buffer, 0, mapped, 0, buffer.size));
    await mapped.mapAsync(GPUMapMode.READ);
    return new Type(mapped.getMappedRange().slice(0));
  }

  texture(format, size, more = {}) {
    const { TEXTURE_BINDING, COPY_DST, COPY_SRC } = GPUTextureUsage;
    const usage = TEXTURE_BINDING | COPY_DST | COPY_SRC | (more.storage ? GPUTextureUsage.STORAGE_BINDING : 0);
    const { dimension = '2d', mipLevelCount = 1 } = more;
    return this.device.createTexture({ format, size, usage, dimension, mipLevelCount });
  }

  // One level of a texture, its rows put together again.
  async readTexture(texture, texelBytes, size, Type, mipLevel = 0) {
    const [width, height = 1, depth = 1] = size;
    const rowBytes = width * texelBytes, bytesPerRow = Math.ceil(rowBytes / ROW) * ROW;
    const buffer = this.buffer(bytesPerRow * height * depth);
    this.submit((encoder) =>
      encoder.copyTextureToBuffer({ texture, mipLevel }, { buffer, bytesPerRow, rowsPerImage: height }, size));
    const padded = await this.read(buffer, Uint8Array);
    const bytes = new Uint8Array(rowBytes * height * depth);
    for (let row = 0; row < height * depth; row++)
      bytes.set(padded.subarray(row * bytesPerRow, row * bytesPerRow + rowBytes), row * rowBytes);
    return new Type(bytes.buffer);
  }

  pipeline(code, { entryPoint = 'main', constants, layout = 'auto' } = {}) {
    const module = this.device.createShaderModule({ code });
    return this.device.createComputePipeline({ layout, compute: { module, entryPoint, constants } });
  }

  // Buffers, parts of them, views of textures and samplers as group 0, numbered from 0.
  bind(pipeline, ...resources) {
    const isBuffer = (resource) => resource instanceof GPUBuffer;
    return this.device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: resources.map((resource, binding) =>
        ({ binding, resource: isBuffer(resource) ? { buffer: resource } : resource })),
    });
  }

  submit(encode) {
    const encoder = this.device.createCommandEncoder();
    encode(encoder);
    this.device.queue.submit([encoder.finish()]);
  }

  // In one pass: each step is [pipeline, bind group, workgroups].
  compute(...steps) {
    this.submit((encoder) => {
      const pass = encoder.beginComputePass();
      for (const [pipeline, group, grid] of steps) {
        pass.setPipeline(pipeline);
        pass.setBindGroup(0, group);
        pass.dispatchWorkgroups(...grid);
      }
      pass.end();
    });
  }

  // One shader, once.
  run(code, resources, grid, options) {
    const pipeline = this.pipeline(code, options);
    this.compute([pipeline, this.bind(pipeline, ...resources), grid]);
  }
}

export function count(n, value) {
  return Array.from({ length: n }, (_, i) => value(i));
}

// lowbias32: numbers that look random and are the same everywhere.
export function hash(x) {
  x ^= x >>> 16;
  x = Math.imul(x, 0x7feb352d);
  x ^= x >>> 15;
  x = Math.imul(x, 0x846ca68b);
  return (x ^ (x >>> 16)) >>> 0;
}
