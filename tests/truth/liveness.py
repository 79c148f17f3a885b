# SPDX-License-Identifier: MIT
"""The flow of control in a module's functions: where variables are live (read later, on some way, before they are
written as a whole), and which blocks are on all ways to another one."""

CHAINS = {'AccessChain', 66, 83}  # OpInBoundsAccessChain, OpCopyObject
TERMINATORS = {'Branch', 'BranchConditional', 'Switch', 'Kill', 'Return', 'ReturnValue', 'Unreachable'}
DEBUG_ONLY = {'Name', 'Line', 'NoLine', 'Variable', 'FunctionParameter'}


def successors(terminator):
    operands = terminator.operands
    if terminator.op == 'Branch':
        return [operands[0]]
    if terminator.op == 'BranchConditional':
        return operands[1:3]
    if terminator.op == 'Switch':
        return [operands[1], *operands[3::2]]  # 32-bit selectors
    return []


def effects(instruction, base, variables, debug):
    """What an instruction reads of the variables, and what it writes as a whole."""
    if instruction.op in DEBUG_ONLY or (instruction.op == 'ExtInst' and instruction.operands[2] == debug):
        return set(), set()
    if instruction.op in CHAINS:
        base[instruction.operands[1]] = base.get(instruction.operands[2])
        return set(), set()
    if instruction.op == 'Store':
        pointer, value = instruction.operands[:2]
        reads = {value} & variables
        return reads, {pointer} & variables
    if instruction.op == 'CopyMemory':
        target, source = instruction.operands[:2]
        return {base.get(source)} & variables, {target} & variables
    return {base.get(operand) for operand in instruction.operands} & variables, set()


def functions(module):
    """The blocks of each function: lists of instructions that begin with OpLabel."""
    result, block = [], None
    for i in module.instructions:
        if i.op == 'Function':
            result.append([])
        elif i.op == 'Label':
            block = [i]
            result[-1].append(block)
        elif block is not None:
            block.append(i)
            if i.op in TERMINATORS:
                block = None
    return result


def before(module):
    """By offset of a block's label: the offset of the label of its immediate dominator, unless that is the header of a
    loop or there is none."""
    result = {}
    for blocks in functions(module):
        names = [b[0].operands[0] for b in blocks]
        ways = {name: [] for name in names}
        for b in blocks:
            for s in successors(b[-1]):
                ways[s].append(b[0].operands[0])
        dominators = {name: set(names) for name in names}
        dominators[names[0]] = {names[0]}
        changed = True
        while changed:
            changed = False
            for name in names[1:]:
                of_ways = [dominators[way] for way in ways[name]]
                new = {name} | (set.intersection(*of_ways) if of_ways else set())
                changed |= new != dominators[name]
                dominators[name] = new
        headers = {b[0].operands[0] for b in blocks if any(i.op == 'LoopMerge' for i in b)}
        label = {b[0].operands[0]: b[0].offset for b in blocks}
        for name in names:
            strict = dominators[name] - {name}
            nearest = max(strict, key=lambda d: len(dominators[d]), default=None)
            if nearest is not None and nearest not in headers and name not in headers:
                result[label[name]] = label[nearest]
    return result


def ranges(module, variables):
    """By variable: pairs of offsets, from the first to behind the last instruction in front of which it is live."""
    debug = module.debug_set()
    result = {variable: [] for variable in variables}
    blocks = [block for function in functions(module) for block in function]
    base = {variable: variable for variable in variables}
    steps = {id(i): effects(i, base, variables, debug) for b in blocks for i in b}
    live_in = {b[0].operands[0]: set() for b in blocks}
    changed = True
    while changed:
        changed = False
        for b in reversed(blocks):
            live = set().union(*(live_in.get(s, set()) for s in successors(b[-1])))
            for i in reversed(b):
                reads, writes = steps[id(i)]
                live = (live - writes) | reads
            if live != live_in[b[0].operands[0]]:
                live_in[b[0].operands[0]] = live
                changed = True
    for b in blocks:
        live = set().union(*(live_in.get(s, set()) for s in successors(b[-1])))
        for i in reversed(b):
            reads, writes = steps[id(i)]
            live = (live - writes) | reads
            end = i.offset + 4 * (len(i.operands) + 1)
            for variable in live:
                pairs = result[variable]
                if pairs and pairs[-1][0] == end:
                    pairs[-1] = (i.offset, pairs[-1][1])
                else:
                    pairs.append((i.offset, end))
    return result
