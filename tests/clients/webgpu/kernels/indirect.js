// SPDX-License-Identifier: MIT
// A dispatch whose size the one before it computes; another of nothing; one whose size is somewhere in a buffer.
const shader = /* wgsl */ `
@group(0) @binding(0) var<storage, read_write> sizes: array<u32>;
@compute @workgroup_size(1)
fn main() {
  sizes[0] = 3u; sizes[1] = 2u; sizes[2] = 5u;
  sizes[3] = 0u; sizes[4] = 7u; sizes[5] = 7u;
}
`;

const counter = /* wgsl */ `
@group(0) @binding(0) var<storage, read_write> totals: array<atomic<u32>, 4>;
@compute @workgroup_size(4, 4, 2)
fn main(@builtin(num_workgroups) groups: vec3u, @builtin(global_invocation_id) id: vec3u) {
  atomicAdd(&totals[0], 1u);
  atomicAdd(&totals[1], id.x + 100u * id.y + 10000u * id.z);
  atomicMax(&totals[2], groups.x | (groups.y << 8u) | (groups.z << 16u));
  atomicOr(&totals[3], 1u << groups.x);
}
`;

// What a grid of this size adds up to.
function expected(x, y, z) {
  const lanes = 32 * x * y * z;
  const mean = (4 * x - 1) / 2 + 100 * (4 * y - 1) / 2 + 10000 * (2 * z - 1) / 2;
  return [lanes, lanes * mean];
}

export default async function (gpu) {
  const sizes = gpu.buffer(new Uint32Array([0, 0, 0, 0, 0, 0, 1, 4, 1, 0])), totals = gpu.buffer(16);
  const first = gpu.pipeline(shader), second = gpu.pipeline(counter);
  const firstGroup = gpu.bind(first, { buffer: sizes, size: 24 }), secondGroup = gpu.bind(second, totals);
  gpu.submit((encoder) => {
    const pass = encoder.beginComputePass();
    pass.setPipeline(first);
    pass.setBindGroup(0, firstGroup);
    pass.dispatchWorkgroups(1);
    pass.setPipeline(second);
    pass.setBindGroup(0, secondGroup);
    for (const offset of [0, 12, 24]) pass.dispatchWorkgroupsIndirect(sizes, offset);
    pass.end();
  });
  const [large, small] = [expected(3, 2, 5), expected(1, 4, 1)];
  return {
    got: await gpu.read(totals),
    want: [large[0] + small[0], large[1] + small[1], 3 | 2 << 8 | 5 << 16, 1 << 3 | 1 << 1],
  };
}
