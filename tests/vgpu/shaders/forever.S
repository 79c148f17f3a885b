// SPDX-License-Identifier: MIT
again:
   s_branch again
