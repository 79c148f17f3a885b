// samples/saxpy.comp, as tests/glsl can run it: x is the input, y the result.
//= rebind 0 1
//= rebind 1 0
//! fill 0x40400000
//! input f32 8*1.5 8*-2.25 8*0.125 8*7 8*1e10 8*-0.0 8*3 8*100.5
//! push f32 2.5
//! push u32 50
//! expect f32 8*6.75 8*-2.625 8*3.3125 8*20.5
