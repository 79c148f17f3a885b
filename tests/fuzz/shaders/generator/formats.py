# SPDX-License-Identifier: MIT
"""Formats of texels that are converted exactly."""


class Format:
    """`number` is VkFormat; `bits` those of each component that it has. `kind`: 'int'; 'norm', to be multiplied by the
    greatest integers; 'float'. `mask` keeps infinities and NaNs out of random words."""

    def __init__(self, name, number, base, bits, kind='int', mask=0xffffffff):
        self.name, self.number, self.base, self.bits, self.kind, self.mask = name, number, base, bits, kind, mask
        self.texel = sum(bits) // 8
        self.signed = base == 'int' or name.endswith('snorm')
        self.finite = name not in ('r32f', 'rg32f', 'rgba32f')

    def four(self):
        """Bits of all components; those it does not have are 0 or 1 in what is read, and do not matter in what is
        written."""
        return self.bits + [1 + self.signed] * (4 - len(self.bits))

    def scales(self):
        return ', '.join(f'{(1 << count - self.signed) - 1}.0' for count in self.four())


def _of(bits, suffix, numbers, base, *more):
    """With one, two and four components."""
    return [Format(f'{letters}{bits}{suffix}', number, base, [bits] * len(letters), *more)
            for letters, number in zip(('r', 'rg', 'rgba'), numbers)]


STORAGE = [
    *_of(8, 'ui', (13, 20, 41), 'uint'), *_of(16, 'ui', (74, 81, 95), 'uint'), *_of(32, 'ui', (98, 101, 107), 'uint'),
    *_of(8, 'i', (14, 21, 42), 'int'), *_of(16, 'i', (75, 82, 96), 'int'), *_of(32, 'i', (99, 102, 108), 'int'),
    *_of(8, '', (9, 16, 37), 'float', 'norm'), *_of(16, '', (70, 77, 91), 'float', 'norm'),
    *_of(8, '_snorm', (10, 17, 38), 'float', 'norm'), *_of(16, '_snorm', (71, 78, 92), 'float', 'norm'),
    *_of(16, 'f', (76, 83, 97), 'float', 'float', 0xbfffbfff), *_of(32, 'f', (100, 103, 109), 'float', 'float'),
    Format('rgb10_a2ui', 68, 'uint', [10, 10, 10, 2]), Format('rgb10_a2', 64, 'float', [10, 10, 10, 2], 'norm'),
]
SAMPLED = STORAGE + [
    Format('r11f_g11f_b10f', 122, 'float', [11, 11, 10], 'float', 0x7fdffbff),
    Format('B8G8R8A8', 44, 'float', [8, 8, 8, 8], 'norm'),
    Format('R5G6B5', 4, 'float', [5, 6, 5], 'norm'),
    Format('A1R5G5B5', 8, 'float', [5, 5, 5, 1], 'norm'),
    Format('E5B9G9R9', 123, 'float', [9, 9, 9, 5], 'float'),
]
ATOMIC = [format_ for format_ in STORAGE if format_.name in ('r32ui', 'r32i')]
