//= rebind 0 1
//= rebind 1 0
//! input f32 0 0 3 4 1 1 1 1 -1 2 5 2 0.5 0.5 0.5 4 1 2 3 4
//! push u32 64
//! push f32 1.5 2
//! expect f32~0.001 4.2 5.6
