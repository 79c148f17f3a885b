# SPDX-License-Identifier: MIT
"""GLSL's types, and what is known of the floats among them."""


class Type:
    """`base` is the name of the scalar type; `columns` and `rows` are those of matrices, `rows` of vectors alone."""

    def __init__(self, name, base=None, rows=1, columns=1, element=None, length=0, members=()):
        self.name, self.base, self.rows, self.columns = name, base, rows, columns
        self.element, self.length, self.members = element, length, members  # arrays; structs: (name, type)
        self.arrays = {}  # of this type, by length: a type is one object

    def __repr__(self):
        return self.name

    @property
    def is_scalar(self):
        return self.base and self.rows == 1

    @property
    def is_vector(self):
        return self.base and self.rows > 1 and self.columns == 1

    @property
    def is_matrix(self):
        return self.columns > 1

    @property
    def is_float(self):
        return self.base in FLOATS

    @property
    def is_int(self):
        return self.base in INTS

    @property
    def bits(self):
        return INTS[self.base][0] if self.base in INTS else FLOATS[self.base].bits

    @property
    def signed(self):
        return INTS[self.base][1]

    def leaves(self):
        """The scalar types in it."""
        if self.base:
            return {self.base}
        if self.element:
            return self.element.leaves()
        return set().union(*(member.leaves() for _, member in self.members))

    def scalar_count(self):
        if self.base:
            return self.rows * self.columns
        if self.element:
            return self.element.scalar_count() * self.length
        return sum(member.scalar_count() for _, member in self.members)

    def has_floats(self):
        return any(base in FLOATS for base in self.leaves())


class Float:
    """What the values of a float type's variables keep to: multiples of 2**-grain, magnitude at most `most`. Then the
    product of two matrices is exact in `digits` bits whatever the order of its sums, and an expression in which
    2**-grain is no denormal and `most` no infinity stays free of both, rounded or not."""

    def __init__(self, bits, digits, smallest, largest, grain, most):
        self.bits, self.digits, self.smallest, self.largest = bits, digits, smallest, largest
        self.grain, self.most = grain, most


INTS = {
    'int8_t': (8, True), 'uint8_t': (8, False), 'int16_t': (16, True), 'uint16_t': (16, False),
    'int': (32, True), 'uint': (32, False), 'int64_t': (64, True), 'uint64_t': (64, False),
}
FLOATS = {
    'float16_t': Float(16, 11, 14, 2.0 ** 15, 2, 4.0),
    'float': Float(32, 24, 120, 2.0 ** 120, 6, 16.0),
    'double': Float(64, 53, 900, 2.0 ** 900, 12, 1024.0),
}
VECTORS = {
    'bool': 'bvec', 'int8_t': 'i8vec', 'uint8_t': 'u8vec', 'int16_t': 'i16vec', 'uint16_t': 'u16vec', 'int': 'ivec',
    'uint': 'uvec', 'int64_t': 'i64vec', 'uint64_t': 'u64vec', 'float16_t': 'f16vec', 'float': 'vec', 'double': 'dvec',
}
MATRICES = {'float16_t': 'f16mat', 'float': 'mat', 'double': 'dmat'}
BASES = list(VECTORS)
SUFFIXES = {'float16_t': 'hf', 'float': '', 'double': 'lf'}

_known = {}


def _once(name, **properties):
    if name not in _known:
        _known[name] = Type(name, **properties)
    return _known[name]


def scalar(base):
    return _once(base, base=base)


def vector(base, rows):
    return _once(f'{VECTORS[base]}{rows}', base=base, rows=rows) if rows > 1 else scalar(base)


def matrix(base, columns, rows):
    return _once(f'{MATRICES[base]}{columns}x{rows}', base=base, rows=rows, columns=columns)


def array(element, length):
    if length not in element.arrays:
        base, bracket, rest = element.name.partition('[')
        element.arrays[length] = Type(f'{base}[{length}]{bracket}{rest}', element=element, length=length)
    return element.arrays[length]


def struct(name, members):
    return Type(name, members=members)


def declare(type_, name):
    """`int[3][2]` and `a` to `int a[3][2]`."""
    base, bracket, rest = type_.name.partition('[')
    return f'{base} {name}{bracket}{rest}'


BOOL, INT, UINT, FLOAT = scalar('bool'), scalar('int'), scalar('uint'), scalar('float')
UINT64, INT64, DOUBLE, HALF = scalar('uint64_t'), scalar('int64_t'), scalar('double'), scalar('float16_t')


def int_literal(base, value):
    bits, signed = INTS[base]
    value &= (1 << bits) - 1
    if base == 'uint':
        return f'{value}u' if value < 1000 else f'{value:#x}u'
    if base == 'uint64_t':
        return f'{value}ul' if value < 1000 else f'{value:#x}ul'
    if signed and value >> (bits - 1):
        value -= 1 << bits
    if base == 'int':
        return f'{value}' if value >= 0 else f'int({value & 0xffffffff:#x}u)' if value < -1000 else f'({value})'
    if base == 'int64_t':
        return f'{value}l' if value >= 0 else f'int64_t({value & (1 << 64) - 1:#x}ul)' if value < -1000 else \
            f'(-{-value}l)'
    return f'{base}({value})'


def float_literal(base, value):
    text = f'{value!r}{SUFFIXES[base]}'
    return text if value >= 0 else f'({text})'
