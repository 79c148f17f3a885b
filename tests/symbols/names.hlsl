struct Blade { float3 position; float bend; };
cbuffer Camera : register(b1) { float4x3 view; uint count; float weights[4]; row_major float2x3 rows; };
StructuredBuffer<Blade> blades : register(t2);
RWStructuredBuffer<float> sums : register(u3);
RWByteAddressBuffer bytes : register(u6);
Texture2D<float4> colour : register(t4);
SamplerState linear_sampler : register(s5);
groupshared float tile[64];
static const float BIAS = 0.5;

float sway(Blade blade, inout float speed)
{
   half damping = 0.25;
   speed += blade.bend;
   return speed * damping;
}

[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID, uint local : SV_GroupIndex)
{
   Blade mine = blades[id.x];
   float speed = 0;
   [loop] for (uint i = 0; i < count; i++) {
      float part = sway(mine, speed);
      tile[local] += part * weights[i & 3];
   }
   bool2 flags = speed.xx > float2(1, 2);
   float3 moved = mul(view, float3(1, 2, 3)).xyz + mul(rows, float3(1, 2, 3)).xyx;
   sums[id.x] = flags.x ? tile[local] : moved.y + colour.SampleLevel(linear_sampler, float2(0, 0), 0).x + BIAS;
   bytes.Store(id.x * 4, 7);
}
