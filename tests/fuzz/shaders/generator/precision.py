# SPDX-License-Identifier: MIT
"""Functions whose results Vulkan bounds rather than defines (Vulkan 1.3, appendix "Precision and Operation of SPIR-V
Instructions"). A shader stores arguments and results; what is right is computed here, in double precision, as an
interval. A function that the specification derives from others is computed from their intervals."""
import math
import struct

from . import glsl
from .layout import place
from .program import OUTPUT_BYTES, Program
from .tree import Stmt

FORMATS = {'float16_t': ('<e', 11, -14, 15), 'float': ('<f', 24, -126, 127), 'double': ('<d', 53, -1022, 1023)}


class Bounds:
    """Intervals in one format. `_ulp`: the distance of neighbouring numbers; what underflows may be flushed."""

    def __init__(self, base):
        _, self.digits, self.smallest, self.largest = FORMATS[base]
        self.half = base == 'float16_t'
        if base == 'double':  # at least that of single precision
            self.digits, self.smallest, self.largest = FORMATS['float'][1:]

    def widen(self, low, high, ulps=0.0, absolute=0.0):
        def error(x):
            exponent = max(math.frexp(x)[1] - 1, self.smallest) if x else self.smallest
            return absolute + ulps * 2.0 ** (exponent - self.digits + 1) + 2.0 ** self.smallest
        return low - error(low), high + error(high)

    def corners(self, function, *intervals, ulps=1.0):
        points = [()]
        for interval in intervals:
            points = [point + (end,) for point in points for end in interval]
        values = [function(*point) for point in points]
        return self.widen(min(values), max(values), ulps)

    # Correctly rounded; one ULP covers either direction.
    def add(self, x, y):
        return self.corners(lambda a, b: a + b, x, y)

    def sub(self, x, y):
        return self.corners(lambda a, b: a - b, x, y)

    def mul(self, x, y):
        return self.corners(lambda a, b: a * b, x, y)

    def div(self, x, y):
        return self.corners(lambda a, b: a / b, x, y, ulps=2.5)

    def inversesqrt(self, x):
        return self.corners(lambda a: 1.0 / math.sqrt(a), x, ulps=2.0)

    def sqrt(self, x):
        if x[0] <= 0.0:  # 1.0 / inversesqrt(0) is not bounded by an interval; near 0 it is small
            return self.widen(0.0, math.sqrt(max(x[1], 0.0)), 4.0, 2.0 ** (self.smallest // 2))
        return self.div((1.0, 1.0), self.inversesqrt(x))

    def exp2(self, x):
        return self.corners(lambda a: 2.0 ** a, x, ulps=(1 if self.half else 3) + 2 * max(abs(x[0]), abs(x[1])))

    def exp(self, x):
        return self.corners(math.exp, x, ulps=(1 if self.half else 3) + 2 * max(abs(x[0]), abs(x[1])))

    def logarithm(self, function, x):
        low, high = function(x[0]), function(x[1])
        inside = x[1] >= 0.5 and x[0] <= 2.0
        return self.widen(low, high, *((0.0, 2.0 ** (-7 if self.half else -21)) if inside else (3.0, 0.0)))

    def log(self, x):
        return self.logarithm(math.log, x)

    def log2(self, x):
        return self.logarithm(math.log2, x)

    def pow(self, x, y):
        return self.exp2(self.mul(y, self.log2(x)))

    def sin(self, x):
        return self.widen(math.sin(x[0]), math.sin(x[0]), absolute=2.0 ** (-7 if self.half else -11))

    def cos(self, x):
        return self.widen(math.cos(x[0]), math.cos(x[0]), absolute=2.0 ** (-7 if self.half else -11))

    def tan(self, x):
        return self.div(self.sin(x), self.cos(x))

    def atan2(self, y, x):
        return self.corners(math.atan2, y, x, ulps=5.0 if self.half else 4096.0)

    def atan(self, x):
        return self.corners(math.atan, x, ulps=5.0 if self.half else 4096.0)

    def asin(self, x):
        return self.atan2(x, self.sqrt(self.sub((1.0, 1.0), self.mul(x, x))))

    def acos(self, x):
        return self.atan2(self.sqrt(self.sub((1.0, 1.0), self.mul(x, x))), x)

    def halved(self, x):
        return self.mul(x, (0.5, 0.5))

    def negative(self, x):
        return -x[1], -x[0]

    def sinh(self, x):
        return self.halved(self.sub(self.exp(x), self.exp(self.negative(x))))

    def cosh(self, x):
        return self.halved(self.add(self.exp(x), self.exp(self.negative(x))))

    def tanh(self, x):
        return self.div(self.sinh(x), self.cosh(x))

    def asinh(self, x):
        return self.log(self.add(x, self.sqrt(self.add(self.mul(x, x), (1.0, 1.0)))))

    def acosh(self, x):
        return self.log(self.add(x, self.sqrt(self.sub(self.mul(x, x), (1.0, 1.0)))))

    def atanh(self, x):
        one = (1.0, 1.0)
        return self.halved(self.log(self.div(self.add(one, x), self.sub(one, x))))

    def length2(self, x, y):
        return self.sqrt(self.add(self.mul(x, x), self.mul(y, y)))

    def mix(self, x, y, a):
        return self.add(self.mul(x, self.sub((1.0, 1.0), a)), self.mul(y, a))

    def mod(self, x, y):
        whole = self.div(x, y)
        low, high = math.floor(whole[0]), math.floor(whole[1])
        return self.sub(x, self.mul(y, (low, high)))


ANY, POSITIVE, UNIT, ANGLE, ABOVE, SMALL, WIDE = (
    '{0}', '(abs({0}) + {T}(0.125))', '({0} * {T}({U}))', '({0} * {T}({A}))', '(abs({0}) + {T}(1.25))', '({0} * {T}(0.25))',
    '({0} * {T}(4.0))')
ALL, SINGLE = ('float16_t', 'float', 'double'), ('float16_t', 'float')
FUNCTIONS = [  # GLSL, the arguments' domains, types
    ('div', '{0} / {1}', (ANY, POSITIVE), ALL), ('inversesqrt', 'inversesqrt({0})', (POSITIVE,), ALL),
    ('sqrt', 'sqrt({0})', (POSITIVE,), ALL), ('exp', 'exp({0})', (SMALL,), SINGLE), ('exp2', 'exp2({0})', (SMALL,), SINGLE),
    ('exp2', 'exp2({0})', (ANY,), ('float',)), ('log', 'log({0})', (POSITIVE,), SINGLE),
    ('log2', 'log2({0})', (POSITIVE,), SINGLE), ('pow', 'pow({0}, {1})', (POSITIVE, SMALL), SINGLE),
    ('sin', 'sin({0})', (ANGLE,), SINGLE), ('cos', 'cos({0})', (ANGLE,), SINGLE), ('tan', 'tan({0})', (UNIT,), SINGLE),
    ('asin', 'asin({0})', (UNIT,), SINGLE), ('acos', 'acos({0})', (UNIT,), SINGLE), ('atan', 'atan({0})', (ANY,), SINGLE),
    ('atan2', 'atan({0}, {1})', (POSITIVE, ANY), SINGLE), ('sinh', 'sinh({0})', (SMALL,), SINGLE),
    ('cosh', 'cosh({0})', (SMALL,), SINGLE), ('tanh', 'tanh({0})', (SMALL,), SINGLE),
    ('asinh', 'asinh({0})', (POSITIVE,), SINGLE), ('acosh', 'acosh({0})', (ABOVE,), SINGLE),
    ('atanh', 'atanh({0})', ('({0} * {T}(0.5) * {T}({U}))',), SINGLE),
    ('length2', 'length({V}2({0}, {1}))', (ANY, POSITIVE), SINGLE), ('mix', 'mix({0}, {1}, {2})', (ANY, ANY, UNIT), ALL),
    ('mod', 'mod({0}, {1})', (ANY, POSITIVE), ('float',)),
]


class Precision(Program):
    """Set `precision`."""

    def make_main(self, outputs):
        super().make_main(outputs)
        del outputs[4:]  # what the exact set compares is not looked at here
        kept = {f'result.{name}[slot]' for name, _ in outputs}
        self.shader.main[:] = [stmt for stmt in self.shader.main if 'result.' not in stmt.form or
                               any(stmt.form.startswith(name) for name in kept)]
        seen = len(self.variables)
        self.shader.checks = []
        for _ in range(self.dice.between(3, 6)):
            self.check(outputs)
        del self.variables[seen:]

    def check(self, outputs):
        name, form, domains, bases = self.dice.choice(FUNCTIONS)
        base = self.dice.choice(bases)
        type_ = glsl.scalar(base)
        most = glsl.FLOATS[base].most
        words = {'T': base, 'U': 1 / (most * 2), 'A': 3.0 / most, 'V': glsl.VECTORS[base]}
        first = len(outputs)
        trial = outputs + [(f'o{first + i}', glsl.array(type_, self.count)) for i in range(len(domains) + 1)]
        if place(trial, 'std430')[0] > OUTPUT_BYTES:
            return
        outputs[:] = trial
        names = [self.name('x') for _ in domains]
        for variable, domain in zip(names, domains):
            text = domain.replace('{0}', '{{0}}').format(**words)
            self.shader.main.append(Stmt(f'{type_} {variable} = {text};', self.value(type_, 3)))
        arguments = dict(zip('012', names))
        call = form
        for key, value in [*arguments.items(), ('V', words['V'])]:
            call = call.replace('{' + key + '}', value)
        stores = [f'result.o{first + i}[slot] = {text};' for i, text in enumerate([*names, call])]
        self.shader.main.append(Stmt('\n'.join(stores)))
        offsets = []
        for i in range(len(domains) + 1):
            end, _ = place(outputs[:first + i + 1], 'std430')
            offsets.append(end - self.count * type_.bits // 8)
        self.shader.checks.append((name, base, self.count, offsets))


def check(shader, memory):
    """What is outside the bounds, as text, or None. `memory`: binding 1."""
    for name, base, count, offsets in shader.checks:
        code = FORMATS[base][0]
        size = struct.calcsize(code)
        bounds = Bounds(base)
        for i in range(count):
            *arguments, result = (struct.unpack_from(code, memory, offset + i * size)[0] for offset in offsets)
            low, high = getattr(bounds, name)(*((argument, argument) for argument in arguments))
            if not low <= result <= high:
                return f'imprecise: {base} {name}{tuple(arguments)} = {result!r}, not in [{low!r}, {high!r}]'
    return None


def precision(seed):
    return Precision(seed + (1 << 40)).make()
