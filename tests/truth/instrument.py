#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Makes a shader say itself what its variables are:  instrument.py IN.spv SUBJECT.spv TRACED.spv POINTS.json [FROM TO]...

SUBJECT is IN with every variable initialized with zeros and every local named once only: the module to be debugged, whose
variables have one value at all times and one name. TRACED is SUBJECT with code that writes, for some lanes of workgroup
0,0,0, the value of each variable in front of each statement (and behind what changes variables) to a buffer; where
SUBJECT has that statement's first instruction is its key. POINTS describes what is written.

The trace buffer is binding 12 of set 0: for lane n of LANES, words from n * REGION on. A record is the number of its point
plus one, the chain of calls, then the variables' scalars, each in one word, or two if it has 64 bits. The chain is 0 in the
entry point, and in a called function 31 times its caller's plus the offset of the OpFunctionCall.

FROM and TO renumber bindings.
"""
import json
import re
import sys

import liveness
from spirv import FUNCTION, INPUT, PHYSICAL, PRIVATE, STORAGE_BUFFER, Instruction, Module, text_words, words_text

LANES = [0, 1, 2, 3, 17, 40]  # LocalInvocationIndex
REGION = 1 << 16  # words
BINDING = 12
MAX_ELEMENTS = 8  # of an array

BUILTIN, BINDING_DECORATION, SET_DECORATION, BLOCK, ARRAY_STRIDE, OFFSET = 11, 33, 34, 2, 6, 35
WORKGROUP_ID, LOCAL_INVOCATION_INDEX = 26, 29
INT16 = 22  # capability

# NonSemantic.Shader.DebugInfo.100
DEBUG_SCOPE, DEBUG_NO_SCOPE, DEBUG_LOCAL_VARIABLE, DEBUG_DECLARE, DEBUG_LEXICAL_BLOCK = 23, 24, 26, 28, 21
DEBUG_FUNCTION, DEBUG_LINE, DEBUG_NO_LINE = 20, 103, 104

NO_CODE = {'Nop', 'Undef', 'Line', 'NoLine', 'Label', 'Phi', 'Variable', 'LoopMerge', 'SelectionMerge', 'Unreachable'}
CHANGES = {'Store', 'CopyMemory', 'CopyMemorySized', 'FunctionCall'}


class Types:
    def __init__(self, module):
        self.module = module
        self.types = {}
        self.constants = {}
        for i in module.instructions:
            if isinstance(i.op, str) and i.op.startswith('Type') and i.op != 'TypePointer':
                self.types[i.operands[0]] = (i.op, *i.operands[1:])
            elif i.op == 'TypePointer':
                self.types[i.operands[0]] = (i.op, *i.operands[1:])
            elif i.op == 'Constant':
                self.constants[i.operands[1]] = (i.operands[0], i.operands[2])

    def declare(self, op, *operands):
        """The type of these operands, made if there is none."""
        for number, kind in self.types.items():
            if kind == (op, *operands):
                return number
        number = self.module.new_id()
        self.module.add_global(Instruction(op, number, *operands))
        self.types[number] = (op, *operands)
        return number

    def constant(self, value):
        uint = self.declare('TypeInt', 32, 0)
        for number, known in self.constants.items():
            if known == (uint, value):
                return number
        number = self.module.new_id()
        self.module.add_global(Instruction('Constant', uint, number, value))
        self.constants[number] = (uint, value)
        return number

    def length(self, array):
        constant = self.constants.get(self.types[array][2])
        return constant[1] if constant else None

    def leaves(self, type_id, path=''):
        """(path, indices, scalar) of what is traced of a type; None if it has parts without bits."""
        kind, *rest = self.types[type_id]
        if kind == 'TypeBool':
            return [(path, [], 'bool')]
        if kind == 'TypeInt':
            return [(path, [], ('i' if rest[1] else 'u') + str(rest[0]))]
        if kind == 'TypeFloat':
            return [(path, [], 'f' + str(rest[0]))]
        if kind == 'TypePointer' and rest[0] == PHYSICAL:
            return [(path, [], 'pointer')]
        if kind in ('TypeVector', 'TypeMatrix'):
            parts = [(n, f'[{n}]', rest[0]) for n in range(rest[1])]
        elif kind == 'TypeArray' and self.length(type_id):
            parts = [(n, f'[{n}]', rest[0]) for n in range(min(self.length(type_id), MAX_ELEMENTS))]
        elif kind == 'TypeStruct':
            parts = [(n, f'.{n}', member) for n, member in enumerate(rest)]
        else:
            return None
        result = []
        for index, name, element in parts:
            leaves = self.leaves(element, path + name)
            if leaves is None:
                return None
            result += [(p, [index, *indices], scalar) for p, indices, scalar in leaves]
        return result


def rebind(module, numbers):
    for i in module.find('Decorate'):
        if i.operands[1] == BINDING_DECORATION:
            i.operands[2] = numbers.get(i.operands[2], i.operands[2])


def initialize_variables(module):
    types = Types(module)
    nulls, pointers = {}, []
    for i in module.find('Variable'):
        pointee = types.types[i.operands[0]][2]
        leaves = types.leaves(pointee)
        if i.operands[2] not in (FUNCTION, PRIVATE) or len(i.operands) > 3 or leaves is None:
            continue
        if types.types[pointee][0] == 'TypePointer':
            pointers.append(i)
            continue
        if all(scalar != 'pointer' for _, _, scalar in leaves):
            i.operands.append(nulls.setdefault(pointee, None) or module.new_id())
            nulls[pointee] = i.operands[-1]
    # A Private variable stands among the globals: its null must be in front of it.
    declared = {i.operands[0]: n for n, i in enumerate(module.instructions)
                if isinstance(i.op, str) and i.op.startswith('Type')}
    for pointee, number in sorted(nulls.items(), key=lambda item: -declared[item[0]]):
        module.instructions.insert(declared[pointee] + 1, Instruction('ConstantNull', pointee, number))
    if pointers:
        initialize_pointers(module, types, pointers)


def initialize_pointers(module, types, variables):
    """There is no null of a pointer, but it can be made of zeros."""
    uint = types.declare('TypeInt', 32, 0)
    uint2 = types.declare('TypeVector', uint, 2)
    zeros = module.new_id()
    module.add_global(Instruction('ConstantNull', uint2, zeros))
    result, waiting = [], []
    for i in module.instructions:
        if waiting and i.op not in ('Variable', 'Line', 'NoLine', 'Label') and i.op != 'ExtInst':
            for variable in waiting:
                null, pointee = module.new_id(), types.types[variable.operands[0]][2]
                result += [Instruction('Bitcast', pointee, null, zeros), Instruction('Store', variable.operands[1], null)]
            waiting = []
        if i in variables:
            waiting.append(i)
        result.append(i)
    module.instructions = result


def name_once(module):
    """Each local of a function, and each global of an invocation, gets a name that nothing else has."""
    debug = module.debug_set()
    taken = set()
    strings = {i.operands[0]: words_text(i.operands[1:]) for i in module.find('String')}
    locals_ = {i.operands[1] for i in module.find('Variable') if i.operands[2] in (FUNCTION, PRIVATE)}
    locals_ |= {i.operands[1] for i in module.find('FunctionParameter')}

    def unique(name):
        candidate, n = name, 1
        while candidate in taken:
            n += 1
            candidate = f'{name}_{n}'
        taken.add(candidate)
        return candidate

    for i in module.find('Name'):
        if i.operands[0] not in locals_:
            taken.add(words_text(i.operands[1:]))
    if debug:
        for i in list(module.instructions):
            if i.op == 'ExtInst' and i.operands[2] == debug and i.operands[3] == DEBUG_LOCAL_VARIABLE:
                name = strings[i.operands[4]]
                new = unique(name)
                if new != name:
                    number = module.new_id()
                    module.insert_before_first({'String'}, Instruction('String', number, *text_words(new)))
                    i.operands[4] = number
    else:
        for i in module.find('Name'):
            if i.operands[0] in locals_:
                i.operands[1:] = text_words(unique(words_text(i.operands[1:])))


def plain_names(module):
    """With OpName alone: declared at the line of the first store, if any; what glslang makes for calls is left out."""
    names = {i.operands[0]: words_text(i.operands[1:]) for i in module.find('Name')}
    lines, line = {}, 0
    for i in module.instructions:
        if i.op == 'Line':
            line = i.operands[1]
        elif i.op == 'Store':
            lines.setdefault(i.operands[0], line)
    return {number: (name, None, lines.get(number, 0)) for number, name in names.items()
            if name and not re.match(r'param(_\d+)?$', name)}


def local_names(module):
    """Name, scope and line by the id of the variable or parameter."""
    debug = module.debug_set()
    if not debug:
        return plain_names(module), {}
    strings = {i.operands[0]: words_text(i.operands[1:]) for i in module.find('String')}
    constants = {i.operands[1]: i.operands[2] for i in module.find('Constant')}
    variables, parents, names = {}, {}, {}
    for i in module.find('ExtInst'):
        if i.operands[2] != debug:
            continue
        result, number, operands = i.operands[1], i.operands[3], i.operands[4:]
        if number == DEBUG_LOCAL_VARIABLE:
            variables[result] = (strings[operands[0]], operands[5], constants[operands[3]])
        elif number == DEBUG_LEXICAL_BLOCK:
            parents[result] = operands[3]
        elif number == DEBUG_FUNCTION:
            parents[result] = operands[5]
        elif number == DEBUG_DECLARE:
            names[operands[1]] = variables[operands[0]]
    return names, parents


class Tracer:
    def __init__(self, module):
        self.module = module
        self.types = Types(module)
        self.debug = module.debug_set()
        self.names, self.parents = local_names(module)
        self.points, self.variables, self.blocks = [], [], []
        self.uint = self.types.declare('TypeInt', 32, 0)
        self.void = self.types.declare('TypeVoid')
        self.bool = self.types.declare('TypeBool')
        self.pointers = {i.operands[1]: i.operands[0] for i in module.find('Variable')}
        self.one, self.zero = self.types.constant(1), self.types.constant(0)

    def lines(self):
        """Whether only the debug set's lines count."""
        return any(self.is_debug(i, DEBUG_LINE) for i in self.module.instructions)

    def is_debug(self, i, number):
        return i.op == 'ExtInst' and i.operands[2] == self.debug and i.operands[3] == number

    # ---- what the shader gets ----

    def builtin(self, which, type_id):
        for i in self.module.find('Decorate'):
            if i.operands[1:] == [BUILTIN, which] and i.operands[0] in self.pointers:
                return i.operands[0]
        pointer = self.types.declare('TypePointer', INPUT, type_id)
        variable = self.module.new_id()
        self.module.add_global(Instruction('Variable', pointer, variable, INPUT))
        self.decorate(variable, BUILTIN, which)
        self.interface.append(variable)
        return variable

    def decorate(self, target, *operands):
        at = next(n for n, i in enumerate(self.module.instructions)
                  if isinstance(i.op, str) and i.op.startswith('Type'))
        self.module.instructions.insert(at, Instruction('Decorate', target, *operands))

    def declare(self):
        module, types = self.module, self.types
        self.interface = []
        array, block, self.buffer = module.new_id(), module.new_id(), module.new_id()
        pointer, self.pointer_uint = module.new_id(), types.declare('TypePointer', STORAGE_BUFFER, self.uint)
        self.private = types.declare('TypePointer', PRIVATE, self.uint)
        self.cursor, self.step, self.end, self.chain = (module.new_id() for _ in range(4))
        module.add_global(
            Instruction('TypeRuntimeArray', array, self.uint), Instruction('TypeStruct', block, array),
            Instruction('TypePointer', pointer, STORAGE_BUFFER, block),
            Instruction('Variable', pointer, self.buffer, STORAGE_BUFFER),
            *[Instruction('Variable', self.private, v, PRIVATE) for v in (self.cursor, self.step, self.end, self.chain)])
        self.decorate(array, ARRAY_STRIDE, 4)
        self.decorate(block, BLOCK)
        self.decorate(self.buffer, SET_DECORATION, 0)
        self.decorate(self.buffer, BINDING_DECORATION, BINDING)
        at = next(n for n, i in enumerate(module.instructions) if isinstance(i.op, str) and i.op.startswith('Type'))
        module.instructions.insert(at, Instruction('MemberDecorate', block, 0, OFFSET, 0))
        self.interface += [self.buffer, self.cursor, self.step, self.end, self.chain]
        uint3 = types.declare('TypeVector', self.uint, 3)
        self.index = self.builtin(LOCAL_INVOCATION_INDEX, self.uint)
        self.group = self.builtin(WORKGROUP_ID, uint3)
        self.uint2, self.uint3 = types.declare('TypeVector', self.uint, 2), uint3
        scalars = {leaf[2] for v in self.variables for leaf in v['leaves']}
        if 'f16' in scalars:
            if not any(i.operands[0] == INT16 for i in module.find('Capability')):
                module.instructions.insert(0, Instruction('Capability', INT16))
            self.ushort = types.declare('TypeInt', 16, 0)
        for lane in range(len(LANES) + 1):
            types.constant(lane * REGION)
            types.constant(lane * REGION + REGION - 1)
        for number in [31, *LANES, *(i.offset for i in module.find('FunctionCall'))]:
            types.constant(number)
        for n in range(len(self.points) + 1):
            types.constant(n)
        for entry in module.find('EntryPoint'):
            entry.operands += self.interface
            self.entry = entry.operands[1]
        self.put = module.new_id()
        put_type = types.declare('TypeFunction', self.void, self.uint)
        module.instructions += self.put_function(put_type)

    def put_function(self, put_type):
        """Writes its argument at the cursor and moves it on, up to the end."""
        new = self.module.new_id
        value, at, place, step, moved, end, fits, kept = (new() for _ in range(8))
        return [
            Instruction('Function', self.void, self.put, 0, put_type),
            Instruction('FunctionParameter', self.uint, value), Instruction('Label', new()),
            Instruction('Load', self.uint, at, self.cursor),
            Instruction('AccessChain', self.pointer_uint, place, self.buffer, self.zero, at),
            Instruction('Store', place, value), Instruction('Load', self.uint, step, self.step),
            Instruction('IAdd', self.uint, moved, at, step), Instruction('Load', self.uint, end, self.end),
            Instruction('ULessThan', self.bool, fits, moved, end),
            Instruction('Select', self.uint, kept, fits, moved, end), Instruction('Store', self.cursor, kept),
            Instruction('Return'), Instruction('FunctionEnd'),
        ]

    def prologue(self):
        """Of the entry point: lanes that are not traced write to a word that nobody reads."""
        new, constant = self.module.new_id, self.types.constant
        index, group = new(), new()
        code = [Instruction('Load', self.uint, index, self.index), Instruction('Load', self.uint3, group, self.group)]
        cursor, end, step = (constant(len(LANES) * REGION), constant(len(LANES) * REGION + REGION - 1), self.zero)
        first = None
        for axis in range(3):
            part, is_zero = new(), new()
            code += [Instruction('CompositeExtract', self.uint, part, group, axis),
                     Instruction('IEqual', self.bool, is_zero, part, self.zero)]
            if first is None:
                first = is_zero
            else:
                both = new()
                code.append(Instruction('LogicalAnd', self.bool, both, first, is_zero))
                first = both
        for n, lane in enumerate(LANES):
            same, chosen = new(), new()
            code += [Instruction('IEqual', self.bool, same, index, constant(lane)),
                     Instruction('LogicalAnd', self.bool, chosen, same, first)]
            values = []
            for old, mine in ((cursor, n * REGION), (end, n * REGION + REGION - 1), (step, 1)):
                values.append(new())
                code.append(Instruction('Select', self.uint, values[-1], chosen, constant(mine), old))
            cursor, end, step = values
        return code + [Instruction('Store', self.cursor, cursor), Instruction('Store', self.end, end),
                       Instruction('Store', self.step, step), Instruction('Store', self.chain, self.zero)]

    def put_words(self, value, type_id, indices, scalar, code):
        new = self.module.new_id
        leaf_type = type_id
        for index in indices:
            kind, *rest = self.types.types[leaf_type]
            leaf_type = rest[index] if kind == 'TypeStruct' else rest[0]
        leaf = value
        if indices:
            leaf = new()
            code.append(Instruction('CompositeExtract', leaf_type, leaf, value, *indices))
        words = []

        def convert(op, to, *operands):
            result = new()
            code.append(Instruction(op, to, result, *operands))
            return result

        if scalar == 'bool':
            words = [convert('Select', self.uint, leaf, self.one, self.zero)]
        elif scalar == 'u32':
            words = [leaf]
        elif scalar in ('i32', 'f32'):
            words = [convert('Bitcast', self.uint, leaf)]
        elif scalar == 'f16':
            words = [convert('UConvert', self.uint, convert('Bitcast', self.ushort, leaf))]
        elif scalar in ('u8', 'i8', 'u16', 'i16'):
            words = [convert('UConvert', self.uint, leaf)]
        else:
            pair = convert('Bitcast', self.uint2, leaf)
            words = [convert('CompositeExtract', self.uint, pair, n) for n in range(2)]
        for word in words:
            convert('FunctionCall', self.void, self.put, word)

    def trace(self, point):
        """The code of one trace point."""
        new, code = self.module.new_id, []
        chain = new()
        code += [Instruction('FunctionCall', self.void, new(), self.put, self.types.constant(point + 1)),
                 Instruction('Load', self.uint, chain, self.chain),
                 Instruction('FunctionCall', self.void, new(), self.put, chain)]
        for number in self.points[point]['variables']:
            variable = self.variables[number]
            value = variable['id']
            if variable['pointer']:
                value = new()
                code.append(Instruction('Load', variable['type'], value, variable['id']))
            for _, indices, scalar in variable['leaves']:
                self.put_words(value, variable['type'], indices, scalar, code)
        return code

    def call(self, instruction):
        """A call of the module's own, with the chain of calls kept."""
        old, times, new = (self.module.new_id() for _ in range(3))
        return [Instruction('Load', self.uint, old, self.chain),
                Instruction('IMul', self.uint, times, old, self.types.constant(31)),
                Instruction('IAdd', self.uint, new, times, self.types.constant(instruction.offset)),
                Instruction('Store', self.chain, new), instruction, Instruction('Store', self.chain, old)]

    # ---- what is traced where ----

    def add_variable(self, number, type_id, function):
        if number not in self.names:
            return None
        kind, *rest = self.types.types[type_id]
        is_pointer = kind == 'TypePointer' and rest[0] in (FUNCTION, PRIVATE)
        pointee = rest[1] if is_pointer else type_id
        leaves = self.types.leaves(pointee)
        if not leaves or (kind == 'TypePointer' and not is_pointer and rest[0] != PHYSICAL):
            return None
        name, scope, line = self.names[number]
        self.variables.append({'id': number, 'name': name, 'scope': scope, 'line': line, 'pointer': is_pointer, 'type': pointee,
                               'leaves': leaves, 'function': function})
        return len(self.variables) - 1

    def find_points(self):
        """Pairs of an index into the instructions and a point, in order."""
        places, debug_lines = [], self.lines()
        function = scope = line = merge = None
        pending, locals_ = False, []
        privates = [n for i in self.module.find('Variable') if i.operands[2] == PRIVATE
                    for n in [self.add_variable(i.operands[1], i.operands[0], None)] if n is not None]
        for n, i in enumerate(self.module.instructions):
            if i.op == 'Function':
                function, locals_ = i.operands[1], []
            elif i.op == 'FunctionEnd':
                function = None
            elif i.op in ('FunctionParameter', 'Variable') and function:
                variable = self.add_variable(i.operands[1], i.operands[0], function)
                if variable is not None:
                    locals_.append(variable)
            elif i.op == 'Label':
                pending, scope = True, None
                self.blocks.append(i.offset)
            elif self.is_debug(i, DEBUG_SCOPE):
                scope = i.operands[4]
            elif self.is_debug(i, DEBUG_NO_SCOPE):
                scope = None
            if not function:
                continue
            if self.is_debug(i, DEBUG_LINE) or (i.op == 'Line' and not debug_lines):
                line = tuple(i.operands[4:6]) if i.op == 'ExtInst' else tuple(i.operands[:2])
                pending = True
            elif i.op in ('LoopMerge', 'SelectionMerge'):
                merge = n
            elif i.op not in NO_CODE and i.op not in ('Function', 'FunctionParameter') and \
                    not (i.op == 'ExtInst' and i.operands[2] == self.debug):
                if pending:
                    places.append((merge if merge is not None else n, len(self.points)))
                    self.points.append({'offset': i.offset, 'line': line, 'scope': scope,
                                        'variables': privates + locals_})
                pending, merge = i.op in CHANGES or (isinstance(i.op, int) and 227 <= i.op <= 242), None
        return places

    def line_number(self, line):
        """DebugLine names a constant."""
        if line is None:
            return 0
        return self.types.constants[line[1]][1] if self.lines() else line[1]

    def in_scope(self, variable, scope, line):
        """Behind the line of its declaration, in its block; with OpName alone, in the function."""
        if line <= variable['line']:
            return False
        if variable['scope'] is None:
            return True
        while scope is not None:
            if scope == variable['scope']:
                return True
            scope = self.parents.get(scope)
        return False

    def run(self):
        places = self.find_points()
        self.before = liveness.before(self.module)
        self.live = liveness.ranges(self.module, {v['id'] for v in self.variables})
        old = list(self.module.instructions)
        marks = {id(old[n]): point for n, point in places}
        self.declare()
        result, entered, in_entry = [], False, False
        for i in self.module.instructions:
            if i.op == 'Function' and i.operands[1] == self.entry:
                in_entry = True
            if in_entry and not entered and i.op not in ('Function', 'Label', 'Variable', 'Line', 'NoLine') and \
                    not (i.op == 'ExtInst' and i.operands[2] == self.debug):
                result += self.prologue()
                entered = True
            if id(i) in marks:
                result += self.trace(marks[id(i)])
            result += self.call(i) if i.op == 'FunctionCall' and i.offset else [i]
        self.module.instructions = result

    def description(self):
        points = []
        for point in self.points:
            line = self.line_number(point['line'])
            visible = [v for v in point['variables'] if self.in_scope(self.variables[v], point['scope'], line)]
            points.append({'offset': point['offset'], 'line': line,
                           'variables': point['variables'], 'in_scope': visible})
        variables = [{'name': v['name'], 'line': v['line'], 'live': self.live[v['id']], 'leaves': [(path, scalar) for path, _, scalar in v['leaves']],
                      'whole': not self.is_cut(v['type'])} for v in self.variables]
        return {'lanes': LANES, 'region': REGION, 'points': points, 'variables': variables, 'blocks': self.blocks,
                'before': self.before}

    def is_cut(self, type_id):
        """Whether leaves() leaves out elements."""
        kind, *rest = self.types.types[type_id]
        if kind == 'TypeArray':
            return self.types.length(type_id) > MAX_ELEMENTS or self.is_cut(rest[0])
        return kind == 'TypeStruct' and any(self.is_cut(member) for member in rest)


def main():
    source, subject, traced, points, *bindings = sys.argv[1:]
    with open(source, 'rb') as file:
        module = Module(file.read())
    rebind(module, {int(old): int(new) for old, new in zip(bindings[::2], bindings[1::2])})
    initialize_variables(module)
    name_once(module)
    module.number()
    with open(subject, 'wb') as file:
        file.write(module.data())
    tracer = Tracer(module)
    tracer.run()
    with open(traced, 'wb') as file:
        file.write(module.data())
    with open(points, 'w') as file:
        json.dump(tracer.description(), file)


main()
