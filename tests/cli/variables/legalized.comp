// Stores to a part in HLSL, of which glslang makes SPIR-V with the help of optimisations.
//! expect f32 55 55
[[vk::binding(0)]] RWStructuredBuffer<float> results;

[numthreads(2, 1, 1)] void main(uint3 id : SV_DispatchThreadID)
{
   float4 q = float4(id.x, 1, 2, 3);
   q.x = 50;
   q.y += 4;
   results[id.x] = q.x + q.y;
}
