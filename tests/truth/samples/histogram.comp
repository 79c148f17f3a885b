//= rebind 0 1
//= rebind 1 0
//! fill 0
//! input u32 0..63 0x01020304 0x04030201 0xffffffff 0x00000000
//! push u32 68
//! expect u32 197 3 3 3 3 1
