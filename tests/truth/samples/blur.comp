//= rebind 0 7
//= rebind 1 6
//! images
//! push u32 1 0 0 1
//! expect u32 0xdeadbeef
