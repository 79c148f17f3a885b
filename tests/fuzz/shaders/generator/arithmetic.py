# SPDX-License-Identifier: MIT
"""Random arithmetic."""
from . import glsl
from .expressions import Expressions
from .glsl import FLOATS, UINT, float_literal, int_literal, vector
from .tree import Expr


def operators(type_):
    """Without those on 8-bit masks: ACO of Mesa 25.0.7 may write their results to another register."""
    return ['+', '-', '*'] + (['&', '|', '^'] if type_.bits > 8 else [])


class Arithmetic(Expressions):

    # ---- integers

    def integer(self, type_, depth, clean):
        make = self.dice.weighted([
            (10, self.int_operator), (3, self.int_division), (4, self.int_shift), (4, self.int_function),
            (5, self.int_conversion), (3, self.bit_function), (3, self.select), (2, self.packing),
            (3, self.assemble if type_.rows > 1 else self.int_reduction), (0 if clean else 3, self.int_of_float),
            (10 if self.images else 0, self.texel), (1, self.own_again), (1, self.same_in_all)])
        expr = make(type_, depth, clean) or self.int_operator(type_, depth, clean)
        return self.hide(expr)

    def int_operator(self, type_, depth, clean):
        if self.dice.chance(15):
            return Expr(type_, self.dice.choice(['(-{0})', '(~{0})'][:1 + (type_.bits > 8)]),
                        self.expr(type_, depth, clean))
        form = f'({{0}} {self.dice.choice(operators(type_))} {{1}})'
        other = glsl.scalar(type_.base) if self.dice.chance(20) else type_
        return Expr(type_, form, self.expr(type_, depth, clean), self.expr(other, depth, clean))

    def int_division(self, type_, depth, clean):
        """Neither by 0 nor, signed, by -1; remainders of negative numbers are undefined in Vulkan."""
        base = type_.base
        one, most = int_literal(base, 1), int_literal(base, (1 << type_.bits - 1) - 1)
        if type_.signed:
            small = int_literal(base, self.dice.choice([7, 63, (1 << type_.bits - 1) - 1]))
            form = self.dice.choice([f'({{0}} / (({{1}} & {small}) | {one}))',
                                     f'({{0}} / -(({{1}} & {int_literal(base, 14)}) + {int_literal(base, 2)}))',
                                     f'(({{0}} & {most}) % (({{1}} & {small}) | {one}))'])
        else:
            form = self.dice.choice([f'({{0}} / ({{1}} | {one}))', f'({{0}} % ({{1}} | {one}))',
                                     f'({{0}} / {int_literal(base, self.dice.between(1, 127))})',
                                     f'({{0}} % {int_literal(base, self.dice.between(1, 127))})'])
        return Expr(type_, form, self.expr(type_, depth, clean), *(
            [self.expr(type_, depth, clean)] if '{1}' in form else []))

    def int_shift(self, type_, depth, clean):
        mask = int_literal(type_.base, type_.bits - 1)
        count = self.literal(glsl.scalar(type_.base)) if self.dice.chance(40) else self.expr(type_, depth - 1, clean)
        return Expr(type_, f'({{0}} {self.dice.choice(["<<", ">>"])} ({{1}} & {mask}))',
                    self.expr(type_, depth, clean), count)

    def int_function(self, type_, depth, clean):
        expr = lambda: self.expr(type_, depth, clean)  # noqa: E731
        names = ['min', 'max', 'clamp'] + (['abs'] if type_.signed else [])
        if type_.signed and type_.bits < 64:  # lavapipe 25.0.7 leaves the upper half of a 64-bit sign undefined
            names.append('sign')
        name = self.dice.choice(names)
        if name in ('abs', 'sign'):
            return Expr(type_, f'{name}({{0}})', expr())
        if name == 'clamp':
            low, high = (glsl.int_literal(type_.base, value) for value in (3, 100))
            return Expr(type_, f'clamp({{0}}, {type_}({low}), {type_}({high}))', expr())
        return Expr(type_, f'{name}({{0}}, {{1}})', expr(), expr())

    def int_conversion(self, type_, depth, clean):
        base = self.dice.choice([base for base in glsl.BASES if base not in FLOATS and base != type_.base])
        kid = self.expr(vector(base, type_.rows), depth, clean)
        return self.hide(Expr(type_, f'{type_}({{0}})', kid), in_part=type_.rows > 1)

    def int_reduction(self, type_, depth, clean):
        """A component of a vector."""
        rows = self.dice.between(2, 4)
        return Expr(type_, f'{{0}}.{"xyzw"[self.dice.below(rows)]}', self.expr(vector(type_.base, rows), depth, clean))

    def int_of_float(self, type_, depth, clean):
        base = self.dice.choice([base for base, float_ in FLOATS.items() if float_.most < 1 << type_.bits - 1])
        form = f'{type_}({{0}})' if type_.signed else f'{type_}(abs({{0}}))'
        if type_.bits == 8:  # by way of int: ACO's own conversion to 8 bits rounds where it should truncate
            form = form.replace('({', f'({vector("int", type_.rows)}({{').replace('})', '}))') if type_.signed else \
                f'{type_}({vector("int", type_.rows)}(abs({{0}})))'
        return self.hide(Expr(type_, form, self.value(vector(base, type_.rows), depth)), in_part=type_.rows > 1)

    def bit_function(self, type_, depth, clean):
        if type_.base not in ('int', 'uint'):
            return None
        expr = lambda: self.expr(type_, depth, clean)  # noqa: E731
        number = lambda: self.expr(UINT, depth - 1, clean)  # noqa: E731
        return self.dice.choice([
            lambda: Expr(type_, 'bitfieldReverse({0})', expr()),
            lambda: Expr(type_, 'bitfieldExtract({0}, int({1} & 15u), int({2} & 15u))', expr(), number(), number()),
            lambda: Expr(type_, 'bitfieldInsert({0}, {1}, int({2} & 15u), int({3} & 15u))', expr(), expr(), number(),
                         number()),
            lambda: Expr(type_, f'{type_}({self.dice.choice(["bitCount", "findLSB", "findMSB"])}({{0}}))', expr()),
        ])()

    def packing(self, type_, depth, clean):
        """Bits put together, taken apart or taken otherwise."""
        floats = lambda base, rows: self.value(vector(base, rows), depth)  # noqa: E731
        expr = lambda base, rows: self.expr(vector(base, rows), depth, clean)  # noqa: E731
        of_floats, kinds = [], []
        if type_ is UINT:
            kinds = [('packUint2x16({0})', 'uint16_t', 2), ('pack32({0})', 'uint8_t', 4), ('pack32({0})', 'uint16_t', 2)]
            # without packSnorm: lavapipe 25.0.7 lets a negative component spill into the next
            of_floats = [('packUnorm2x16({0})', 'float', 2), ('packUnorm4x8({0})', 'float', 4),
                         ('packHalf2x16({0})', 'float', 2), ('packFloat2x16({0})', 'float16_t', 2),
                         ('floatBitsToUint({0})', 'float', 1)]
        elif type_.base == 'uint64_t' and type_.rows == 1:
            kinds = [('packUint2x32({0})', 'uint', 2), ('pack64({0})', 'uint16_t', 4), ('pack64({0})', 'uint', 2)]
            of_floats = [('doubleBitsToUint64({0})', 'double', 1)]
        elif type_.base == 'int64_t' and type_.rows == 1:
            kinds = [('packInt2x32({0})', 'int', 2)]
            of_floats = [('doubleBitsToInt64({0})', 'double', 1)]
        elif type_.base == 'uint' and type_.rows == 2:
            kinds = [('unpackUint2x32({0})', 'uint64_t', 1)]
            of_floats = [('unpackDouble2x32({0})', 'double', 1)]
        elif type_.base == 'uint8_t' and type_.rows == 4:
            kinds = [('unpack8({0})', 'uint', 1)]
        elif type_.base == 'uint16_t' and type_.rows in (2, 4):
            kinds = [('unpack16({0})', 'uint' if type_.rows == 2 else 'uint64_t', 1)]
        elif type_.base == 'int':
            of_floats = [('floatBitsToInt({0})', 'float', type_.rows)]
        elif type_.base == 'int16_t':
            of_floats = [('float16BitsToInt16({0})', 'float16_t', type_.rows)]
        elif type_.base == 'uint16_t':
            of_floats = [('float16BitsToUint16({0})', 'float16_t', type_.rows)]
        if of_floats and not clean and self.dice.chance(60):
            form, base, rows = self.dice.choice(of_floats)
            return Expr(type_, form, floats(base, rows))
        if not kinds:
            return None
        form, base, rows = self.dice.choice(kinds)
        return Expr(type_, form, expr(base, rows))

    # ---- floats

    def floating(self, type_, depth, clean):
        make = self.dice.weighted([
            (12, self.float_operator), (6, self.float_function), (3, self.float_of_int), (3, self.float_conversion),
            (2, self.float_of_bits), (3, self.select), (4, self.float_product),
            (3, self.assemble if type_.rows > 1 else self.float_dot), (10 if self.images else 0, self.texel),
            (1, self.own_again)])
        return make(type_, depth, clean) or self.float_operator(type_, depth, clean)

    def float_operator(self, type_, depth, clean):
        expr = lambda: self.expr(type_, depth, clean)  # noqa: E731
        kind = self.dice.below(10)
        if kind < 4:
            return self.float_operation(type_, self.dice.choice(['({0} + {1})', '({0} - {1})']),
                                        lambda a, b: (a[0] + b[0], max(a[1], b[1])), expr(), expr())
        if kind < 8:
            other = glsl.scalar(type_.base) if self.dice.chance(30) else type_
            return self.float_operation(type_, '({0} * {1})', lambda a, b: (a[0] * b[0], a[1] + b[1]), expr(),
                                        self.expr(other, depth, clean))
        if kind < 9:
            kids = [expr(), expr(), expr()]
            if type_.base == 'float16_t':  # exact, as lavapipe rounds twice
                kids = [self.fit(kid) for kid in kids]
            return self.float_operation(type_, 'fma({0}, {1}, {2})',
                                        lambda a, b, c: (a[0] * b[0] + c[0], max(a[1] + b[1], c[1])), *kids)
        return self.float_operation(type_, '(-{0})', lambda a: a, expr())

    def float_function(self, type_, depth, clean):
        expr = lambda: self.expr(type_, depth, clean)  # noqa: E731
        kind = self.dice.below(8)
        if kind < 3:
            name = self.dice.choice(['floor', 'ceil', 'trunc', 'roundEven'])
            return self.float_operation(type_, f'{name}({{0}})', lambda a: (a[0] + 1, 0), expr())
        if kind == 3:
            return self.float_operation(type_, f'{self.dice.choice(["min", "max"])}({{0}}, {{1}})',
                                        lambda a, b: (max(a[0], b[0]), max(a[1], b[1])), expr(), expr())
        if kind == 4:
            low, high = (float_literal(type_.base, value) for value in (-1.5, 2.25))
            return self.float_operation(type_, f'clamp({{0}}, {low}, {high})', lambda a: (a[0] + 3, max(a[1], 2)),
                                        expr())
        if kind == 5:
            return self.float_operation(type_, 'abs({0})', lambda a: a, expr())
        if kind == 6:
            name = self.dice.choice(['sign({0})', 'step({1}, {0})'])
            return self.float_operation(type_, name, lambda *kids: (1.0, 0), expr(),
                                        *([expr()] if name[1] == 't' else []))
        # exact: a fraction just below 0 is 1 when rounded, or just below
        return self.float_operation(type_, 'fract({0})', lambda a: (1.0, a[1]), self.fit(expr()))

    def float_of_int(self, type_, depth, clean):
        base = self.dice.choice(list(glsl.INTS))
        bits = glsl.INTS[base][0]
        kid = self.expr(vector(base, type_.rows), depth, clean)
        if type_.base == 'float16_t' and bits > 8:
            return Expr(type_, f'{type_}({{0}} & {int_literal(base, 0x7ff)})', kid, most=2.0 ** 11)
        return Expr(type_, f'{type_}({{0}})', kid, most=2.0 ** bits)

    def float_conversion(self, type_, depth, clean):
        """To a smaller type only what it has exactly: the direction of rounding is not specified."""
        base = self.dice.choice([base for base in FLOATS if base != type_.base])
        kid = self.expr(vector(base, type_.rows), depth, clean)
        if FLOATS[base].bits > FLOATS[type_.base].bits:
            kid = self.fit(kid)
            if type_.base == 'float16_t':  # small enough for its digits
                scale = {'float': '', 'double': ' * 0.00390625lf'}[base]
                return self.fit(Expr(type_, f'{type_}(trunc({{0}}{scale}))', kid, most=16.0))
        return Expr(type_, f'{type_}({{0}})', kid, most=kid.most, grain=kid.grain)

    def float_of_bits(self, type_, depth, clean):
        choices = {
            'float16_t': [('uint16BitsToFloat16({0})', 'uint16_t', type_.rows)],
            'float': [('uintBitsToFloat({0})', 'uint', type_.rows), ('intBitsToFloat({0})', 'int', type_.rows)],
            'double': [('uint64BitsToDouble({0})', 'uint64_t', type_.rows)],
        }[type_.base]
        if type_.base == 'double' and type_.rows == 1:
            choices.append(('packDouble2x32({0})', 'uint', 2))
        if type_.base == 'float16_t' and type_.rows == 2:
            choices.append(('unpackFloat2x16({0})', 'uint', 1))
        if type_.base == 'float' and type_.rows == 2 and self.dice.chance(40):
            return Expr(type_, 'unpackHalf2x16(({0} & 0x87ff87ffu) | 0x38003800u)', self.expr(UINT, depth, clean),
                        most=2.0, grain=11)
        form, base, rows = self.dice.choice(choices)
        return self.tame(Expr(type_, form, self.expr(vector(base, rows), depth, clean)))

    def float_product(self, type_, depth, clean):
        """With matrices; exact."""
        if type_.rows == 1:
            return None
        base, inner = type_.base, self.dice.between(2, 4)
        float_ = FLOATS[base]
        bounds = {'most': float_.most ** 2 * inner, 'grain': 2 * float_.grain}
        if self.dice.chance(50):
            return Expr(type_, '({0} * {1})', self.value(glsl.matrix(base, inner, type_.rows), depth),
                        self.value(vector(base, inner), depth), **bounds)
        return Expr(type_, '({0} * {1})', self.value(vector(base, inner), depth),
                    self.value(glsl.matrix(base, type_.rows, inner), depth), **bounds)

    def float_dot(self, type_, depth, clean):
        rows, float_ = self.dice.between(2, 4), FLOATS[type_.base]
        kids = [self.value(vector(type_.base, rows), depth) for _ in range(2)]
        return Expr(type_, 'dot({0}, {1})', *kids, most=float_.most ** 2 * rows, grain=2 * float_.grain)
