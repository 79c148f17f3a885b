# SPDX-License-Identifier: MIT
"""Random valid compute shaders. A seed is a shader, on every machine and for ever; see ../README.md."""
