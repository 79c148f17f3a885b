//! push u32 16 12
//! push f32 0.3
//! expect u32 1
