// SPDX-License-Identifier: MIT
// Two waves, one step after the other over a barrier.
   s_nop 0
   s_barrier
   s_nop 1
   s_endpgm
