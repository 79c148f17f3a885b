# SPDX-License-Identifier: MIT
"""Functions of the shader that keep floats comparable: no denormals, infinities, NaNs nor negative zeros."""
from . import glsl

_BITS = {  # to bits and back; what of them stays; what is set: exponents in a small range above 0
    'float16_t': ('float16BitsToUint16', 'uint16BitsToFloat16', 'uint16_t(0x87ff)', 'uint16_t(0x3800)'),
    'float': ('floatBitsToUint', 'uintBitsToFloat', '0x81ffffffu', '0x40000000u'),
    'double': ('doubleBitsToUint64', 'uint64BitsToDouble', '0x807ffffffffffffful', '0x4000000000000000ul'),
}
_WHOLE = {'float16_t': 'int16_t', 'float': 'int', 'double': 'int'}


def fit(type_):
    """Any finite value to one that variables may have (glsl.Float)."""
    if type_.is_matrix:
        columns = ', '.join(f'fit(x[{i}])' for i in range(type_.columns))
        return f'{type_} fit({type_} x) {{ return {type_}({columns}); }}'
    known, whole = glsl.FLOATS[type_.base], glsl.vector(_WHOLE[type_.base], type_.rows)
    most, scale = (glsl.float_literal(type_.base, value) for value in (known.most, 2.0 ** known.grain))
    back = glsl.float_literal(type_.base, 2.0 ** -known.grain)
    return f'{type_} fit({type_} x) {{ return {type_}({whole}(clamp(x, -{most}, {most}) * {scale})) * {back}; }}'


def tame(type_):
    """Any bits to a value that variables may have."""
    to_bits, from_bits, keep, force = _BITS[type_.base]
    return f'{type_} tame({type_} x) {{ return fit({from_bits}(({to_bits}(x) & {keep}) | {force})); }}'
