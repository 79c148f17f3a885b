// b is the table of binding 3, what is beyond its 64 words reads as 0.
//= rebind 0 1
//= rebind 1 3
//= rebind 2 0
//! input f32 64*0.5 64*-1.25 64*3 64*2
//! push u32 16
//! expect f32~0.001 0
