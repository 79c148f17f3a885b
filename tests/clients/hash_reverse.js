// SPDX-License-Identifier: MIT
// A WebGPU program (Dawn over Vulkan): each workgroup hashes its elements into workgroup memory and writes them out in
// reverse, so that every element comes from another wave's lane. Checks the result itself; exit code 1 if it is wrong.
import { create, globals } from 'webgpu';

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

// lowbias32
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

function hash(x) {
  x ^= x >>> 16;
  x = Math.imul(x, 0x7feb352d);
  x ^= x >>> 15;
  x = Math.imul(x, 0x846ca68b);
  return (x ^ (x >>> 16)) >>> 0;
}

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

const gpu = create(['backend=vulkan']);
const adapter = await gpu.requestAdapter();
if (!adapter) throw new Error('no adapter');
console.log(`hash_reverse: on ${adapter.info.description}, ${adapter.info.device}`);
const device = await adapter.requestDevice();
device.onuncapturederror = ({ error }) => {
  console.error(`hash_reverse: ${error.message}`);
  process.exit(1);
};

const groups = Math.ceil(COUNT / WORKGROUP);
const bytes = groups * WORKGROUP * 4;
const { STORAGE, UNIFORM, COPY_DST, COPY_SRC, MAP_READ } = globals.GPUBufferUsage;
const parameters = device.createBuffer({ size: 16, usage: UNIFORM | COPY_DST });
const input = device.createBuffer({ size: bytes, usage: STORAGE | COPY_DST });
const output = device.createBuffer({ size: bytes, usage: STORAGE | COPY_SRC });
const result = device.createBuffer({ size: bytes, usage: MAP_READ | COPY_DST });
device.queue.writeBuffer(parameters, 0, new Uint32Array([COUNT, ROUNDS, SEED, 0]));
device.queue.writeBuffer(input, 0, Uint32Array.from({ length: COUNT }, (_, i) => i * 7 + 1));

const pipeline = device.createComputePipeline({
  layout: 'auto',
  compute: { module: device.createShaderModule({ code: shader }), entryPoint: 'main' },
});
const bindings = device.createBindGroup({
  layout: pipeline.getBindGroupLayout(0),
  entries: [parameters, input, output].map((buffer, binding) => ({ binding, resource: { buffer } })),
});
const encoder = device.createCommandEncoder();
const pass = encoder.beginComputePass();
pass.setPipeline(pipeline);
pass.setBindGroup(0, bindings);
pass.dispatchWorkgroups(groups);
pass.end();
encoder.copyBufferToBuffer(output, 0, result, 0, bytes);
device.queue.submit([encoder.finish()]);

await result.mapAsync(globals.GPUMapMode.READ);
const values = new Uint32Array(result.getMappedRange());
let right = 0;
values.forEach((value, i) => { right += value === expected(i); });
console.log(`hash_reverse: ${right} of ${values.length} right`);
process.exit(right === values.length ? 0 : 1);
