#version 460
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Counts { uint counts[]; };
layout(set = 0, binding = 1) buffer Results { float results[]; };

float step_of(float value, uint i)
{
   return (i & 1u) != 0u ? value * 1.5 + float(i) : value - 999.0;
}

void main()
{
   uint id = gl_GlobalInvocationID.x;
   float value = float(id);
   for (uint i = 0; i < counts[id]; i++) {
      value = step_of(value, i);
      if (value > 1.0e6)
         break;
      if (value < 0.0)
         continue;
      value += sqrt(value);
   }
   results[id] = value;
}
