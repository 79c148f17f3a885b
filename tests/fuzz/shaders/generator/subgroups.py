# SPDX-License-Identifier: MIT
"""Subgroup operations whose result does not depend on which invocations a subgroup has: each finds its own value
again, or all give theirs to an atomic by way of the subgroup."""
from .expressions import UNIFORM, Expressions
from .glsl import BOOL, UINT
from .tree import Expr, Function, Stmt

OPERATIONS = {'add': 'Add', 'and_': 'And', 'or_': 'Or', 'xor_': 'Xor', 'min_': 'Min', 'max_': 'Max'}
IDEMPOTENT = ('and_', 'or_', 'min_', 'max_')


class Subgroups(Expressions):

    def by_way_of(self, name, type_, body):
        """The form of a call to a function of the shader."""
        self.helpers.setdefault(name, Function(f'{type_} {name}({type_} x) {{ {body} }}'))
        return f'{name}({{0}})'

    def own_again(self, type_, depth, clean):
        """By a scan and back, or by a shuffle. Sums of floats are exact."""
        kid = self.value(type_, depth, clean)
        kinds = ['subgroupInclusiveAdd(x) - subgroupExclusiveAdd(x)', 'subgroupShuffle(x, gl_SubgroupInvocationID)']
        if type_.is_int and type_.bits > 8:  # see operators()
            kinds.append('subgroupInclusiveXor(x) ^ subgroupExclusiveXor(x)')
        kind = self.dice.below(len(kinds))
        form = self.by_way_of(f'own_{kind}_{type_}', type_, f'return {kinds[kind]};')
        if type_.is_float:
            return self.known(type_, form, kid, clean=False)
        return Expr(type_, form, kid)

    def same_in_all(self, type_, depth, clean):
        return Expr(type_, f'{type_}(subgroupBroadcastFirst({self.dice.choice(UNIFORM)}))', clean=True)

    def own_vote(self, depth, clean):
        kinds = ['subgroupInverseBallot(votes)', 'subgroupBallotBitExtract(votes, gl_SubgroupInvocationID)',
                 'subgroupBallotInclusiveBitCount(votes) != subgroupBallotExclusiveBitCount(votes)']
        kind = self.dice.below(len(kinds))
        form = self.by_way_of(f'vote_{kind}', BOOL, f'uvec4 votes = subgroupBallot(x); return {kinds[kind]};')
        return Expr(BOOL, form, self.expr(BOOL, depth, clean))

    def together(self, type_, name, memory):
        """A statement for an atomic operation of all, done once for each subgroup, or for each invocation where twice
        is as good as once."""
        dice, operation = self.dice, OPERATIONS[name]
        votes = {'add': 'subgroupBallotBitCount(subgroupBallot({0}))', 'and_': 'uint(subgroupAll({0}))',
                 'or_': 'uint(subgroupAny({0}))'}
        if type_ is UINT and name in votes and dice.chance(50):
            form, value = votes[name], self.expr(BOOL, 3)
        else:
            value = self.summand(3) if type_.is_float and name == 'add' else self.value(type_, 3)
            form = f'subgroup{operation}({{0}})'
            if name in IDEMPOTENT and dice.chance(50):
                form = dice.choice([form, f'subgroupInclusive{operation}({{0}})',
                                    f'subgroupClustered{operation}({{0}}, {dice.choice([2, 4])}u)'])
                return Stmt(f'atomic{operation}({memory}, {form});', value)
        return Stmt(f'{{{{\n   {type_} together = {form};\n   if (subgroupElect())\n      '
                    f'atomic{operation}({memory}, together);\n}}}}', value)
