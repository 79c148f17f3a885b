#version 460
// Vectors of booleans: comparisons, any, all, not, mix with a selector.
//! input f32 1 5 3 0
//! input f32 2 4 3 0
//! expect u32 1 0 0 0
//! expect u32 0 1 1 1
//! expect u32 1 0 1 1
//! expect f32 2 5 3 0
layout(local_size_x = 1) in;
layout(binding = 0) buffer Result { uvec4 less, not_less; uvec4 anys; vec4 larger; };
layout(binding = 1) readonly buffer Input { vec4 a, b; };

void main()
{
   bvec4 l = lessThan(a, b);
   less = uvec4(l);
   not_less = uvec4(not(l));
   anys = uvec4(any(l), all(l), any(equal(a, b)), all(lessThanEqual(abs(a - b), vec4(1))));
   larger = mix(a, b, l);
}
