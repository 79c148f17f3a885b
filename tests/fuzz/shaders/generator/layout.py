# SPDX-License-Identifier: MIT
"""Bytes of a value in a buffer block (OpenGL 4.6, 7.6.2.2; GL_EXT_scalar_block_layout)."""
from . import glsl

SIZES = {base: bits // 8 for base, (bits, _) in glsl.INTS.items()} | {
    base: float_.bits // 8 for base, float_ in glsl.FLOATS.items()}


def up(value, step):
    return (value + step - 1) // step * step


def measure(type_, rules, row_major=False):
    """Size and alignment under 'std140', 'std430' or 'scalar'."""
    if type_.members:
        end, align = place(type_.members, rules, row_major)
        if rules == 'std140':
            align = up(align, 16)
        return up(end, align), align
    if type_.element:
        size, align = measure(type_.element, rules, row_major)
        if rules == 'std140':
            align = up(align, 16)
        return up(size, align) * type_.length, align
    if type_.is_matrix:
        major, minor = (type_.rows, type_.columns) if row_major else (type_.columns, type_.rows)
        return measure(glsl.array(glsl.vector(type_.base, minor), major), rules)
    size = SIZES[type_.base]
    align = size if rules == 'scalar' else size * (1, 2, 4, 4)[type_.rows - 1]
    return size * type_.rows, align


def place(members, rules, row_major=False):
    """End of the last member, and alignment of them all."""
    end, most = 0, 1
    for _, type_ in members:
        size, align = measure(type_, rules, row_major)
        end, most = up(end, align) + size, max(most, align)
    return end, most
