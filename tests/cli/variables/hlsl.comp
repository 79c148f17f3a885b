// HLSL: a structured buffer, a matrix, a constant buffer.
//! input f32 1 2 3 4  5 6 7 8
//! uniform f32 1 4 0 0  2 5 0 0  3 6 0 0  10
//! expect f32 128
struct Particle {
   float3 position;
   float mass;
};

[[vk::binding(0)]] RWStructuredBuffer<float> results;
[[vk::binding(1)]] StructuredBuffer<Particle> particles;
[[vk::binding(2)]] cbuffer Settings {
   float2x3 turn; // column-major, as HLSL has it by default
   float gain;
};

float weigh(Particle p, float2 direction)
{
   float2 weighted = direction * p.mass;
   bool heavy = p.mass > 6;
   return heavy ? weighted.x + 0.5 : weighted.y;
}

[numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID)
{
   Particle p = particles[id.x];
   float2 direction = mul(turn, p.position);
   float weight = weigh(p, direction);
   results[id.x] = weight;
}
