# SPDX-License-Identifier: MIT
"""Random expressions of a wanted type. Guards against what is undefined (a zero divisor, an index out of bounds) are
part of an operation's form and not kids, so that the reducer cannot take them away."""
from . import glsl, helpers
from .glsl import BOOL, INT, UINT, vector
from .tree import Expr, Function

UNIFORM = [f'gl_{name}.{axis}' for name in ('WorkGroupID', 'NumWorkGroups') for axis in 'xyz']


class Variable:
    """`source`: 'variable', or 'input' for what holds any bits, or 'pushed' for that with uniform indices alone: where
    they diverge, ACO of Mesa 25.0.7 loads small push constants at the first lane's."""

    def __init__(self, name, type_, clean, writable=True, source='variable', constant=False):
        self.name, self.type, self.clean, self.writable, self.source = name, type_, clean, writable, source
        self.constant = constant


def has_path(whole, part, writable):
    """Whether a value of type `part` can be taken out of `whole`."""
    if whole is part:
        return True
    if whole.element:
        return has_path(whole.element, part, writable)
    if whole.members:
        return any(has_path(member, part, writable) for _, member in whole.members)
    if whole.base != part.base or part.columns > 1 or not whole.base:
        return False
    if whole.is_matrix:
        return part.rows <= whole.rows or not writable
    return whole.is_vector and (part.rows <= whole.rows or not writable)


class Expressions:
    """What functions and main share: dice, types, functions so far, and the variables in sight."""

    def __init__(self, dice):
        self.dice = dice
        self.variables = []
        self.functions = []  # callable ones: (name, type, parameter types, clean, cost)
        self.helpers = {}
        self.cost = 0  # operations, multiplied by the loops around them
        self.weight = 1

    # ---- floats that stay comparable

    def helper(self, make, type_):
        if make is helpers.tame or type_.is_matrix:
            self.helper(helpers.fit, vector(type_.base, type_.rows))
        self.helpers.setdefault((make.__name__, type_.name), Function(make(type_)))

    def known(self, type_, form, *kids, clean=None, constant=None):
        """A float expression that has a variable's value."""
        float_ = glsl.FLOATS[type_.base]
        return Expr(type_, form, *kids, most=float_.most, grain=float_.grain, clean=clean, tame=True,
                    constant=constant)

    def fit(self, expr):
        if expr.tame:
            return expr
        self.helper(helpers.fit, expr.type)
        return self.known(expr.type, 'fit({0})', expr)

    def tame(self, expr):
        self.helper(helpers.tame, expr.type)
        return self.known(expr.type, 'tame({0})', expr, clean=False)

    def value(self, type_, depth, clean=False):
        """What may be assigned to a variable."""
        return self.fit(self.expr(type_, depth, clean))

    def float_operation(self, type_, form, bound, *kids):
        """`bound` gives (most, grain) from those of the kids; kids are made to fit if the result is too large or fine."""
        float_ = glsl.FLOATS[type_.base]
        most, grain = bound(*((kid.most, kid.grain) for kid in kids))
        if most > float_.largest or grain > float_.smallest:
            kids = [self.fit(kid) if kid.type.base == type_.base else kid for kid in kids]
            most, grain = bound(*((kid.most, kid.grain) for kid in kids))
        if most > float_.largest or grain > float_.smallest:
            return kids[0]
        return Expr(type_, form, *kids, most=most, grain=grain)

    # ---- leaves

    def literal_expr(self, type_, form):
        return (self.known if type_.is_float else Expr)(type_, form, constant=True)

    def literal(self, type_, in_array=False):
        dice = self.dice
        if type_.members:
            return self.call(type_, [self.hide(self.literal(member, in_array)) for _, member in type_.members])
        if type_.element:
            return self.call(type_, [self.hide(self.literal(type_.element, True)) for _ in range(type_.length)])
        if type_.rows * type_.columns > 1:
            count = type_.rows * type_.columns if dice.chance(50) else 1
            texts = [self.literal(glsl.scalar(type_.base), in_array).form for _ in range(count)]
            form = f'{type_}({", ".join(texts)})'
            return self.literal_expr(type_, form)
        if type_ is BOOL:
            return self.literal_expr(type_, dice.choice(['true', 'false']))
        if type_.is_float:
            float_ = glsl.FLOATS[type_.base]
            steps = int(float_.most * 2 ** float_.grain)
            number = dice.between(-4, 4) if dice.chance(30) else dice.between(-steps, steps) / 2.0 ** float_.grain
            number = float(max(-float_.most, min(float_.most, number)))
            if number == -1.0:  # Mesa makes a choice between -1 and 0 one between -1 and -0
                number = -1.25
            return self.literal_expr(type_, glsl.float_literal(type_.base, number))
        value = dice.weighted([
            (4, dice.between(0, 9)), (2, -dice.between(1, 9)), (1, 1 << (type_.bits - 1)),
            (1, (1 << (type_.bits - 1)) - 1), (2, 1 << dice.below(type_.bits)), (3, dice.bits(type_.bits))])
        if in_array and type_.bits == 64:  # Mesa 25.0.7's nir_opt_large_constants mistakes large ones for small ones
            value &= (1 << 63) - 1
        return self.literal_expr(type_, glsl.int_literal(type_.base, value))

    def call(self, type_, kids):
        return Expr(type_, f'{type_}({", ".join(f"{{{i}}}" for i in range(len(kids)))})', *kids,
                    tame=not (type_.base and type_.is_float) or all(kid.tame for kid in kids),
                    most=max((kid.most for kid in kids), default=0), grain=max((kid.grain for kid in kids), default=0))

    def place(self, type_, clean=False, writable=False):
        """A variable or a part of one, or None."""
        def fits(variable):
            if (writable and not variable.writable) or (clean and not variable.clean):
                return False
            if variable.source != 'variable' and (type_.has_floats() and not (type_.base and type_.columns == 1)):
                return False
            return has_path(variable.type, type_, writable)
        variables = [variable for variable in self.variables if fits(variable)]
        if not variables:
            return None
        variable = self.dice.choice(variables)
        expr = Expr(variable.type, variable.name, clean=variable.clean, constant=variable.constant)
        while expr.type is not type_:
            expr = self.step(expr, type_, clean, writable, variable.source == 'pushed')
        if type_.base and type_.is_float:
            expr = self.known(type_, expr.form, *expr.kids, clean=expr.clean, constant=expr.constant)
            if variable.source != 'variable':
                expr = self.tame(expr)
        return expr

    def step(self, expr, target, clean, writable, uniform):
        """One step from a value towards a part of type `target`."""
        type_, dice = expr.type, self.dice
        if type_.members:
            name, member = dice.choice([(name, member) for name, member in type_.members
                                        if has_path(member, target, writable)])
            return Expr(member, f'{{0}}.{name}', expr, clean=expr.clean)
        if type_.element or type_.is_matrix or dice.chance(20) and target.rows == 1:
            part = type_.element or (vector(type_.base, type_.rows) if type_.is_matrix else target)
            length = type_.length if type_.element else type_.columns if type_.is_matrix else type_.rows
            if dice.chance(30):
                return Expr(part, f'{{0}}[{dice.below(length)}]', expr, clean=expr.clean)
            guard = f'& {length - 1}u' if length & length - 1 == 0 else f'% {length}u'
            index = Expr(UINT, dice.choice(UNIFORM)) if uniform else self.expr(UINT, 1, clean)
            return Expr(part, f'{{0}}[{{1}} {guard}]', expr, index, clean=expr.clean and index.clean)
        letters = list('xyzw'[:type_.rows])
        swizzle = ''
        for _ in range(target.rows):
            letter = dice.choice(letters)
            swizzle += letter
            if writable:
                letters.remove(letter)
        return Expr(target, f'{{0}}.{swizzle}', expr, clean=expr.clean)

    def leaf(self, type_, clean):
        expr = self.place(type_, clean) if self.dice.chance(85) else None
        return expr or self.hide(self.literal(type_))

    def hide(self, expr, in_part=False):
        """Makes an 8-bit constant unknown to compilers and divergent: ACO of Mesa 25.0.7 loses the constants in uniform
        vectors of 8-bit constants and other values. `in_part`: some components may be constants."""
        if (expr.constant or in_part) and expr.type.base and expr.type.is_int and expr.type.bits == 8:
            return Expr(expr.type, f'({{0}} + {expr.type.base}(nothing))', expr, constant=False)
        return expr

    # ---- by type

    def expr(self, type_, depth, clean=False):
        self.cost += self.weight
        if depth <= 0 or self.dice.chance(15):
            return self.leaf(type_, clean)
        if self.dice.chance(12):
            call = self.function_call(type_, depth, clean)
            if call:
                return call
        if type_.members:
            if self.dice.chance(60):
                return self.leaf(type_, clean)
            return self.call(type_, [self.value(member, depth - 2, clean) for _, member in type_.members])
        if type_.element:
            if type_.length > 4 or self.dice.chance(60):
                return self.leaf(type_, clean)
            return self.call(type_, [self.value(type_.element, depth - 2, clean) for _ in range(type_.length)])
        if type_.is_matrix:
            return self.matrix(type_, depth - 1, clean)
        if type_.base == 'bool':
            return self.boolean(type_, depth - 1, clean)
        return (self.floating if type_.is_float else self.integer)(type_, depth - 1, clean)

    def function_call(self, type_, depth, clean):
        functions = [function for function in self.functions if function.type is type_ and
                     (function.clean or not clean) and function.cost * self.weight < 3000]
        if not functions:
            return None
        function = self.dice.choice(functions)
        self.cost += function.cost * self.weight
        kids = [self.value(parameter, depth - 1, function.clean and not parameter.has_floats())
                for parameter in function.parameters]
        form = f'{function.name}({", ".join(f"{{{i}}}" for i in range(len(kids)))})'
        if type_.base and type_.is_float:
            return self.known(type_, form, *kids, clean=False)
        return Expr(type_, form, *kids, clean=function.clean)

    def select(self, type_, depth, clean):
        """One of two values. The operator ?: may become a branch, mix never does."""
        kids = [self.expr(type_, depth, clean), self.expr(type_, depth, clean)]
        bounds = {'most': max(kid.most for kid in kids), 'grain': max(kid.grain for kid in kids),
                  'tame': all(kid.tame for kid in kids)}
        if self.dice.chance(50):
            return Expr(type_, '({2} ? {0} : {1})', *kids, self.expr(BOOL, depth, True), **bounds)
        return Expr(type_, 'mix({0}, {1}, {2})', *kids, self.expr(vector('bool', type_.rows), depth, clean), **bounds)

    def assemble(self, type_, depth, clean):
        """A vector from smaller ones."""
        kids, rows = [], 0
        while rows < type_.rows:
            size = self.dice.between(1, type_.rows - rows)
            kids.append(self.expr(vector(type_.base, size), depth, clean))
            rows += size
        return self.call(type_, kids)

    def boolean(self, type_, depth, clean):
        """Without vectors of constants: glslang 12 folds them to operations that SPIR-V does not have for constants."""
        expr = self.any_boolean(type_, depth, clean)
        vectors = any(kid.type.base and kid.type.rows > 1 or not kid.type.base for kid in expr.kids)
        return self.literal(type_) if expr.constant and vectors else expr

    def any_boolean(self, type_, depth, clean):
        rows, dice = type_.rows, self.dice
        if dice.chance(10):
            return self.leaf(type_, clean)
        if rows > 1:
            if dice.chance(20):
                return self.assemble(type_, depth, clean)
            if dice.chance(20):
                return Expr(type_, 'not({0})', self.expr(type_, depth, clean))
            base = dice.choice([base for base in glsl.BASES if base != 'bool' and not (clean and base in glsl.FLOATS)])
            kind = dice.choice(['lessThan', 'lessThanEqual', 'greaterThan', 'greaterThanEqual', 'equal', 'notEqual'])
            return Expr(type_, f'{kind}({{0}}, {{1}})', *(self.expr(vector(base, rows), depth, clean)
                                                           for _ in range(2)))
        kind = dice.below(11)
        if kind == 10:
            return self.own_vote(depth, clean)
        if kind == 0:
            return Expr(type_, dice.choice(['({0} && {1})', '({0} || {1})']), self.expr(BOOL, depth, True),
                        self.expr(BOOL, depth, True))
        if kind == 1:
            return Expr(type_, '({0} ^^ {1})', self.expr(BOOL, depth, clean), self.expr(BOOL, depth, clean))
        if kind == 2:
            return Expr(type_, '(!{0})', self.expr(BOOL, depth, clean))
        if kind == 3:
            return Expr(type_, dice.choice(['any({0})', 'all({0})']),
                        self.expr(vector('bool', dice.between(2, 4)), depth, clean))
        if kind == 4:
            whole = [variable.type for variable in self.variables if variable.source == 'variable' and
                     (variable.clean or not clean) and (variable.type.element or variable.type.members)]
            if whole:
                other = dice.choice(whole)
                return Expr(type_, dice.choice(['({0} == {1})', '({0} != {1})']), self.leaf(other, clean),
                            self.leaf(other, clean))
        base = dice.choice([base for base in glsl.BASES if base != 'bool' and not (clean and base in glsl.FLOATS)])
        rows = dice.between(1, 4) if dice.chance(30) else 1
        operator = dice.choice(['==', '!='] if rows > 1 else ['<', '<=', '>', '>=', '==', '!='])
        return Expr(type_, f'({{0}} {operator} {{1}})', *(self.expr(vector(base, rows), depth, clean) for _ in range(2)))

    def matrix(self, type_, depth, clean):
        """All of a variable's values: products are exact."""
        dice, base, columns, rows = self.dice, type_.base, type_.columns, type_.rows
        kind = dice.below(8)
        if kind == 0:
            return self.leaf(type_, clean)
        if kind == 1:
            return self.fit(Expr(type_, 'transpose({0})', self.value(glsl.matrix(base, rows, columns), depth)))
        if kind == 2:
            return self.call(type_, [self.value(vector(base, rows), depth) for _ in range(columns)])
        if kind == 3:
            return self.fit(Expr(type_, 'outerProduct({0}, {1})', self.value(vector(base, rows), depth),
                                 self.value(vector(base, columns), depth)))
        if kind == 4:
            return self.fit(Expr(type_, '({0} * {1})', self.value(type_, depth), self.value(glsl.scalar(base), depth)))
        if kind == 5:
            inner = dice.between(2, 4)
            return self.fit(Expr(type_, '({0} * {1})', self.value(glsl.matrix(base, inner, rows), depth),
                                 self.value(glsl.matrix(base, columns, inner), depth)))
        form = dice.choice(['({0} + {1})', '({0} - {1})', 'matrixCompMult({0}, {1})'])
        return self.fit(Expr(type_, form, self.value(type_, depth), self.value(type_, depth)))

    # Provided by the two other halves.
    def integer(self, type_, depth, clean):
        raise NotImplementedError

    def floating(self, type_, depth, clean):
        raise NotImplementedError
