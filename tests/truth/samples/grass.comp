// The camera's planes are the first blades.
//! fill 0
//! input f32 0 1 0 3 1 0 0 2 -1 0 0 40 0 0 1 5 0 0 -1 60 10 2 10 6 1 2 3 1 4 5 6 2 20 0 20 0.5 30 0 7 1 2 0 50 1 9 0 9 3 8 0 1 1
//! push-address input input result result
//! push u32 16
//! at 16380
//! expect u32 0
