// SPDX-License-Identifier: MIT
// s[0:1] buffer. Ends when word 0 is not 0.
again:
   s_sleep 1
   s_load_b32 s4, s[0:1], 0 glc
   s_waitcnt lgkmcnt(0)
   s_cmp_eq_u32 s4, 0
   s_cbranch_scc1 again
   s_endpgm
