# SPDX-License-Identifier: MIT
"""Whole shaders."""
import struct
from collections import namedtuple

from . import glsl, helpers, layout
from .dice import Dice
from .expressions import Variable
from .glsl import BOOL, UINT, vector
from .statements import ATOMIC_TYPES, ATOMICS, Statements, atomics_of
from .tree import Expr, Function, Shader, Stmt

Callable = namedtuple('Callable', 'name type parameters clean cost')

INPUT_BYTES, OUTPUT_BYTES, UNIFORM_BYTES, PUSH_BYTES = 4096, 1 << 18, 2048, 128
WORKGROUPS = [(64, 1, 1), (32, 1, 1), (8, 8, 1), (5, 3, 2), (7, 1, 1), (1, 1, 1), (33, 1, 1), (4, 4, 4), (3, 11, 1),
              (96, 1, 1), (1, 65, 1), (16, 2, 3), (128, 1, 1), (13, 5, 2)]
GRIDS = [(1, 1, 1), (2, 1, 1), (3, 2, 1), (1, 2, 3), (2, 2, 2), (5, 1, 1)]


class Program(Statements):
    """Set `exact`: everything is comparable bit for bit."""

    def __init__(self, seed):
        super().__init__(Dice(seed))
        self.seed = seed
        self.shader = Shader()
        self.shared = []

    def make(self):
        dice = self.dice
        self.local, self.grid = dice.choice(WORKGROUPS), dice.choice(GRIDS)
        self.local_count = self.local[0] * self.local[1] * self.local[2]
        self.count = self.local_count * self.grid[0] * self.grid[1] * self.grid[2]
        self.room = OUTPUT_BYTES // self.count  # bytes an invocation may write
        self.notes()
        self.make_structs()
        self.make_constants()
        self.make_blocks()
        self.make_images()
        self.make_globals()
        for _ in range(dice.below(5)):
            self.make_function()
        outputs = []
        self.make_main(outputs)
        self.finish(outputs)
        return self.shader

    def notes(self):
        notes = self.shader.notes
        notes += ['groups {} {} {}'.format(*self.grid), f'seed {self.seed & 0xffffffff}',
                  f'wave {self.dice.choice([32, 64])}']
        if self.dice.chance(40):
            notes.append('debug')
        if self.dice.chance(50):
            notes.append('controls')
        if self.dice.chance(20):
            notes.append('indirect')

    # ---- declarations

    def make_structs(self):
        for _ in range(self.dice.below(4)):
            members = []
            for _ in range(self.dice.between(1, 4)):
                type_ = self.type()
                if sum(member.scalar_count() for _, member in members) + type_.scalar_count() <= 40:
                    members.append((f'm{len(members)}', type_))
            if not members:
                members = [('m0', UINT)]
            name = self.name('S')
            self.structs.append(glsl.struct(name, members))
            lines = '\n'.join(f'   {glsl.declare(type_, member)};' for member, type_ in members)
            self.shader.head.append(f'struct {name} {{\n{lines}\n}};')

    def make_constants(self):
        """The runner gives other values than the declared ones."""
        dice = self.dice
        for number in range(dice.below(4)):
            type_ = glsl.scalar(dice.choice(['bool', 'int', 'uint', 'float', 'double', 'int64_t', 'uint64_t']))
            name = self.name('c')
            value = self.literal(type_).form
            # used by way of a variable: of operations on the constants themselves, glslang 12 makes invalid SPIR-V
            self.shader.head += [f'layout(constant_id = {number}) const {type_} {name} = {value};',
                                 f'{type_} of_{name} = {name};']
            if type_ is BOOL:
                size, bits = 4, dice.below(2)
            elif type_.is_int:
                size, bits = type_.bits // 8, dice.choice([dice.below(10), dice.bits(type_.bits)])
            else:
                size, pack = (4, '<f') if type_.base == 'float' else (8, '<d')
                bits = int.from_bytes(struct.pack(pack, dice.between(-64, 64) / 4.0), 'little')
            self.shader.notes.append(f'constant {number} {size} {bits}')
            self.variables.append(Variable(f'of_{name}', type_, not type_.is_float, writable=False))

    def make_blocks(self):
        by_address = self.dice.chance(25)
        self.make_block('buffer', 'source', 0, INPUT_BYTES, ['std430', 'scalar', 'std430'], array=True,
                        by_address=by_address)
        self.make_block('uniform', 'uniforms', 2, UNIFORM_BYTES, ['std140', 'std430', 'scalar'], array=True)
        self.make_block('push_constant', 'pushed', None, PUSH_BYTES, ['std430', 'scalar'], array=False)
        names = [f'   {type_} {name}{short}[8];' for type_, short in ATOMIC_TYPES.items() if type_ != 'float'
                 for name in ATOMICS]
        names.append('   uint untouched[8]; // random; none is the number that makes `nothing` 1')
        names += [f'   layout(offset = {2048 + 32 * i}) float {name}f[8]; // zeros' for i, name in
                  enumerate(atomics_of('float'))]
        self.declare_block('binding = 3', 'std430', 'buffer Atomics', 'shared_by_all', names, by_address)
        self.shader.head.append('uint nothing = 0u;')
        if by_address:
            self.shader.head.append('layout(set = 1, binding = 0, scalar) uniform Addresses {\n'
                                    '   Source source;\n   Atomics shared_by_all;\n};')

    def declare_block(self, where, rules, keywords, name, lines, by_address):
        if by_address:
            where, name = 'buffer_reference', ''
        self.shader.head.append('\n'.join([f'layout({where}, {rules}) {keywords} {{', *lines, f'}} {name};']))

    def make_block(self, kind, name, binding, room, rules, array, by_address=False):
        dice, rules = self.dice, self.dice.choice(rules)
        members, lines = [], []
        for _ in range(dice.between(1, 5)):
            type_ = self.type(bools=False)
            if array and dice.chance(50):
                type_ = glsl.array(type_, dice.choice([2, 3, 8, 16]))
            row_major = dice.chance(30)
            # Not mixed: the measure of a block is that of one order. Not by address: glslang 12 promises more alignment of
            # columns than they have.
            if row_major and (members or by_address):
                row_major = False
            trial = members + [(f'{name[0]}{len(members)}', type_)]
            if max(layout.place(trial, rules, order)[0] for order in (False, True)) * 5 // 4 > room:
                continue
            members = trial
            lines.append(f'   {"layout(row_major) " if row_major else ""}{glsl.declare(type_, trial[-1][0])};')
        if not members:
            members, lines = [(f'{name[0]}0', UINT)], [f'   uint {name[0]}0;']
        head = 'push_constant' if binding is None else f'binding = {binding}'
        keyword = {'buffer': 'readonly buffer', 'uniform': 'uniform', 'push_constant': 'uniform'}[kind]
        self.declare_block(head, rules, f'{keyword} {name.capitalize()}', name, lines, by_address)
        for member, type_ in members:
            self.variables.append(Variable(f'{name}.{member}', type_, not type_.has_floats(), writable=False,
                                           source='pushed' if binding is None else 'input'))

    def make_globals(self):
        for name in ('gl_GlobalInvocationID', 'gl_LocalInvocationID', 'gl_WorkGroupID', 'gl_NumWorkGroups'):
            self.variables.append(Variable(name, vector('uint', 3), True, writable=False))
        self.variables.append(Variable('gl_LocalInvocationIndex', UINT, True, writable=False))
        for _ in range(self.dice.below(3)):
            type_, name = self.type(), self.name('g')
            if type_.leaves() & {'int8_t', 'uint8_t'}:  # see hide()
                continue
            self.shader.head.append(f'{glsl.declare(type_, name)} = {self.literal(type_).text()};')
            self.variables.append(Variable(name, type_, not type_.has_floats() and self.dice.chance(50)))
        if self.dice.chance(30):
            type_, name = glsl.array(self.type(bools=False), self.dice.between(2, 4)), self.name('k')
            if type_.scalar_count() <= 64 and not type_.leaves() & {'int8_t', 'uint8_t'}:
                self.shader.head.append(f'const {glsl.declare(type_, name)} = {self.literal(type_).text()};')
                self.variables.append(Variable(name, type_, not type_.has_floats(), writable=False))

    def make_function(self):
        dice, seen = self.dice, len(self.variables)
        name, clean = self.name('f'), dice.chance(50)
        type_ = None if dice.chance(40) else self.type()
        if clean and type_ and type_.has_floats():
            clean = False
        parameters, texts, start = [], [], []
        for _ in range(dice.between(1, 4)):
            mode = 'in' if type_ and dice.chance(95) else dice.choice(['in', 'out', 'inout', 'inout'])
            parameter, text = self.type(), self.name('p')
            if clean and mode != 'in' and parameter.has_floats():
                mode = 'in'
            parameters.append((mode if type_ is None else 'in', parameter))
            mode = parameters[-1][0]
            texts.append(f'{mode + " " if mode != "in" else ""}{glsl.declare(parameter, text)}')
            if mode == 'out':
                start.append(Stmt(f'{text} = {{0}};', self.hide(self.literal(parameter)), keep=True))
            self.variables.append(Variable(text, parameter, clean and not parameter.has_floats()))
        cost, self.cost = self.cost, 0
        self.result = (type_, clean)
        body_seen = len(self.variables)
        body = start + [self.statement(2) for _ in range(dice.between(1, 6))]
        if type_:
            body.append(Stmt('return {0};', self.value(type_, 3, clean), keep=True))
        self.result = None
        own, self.cost = self.cost, cost
        del self.variables[body_seen:]
        del self.variables[seen:]
        self.shader.functions.append(Function(f'{type_ or "void"} {name}({", ".join(texts)})', body))
        if type_:
            self.functions.append(Callable(name, type_, [parameter for _, parameter in parameters], clean, own))
        else:
            self.void_functions.append((name, parameters, clean, own))

    # ---- main

    def make_main(self, outputs):
        dice, main = self.dice, self.shader.main
        main.append(Stmt(f'uint slot = ((gl_WorkGroupID.z * {self.grid[1]}u + gl_WorkGroupID.y) * {self.grid[0]}u + '
                         f'gl_WorkGroupID.x) * {self.local_count}u + gl_LocalInvocationIndex;'))
        main.append(Stmt('nothing = uint(shared_by_all.untouched[gl_LocalInvocationIndex & 7u] == 0x5a5a5a5au);',
                         keep=True))
        seen = len(self.variables)
        self.variables.append(Variable('slot', UINT, True, writable=False))
        for _ in range(dice.between(2, 5)):
            main.append(self.declaration(0))
        for image in self.images:
            main.append(self.image_statement(0, [image]) if image.written else
                        self.declaration(0, image.type, self.load(image, 3)))
        for _ in range(dice.between(2, 9)):
            if self.cost > 6000:
                break
            kind = dice.below(10)
            if kind == 0:
                main.append(self.exchange())
            elif kind == 1:
                main.append(self.count_together())
            elif kind == 2:
                main += self.store(self.value(self.type(bools=False), 3), outputs)
            elif kind == 3:
                main += self.own_atomic(outputs)
            else:
                main.append(self.statement(3))
        for variable in list(reversed(self.variables[seen:])):
            if variable.writable:
                expr = Expr(variable.type, variable.name)
                main += self.store(Expr(UINT, 'uint({0})', expr) if variable.type is BOOL else expr, outputs)
        del self.variables[seen:]

    def store(self, value, outputs):
        """An array of the output for it, if there is room."""
        if 'bool' in value.type.leaves():
            return []
        trial = outputs + [(f'o{len(outputs)}', glsl.array(value.type, self.count))]
        if layout.place(trial, 'std430')[0] > OUTPUT_BYTES:
            return []
        outputs[:] = trial
        return [Stmt(f'result.{trial[-1][0]}[slot] = {{0}};', value)]

    def own_atomic(self, outputs):
        """On memory of this invocation alone, so that what is returned is known."""
        type_ = glsl.scalar(self.dice.choice(list(ATOMIC_TYPES)))
        stmts = self.store(self.value(type_, 2), outputs)
        target = self.target(type_)
        if not stmts or not target or target.clean:
            return stmts
        memory = f'result.{outputs[-1][0]}[slot]'
        if type_.is_float:
            self.helper(helpers.fit, type_)
            name = self.dice.choice([ATOMICS[name] for name in atomics_of('float')] + ['atomicExchange'])
            return stmts + [Stmt(f'{{0}} = fit({name}({memory}, {{1}}));', target, self.value(type_, 2))]
        name = self.dice.choice(list(ATOMICS.values()) + ['atomicExchange', 'atomicCompSwap'])
        more = [self.expr(type_, 2)] if name == 'atomicCompSwap' else []
        return stmts + [Stmt(f'{{0}} = {name}({memory}, {", ".join(["{1}", "{2}"][:1 + len(more)])});', target,
                             self.expr(type_, 2), *more)]

    def shared_room(self, type_, length):
        """Bytes of LDS; an upper bound of what the compiler takes."""
        size = type_.scalar_count() * 8 * length
        if sum(self.shared) + size > 16384:
            return False
        self.shared.append(size)
        return True

    def exchange(self):
        """Each gives one value to another of the workgroup."""
        type_, name = self.type(), self.name('s')
        if not self.shared_room(type_, self.local_count):
            return self.declaration(0)
        self.shader.head.append(f'shared {glsl.declare(glsl.array(type_, self.local_count), name)};')
        value, index = self.value(type_, 3), self.expr(UINT, 2)
        variable = self.name('v')
        self.variables.append(Variable(variable, type_, False))
        return Stmt(f'{name}[gl_LocalInvocationIndex] = {{0}};\nbarrier();\n'
                    f'{glsl.declare(type_, variable)} = {name}[{{1}} % {self.local_count}u];\nbarrier();', value, index)

    def count_together(self):
        """Atomics of the workgroup on shared memory, in an order that does not matter."""
        type_ = glsl.scalar(self.dice.choice(list(ATOMIC_TYPES)))
        name, count = self.name('s'), self.dice.choice([1, 4, 32])
        if not self.shared_room(type_, count):
            return self.declaration(0)
        self.shader.head.append(f'shared {type_} {name}[{count}];')
        index = self.name('i')
        start, operation = self.literal(type_), self.dice.choice(atomics_of(type_.base))
        condition, variable = self.expr(BOOL, 2, True), self.name('v')
        if count == 1 and self.dice.chance(50):
            part = self.together(type_, operation, f'{name}[0]')
        else:
            part = Stmt(f'{ATOMICS[operation]}({name}[{{0}} % {count}u], {{1}});', self.expr(UINT, 2),
                        self.value(type_, 2))
        result = f'{name}[gl_LocalInvocationIndex % {count}u]'
        if type_.is_float:
            self.helper(helpers.fit, type_)
            result = f'fit({result})'
        stmt = Stmt(f'for (uint {index} = gl_LocalInvocationIndex; {index} < {count}u; {index} += {self.local_count}u)\n'
                    f'   {name}[{index}] = {{0}};\nbarrier();\nif ({{1}}) {{{{\n@0\n}}}}\n'
                    f'barrier();\n{type_} {variable} = {result};\nbarrier();',
                    start, condition, blocks=[[part]])
        self.variables.append(Variable(variable, type_, False))
        return stmt

    def finish(self, outputs):
        lines = '\n'.join(f'   {glsl.declare(type_, name)};' for name, type_ in outputs) or '   uint nothing;'
        self.shader.head.append(f'layout(binding = 1, std430) buffer Result {{\n{lines}\n}} result;')
        self.shader.size = 'layout(local_size_x = {}, local_size_y = {}, local_size_z = {}) in;'.format(*self.local)
        self.shader.functions[:0] = self.helpers.values()


def exact(seed):
    return Program(seed).make()
