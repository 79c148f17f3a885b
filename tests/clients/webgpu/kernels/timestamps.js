// SPDX-License-Identifier: MIT
// Times before and after passes, resolved into a buffer: they exist, and do not go backwards.
const shader = /* wgsl */ `
@group(0) @binding(0) var<storage, read_write> values: array<u32, 64>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
  for (var i = 0u; i < 1000u; i++) {
    values[lane] = values[lane] * 3u + i;
  }
}
`;

export default async function (gpu) {
  if (!gpu.has('timestamp-query')) return 'no timestamp-query';
  const querySet = gpu.device.createQuerySet({ type: 'timestamp', count: 4 });
  const { QUERY_RESOLVE, COPY_SRC } = GPUBufferUsage;
  const times = gpu.device.createBuffer({ size: 32, usage: QUERY_RESOLVE | COPY_SRC });
  const pipeline = gpu.pipeline(shader), group = gpu.bind(pipeline, gpu.buffer(256));
  gpu.submit((encoder) => {
    for (const first of [0, 2]) {
      const timestampWrites = { querySet, beginningOfPassWriteIndex: first, endOfPassWriteIndex: first + 1 };
      const pass = encoder.beginComputePass({ timestampWrites });
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, group);
      pass.dispatchWorkgroups(1);
      pass.end();
    }
    encoder.resolveQuerySet(querySet, 0, 4, times, 0);
  });
  const [a, b, c, d] = await gpu.read(times, BigUint64Array);
  return { got: [a > 0n, a <= b, b <= c, c <= d, a < d], want: [true, true, true, true, true] };
}
