// SPDX-License-Identifier: MIT
   s_endpgm
