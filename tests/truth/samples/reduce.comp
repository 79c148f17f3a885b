//= rebind 0 1
//= rebind 1 0
//! input f32 64*0.5 64*-1.25 64*3 32*2
//! push u32 230
//! expect f32 208
