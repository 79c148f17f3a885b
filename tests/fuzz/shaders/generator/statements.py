# SPDX-License-Identifier: MIT
"""Random statements. Conditions of branches and loops are clean: no float decides them."""
from . import glsl, helpers
from .arithmetic import Arithmetic, operators
from .expressions import Variable
from .glsl import BOOL, FLOAT, INT, UINT, vector
from .images import Images
from .subgroups import Subgroups
from .tree import Expr, Stmt

ATOMICS = {  # operations on the same memory whose order does not matter
    'add': 'atomicAdd', 'and_': 'atomicAnd', 'or_': 'atomicOr', 'xor_': 'atomicXor', 'min_': 'atomicMin',
    'max_': 'atomicMax',
}
ATOMIC_TYPES = {'uint': 'u', 'int': 'i', 'uint64_t': 'ul', 'int64_t': 'il', 'float': 'f'}  # to letters


def atomics_of(base):
    return [name for name in ATOMICS if base != 'float' or name in ('add', 'min_', 'max_')]


class Statements(Arithmetic, Images, Subgroups):

    def __init__(self, dice):
        super().__init__(dice)
        self.names = {}
        self.structs = []
        self.loops = 0
        self.switches = 0
        self.result = None  # of the function being made: (type, clean); None in main
        self.void_functions = []  # (name, [(mode, type)], clean, cost)
        self.procedures = 0

    def name(self, letter):
        self.names[letter] = self.names.get(letter, -1) + 1
        return f'{letter}{self.names[letter]}'

    def type(self, floats=True, bools=True):
        """Any type."""
        dice = self.dice
        bases = [base for base in glsl.BASES if (floats or base not in glsl.FLOATS) and (bools or base != 'bool')]
        kind = dice.below(20)
        if kind < 8:
            return glsl.scalar(dice.choice(bases + ['int', 'uint', 'int', 'uint']))
        if kind < 14:
            return vector(dice.choice(bases), dice.between(2, 4))
        if kind < 16 and floats:
            return glsl.matrix(dice.choice(list(glsl.FLOATS)), dice.between(2, 4), dice.between(2, 4))
        if kind < 18 and self.structs:
            structs = [struct for struct in self.structs if (floats or not struct.has_floats()) and
                       (bools or 'bool' not in struct.leaves())]
            if structs:
                return dice.choice(structs)
        element = self.type(floats, bools)
        length = dice.between(2, 5)
        return glsl.array(element, length) if element.scalar_count() * length <= 48 else element

    def part(self):
        """A type that some variable in sight has in it."""
        return self.some_part(self.dice.choice([variable.type for variable in self.variables if variable.writable]))

    def some_part(self, type_):
        while not self.dice.chance(30):
            if type_.members:
                type_ = self.dice.choice(type_.members)[1]
            elif type_.element:
                type_ = type_.element
            elif type_.is_matrix:
                type_ = vector(type_.base, type_.rows)
            elif type_.is_vector:
                return vector(type_.base, self.dice.between(1, type_.rows))
            else:
                break
        return type_

    # ---- blocks

    def block(self, depth, count):
        seen = len(self.variables)
        stmts = []
        for _ in range(count):
            if self.cost > 6000:
                break
            stmts.append(self.statement(depth))
        del self.variables[seen:]
        return stmts

    def statement(self, depth):
        make = self.dice.weighted([
            (10, self.declaration), (14, self.assignment), (6, self.compound), (2, self.extended), (3, self.atomic),
            (3, self.image_statement), (2, self.subgroup_atomic),
            (4, self.call_statement), (2, self.parts_of_float),
            (6 if depth else 0, self.branch), (3 if depth else 0, self.switch),
            (5 if depth and self.weight < 60 else 0, self.loop), (4 if self.loops else 0, self.jump),
            (1 if self.result and not self.loops else 0, self.early_return),
        ])
        return make(depth) or self.declaration(depth)

    def declaration(self, depth, type_=None, value=None):
        type_ = type_ or self.type()
        clean = not type_.has_floats() and self.dice.chance(60)
        value = value or self.value(type_, self.dice.between(1, 4), clean)
        name = self.name('v')
        self.variables.append(Variable(name, type_, clean and value.clean))
        return Stmt(f'{glsl.declare(type_, name)} = {{0}};', value)

    def target(self, type_):
        """Something to assign to."""
        return self.place(type_, writable=True)

    def assignment(self, depth):
        type_ = self.part()
        target = self.target(type_)
        return target and Stmt('{0} = {1};', target, self.value(type_, self.dice.between(2, 4), target.clean))

    def compound(self, depth):
        base = self.dice.choice(list(glsl.INTS))
        type_ = vector(base, self.dice.choice([1, 1, 1, 2, 3, 4]))
        target = self.target(type_)
        if not target:
            return None
        if self.dice.chance(20):
            return Stmt(self.dice.choice(['{0}++;', '--{0};']), target)
        value = self.expr(type_, self.dice.between(1, 3), target.clean)
        if self.dice.chance(20):
            return Stmt(f'{{0}} {self.dice.choice(["<<=", ">>="])} {{1}} & '
                        f'{glsl.int_literal(base, type_.bits - 1)};', target, value)
        return Stmt(f'{{0}} {self.dice.choice(operators(type_))}= {{1}};', target, value)

    def extended(self, depth):
        """Arithmetic of two words."""
        kind = self.dice.below(4)
        type_ = vector('int' if kind == 3 else 'uint', self.dice.choice([1, 1, 2, 3, 4]))
        high, low = self.target(type_), self.target(type_)
        if not high:
            return None
        clean = high.clean or low.clean
        a, b = self.expr(type_, 2, clean), self.expr(type_, 2, clean)
        form = ['{0} = uaddCarry({2}, {3}, {1});', '{0} = usubBorrow({2}, {3}, {1});',
                'umulExtended({2}, {3}, {0}, {1});', 'imulExtended({2}, {3}, {0}, {1});'][kind]
        return Stmt(form, high, low, a, b)

    def parts_of_float(self, depth):
        base = self.dice.choice(['float', 'double'])
        type_ = vector(base, self.dice.choice([1, 1, 2, 3, 4]))
        target = self.target(type_)
        if not target:
            return None
        value = self.value(type_, 2)
        self.helper(helpers.fit, type_)
        if self.dice.chance(50):
            return Stmt(f'{{{{\n   {type_} whole;\n   {{0}} = fit(modf({{1}}, whole) + whole * whole);\n}}}}', target,
                        value)
        exponent = vector('int', type_.rows)
        half = glsl.float_literal(base, 0.5)
        return Stmt(f'{{{{\n   {exponent} exponent;\n   {{0}} = fit(frexp({{1}}, exponent));\n'
                    f'   {{0}} += {type_}(min(exponent, {exponent}(0))) * {half};\n   {{0}} = fit({{0}});\n}}}}',
                    target, value)

    def atomic(self, depth):
        base = self.dice.choice(list(ATOMIC_TYPES))
        name = self.dice.choice(atomics_of(base))
        value = self.summand(2) if name == 'add' and base == 'float' else self.value(glsl.scalar(base), 2)
        return Stmt(f'{ATOMICS[name]}(shared_by_all.{name}{ATOMIC_TYPES[base]}[{{0}} & 7u], {{1}});',
                    self.expr(UINT, 2), value)

    def summand(self, depth):
        """Whole and so small that a float has every sum that a shader makes of them."""
        return Expr(FLOAT, 'roundEven({0} * 0.25)', self.value(FLOAT, depth))

    def subgroup_atomic(self, depth):
        base = self.dice.choice(list(ATOMIC_TYPES))
        name = self.dice.choice(atomics_of(base))
        return self.together(glsl.scalar(base), name, f'shared_by_all.{name}{ATOMIC_TYPES[base]}[{self.dice.below(8)}]')

    def call_statement(self, depth):
        functions = [function for function in self.void_functions if function[3] * self.weight < 3000]
        if not functions:
            return None
        name, parameters, clean, cost = self.dice.choice(functions)
        kids = []
        for mode, type_ in parameters:
            if mode == 'in':
                kids.append(self.value(type_, 2, clean and not type_.has_floats()))
                continue
            # a clean variable only takes what no float decided
            places = [self.place(type_, writable=True) for _ in range(4)]
            places = [place for place in places if place and (clean or not place.clean)]
            if not places:
                return None
            kids.append(places[0])
        self.cost += cost * self.weight
        return Stmt(f'{name}({", ".join(f"{{{i}}}" for i in range(len(kids)))});', *kids)

    # ---- control flow

    def branch(self, depth):
        condition = self.expr(BOOL, 3, True)
        first = self.block(depth - 1, self.dice.between(1, 4))
        if self.dice.chance(50):
            return Stmt('if ({0}) {{\n@0\n}}', condition, blocks=[first])
        return Stmt('if ({0}) {{\n@0\n}} else {{\n@1\n}}', condition,
                    blocks=[first, self.block(depth - 1, self.dice.between(1, 3))])

    def switch(self, depth):
        cases = self.dice.between(2, 5)
        selector = self.expr(UINT, 2, True)
        form, blocks = f'switch ({{0}} % {cases + 1}u) {{{{', []
        default = self.dice.below(cases)
        self.switches += 1
        for i in range(cases):
            label = 'default:' if i == default else f'case {i * 1}u:'
            form += f'\n{label} {{{{\n@{i}\n}}}}'
            if self.dice.chance(70) or i == cases - 1:
                form += '\nbreak;'
            blocks.append(self.block(depth - 1, self.dice.between(1, 3)))
        self.switches -= 1
        return Stmt(form + '\n}}', selector, blocks=blocks)

    def loop(self, depth):
        dice, trips = self.dice, self.dice.choice([1, 2, 3, 4, 5, 7])
        kind, exprs, index = dice.below(6), [], self.name('i')
        variable = None
        if kind <= 1:
            head = f'for (int {index} = 0; {index} < {trips}; {index}++) {{{{'
            variable = Variable(index, INT, True, writable=False)
        elif kind == 2:
            head = f'for (uint {index} = 0u; {index} < ({{0}} & 7u); {index}++) {{{{'
            exprs, variable, trips = [self.expr(UINT, 2, True)], Variable(index, UINT, True, writable=False), 7
        elif kind == 3:
            head = f'for (int {index} = int({{0}} & 7u); {index} >= 0; {index}--) {{{{'
            exprs, variable, trips = [self.expr(UINT, 2, True)], Variable(index, INT, True, writable=False), 8
        elif kind == 4:
            head = f'uint {index} = 0u;\nwhile ({{0}} && {index}++ < {trips}u) {{{{'
            exprs = [self.expr(BOOL, 3, True)]
        else:
            head = f'uint {index} = 0u;\ndo {{{{'
            trips += 1
        switches, self.switches = self.switches, 0
        self.loops += 1
        self.weight *= trips
        if variable:
            self.variables.append(variable)
        body = self.block(depth - 1, dice.between(1, 4))
        if variable:
            self.variables.pop()
        self.weight //= trips
        self.loops -= 1
        self.switches = switches
        if kind == 5:
            return Stmt(f'{head}\n@0\n}}}} while ({{0}} && {index}++ < {trips - 1}u);', self.expr(BOOL, 2, True),
                        blocks=[body])
        return Stmt(head + '\n@0\n}}', *exprs, blocks=[body])

    def jump(self, depth):
        return Stmt(f'if ({{0}}) {self.dice.choice(["break", "continue"])};', self.expr(BOOL, 2, True))

    def early_return(self, depth):
        type_, clean = self.result
        if type_ is None:
            return Stmt('if ({0}) return;', self.expr(BOOL, 2, True))
        return Stmt('if ({0}) return {1};', self.expr(BOOL, 2, True), self.value(type_, 2, clean))
