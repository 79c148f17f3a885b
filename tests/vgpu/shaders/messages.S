// SPDX-License-Identifier: MIT
   s_mov_b32 m0, 0x1234
   s_sendmsg sendmsg(MSG_INTERRUPT)
   s_nop 0
   s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)
   s_endpgm
