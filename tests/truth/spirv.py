# SPDX-License-Identifier: MIT
"""SPIR-V modules as lists of instructions, as far as a rewriting pass needs them (SPIR-V specification, 1.6)."""
import struct

MAGIC = 0x07230203

NAMES = {
    0: 'Nop', 1: 'Undef', 5: 'Name', 7: 'String', 8: 'Line', 11: 'ExtInstImport', 12: 'ExtInst', 15: 'EntryPoint',
    17: 'Capability', 19: 'TypeVoid', 20: 'TypeBool', 21: 'TypeInt', 22: 'TypeFloat', 23: 'TypeVector', 25: 'TypeImage',
    26: 'TypeSampler', 27: 'TypeSampledImage', 4472: 'TypeRayQueryKHR', 5341: 'TypeAccelerationStructureKHR',
    24: 'TypeMatrix', 28: 'TypeArray', 29: 'TypeRuntimeArray', 30: 'TypeStruct', 32: 'TypePointer',
    33: 'TypeFunction', 43: 'Constant', 46: 'ConstantNull', 54: 'Function', 55: 'FunctionParameter',
    56: 'FunctionEnd', 57: 'FunctionCall', 59: 'Variable', 61: 'Load', 62: 'Store', 63: 'CopyMemory',
    64: 'CopyMemorySized', 65: 'AccessChain', 71: 'Decorate', 72: 'MemberDecorate', 81: 'CompositeExtract',
    113: 'UConvert', 124: 'Bitcast', 128: 'IAdd', 169: 'Select', 170: 'IEqual', 176: 'ULessThan', 167: 'LogicalAnd',
    132: 'IMul', 245: 'Phi', 246: 'LoopMerge', 247: 'SelectionMerge', 248: 'Label', 249: 'Branch', 250: 'BranchConditional',
    251: 'Switch', 252: 'Kill', 253: 'Return', 254: 'ReturnValue', 255: 'Unreachable', 317: 'NoLine',
}
OPS = {name: number for number, name in NAMES.items()}

FUNCTION, PRIVATE, INPUT, STORAGE_BUFFER, PHYSICAL = 7, 6, 1, 12, 5349


class Instruction:
    def __init__(self, op, *operands, offset=0):
        self.op = NAMES.get(op, op) if isinstance(op, int) else op
        self.operands = list(operands)
        self.offset = offset  # bytes from the module's start; 0: made by us

    def words(self):
        number = OPS.get(self.op, self.op)
        return [len(self.operands) + 1 << 16 | number, *self.operands]


def text_words(text):
    data = text.encode() + b'\0'
    data += b'\0' * (-len(data) % 4)
    return list(struct.unpack(f'<{len(data) // 4}I', data))


def words_text(words):
    return struct.pack(f'<{len(words)}I', *words).split(b'\0')[0].decode()


class Module:
    def __init__(self, data):
        words = struct.unpack(f'<{len(data) // 4}I', data)
        if words[0] != MAGIC:
            raise ValueError('no SPIR-V')
        self.header = list(words[:5])
        self.instructions = []
        i = 5
        while i < len(words):
            count = words[i] >> 16
            self.instructions.append(Instruction(words[i] & 0xffff, *words[i + 1:i + count], offset=i * 4))
            i += count

    def number(self):
        """Offsets as they are when the module is written now."""
        offset = 20
        for instruction in self.instructions:
            instruction.offset = offset
            offset += 4 * (len(instruction.operands) + 1)

    def data(self):
        words = list(self.header)
        for instruction in self.instructions:
            words += instruction.words()
        return struct.pack(f'<{len(words)}I', *words)

    def new_id(self):
        self.header[3] += 1
        return self.header[3] - 1

    def find(self, *ops):
        return [i for i in self.instructions if i.op in ops]

    def debug_set(self):
        for i in self.find('ExtInstImport'):
            if words_text(i.operands[1:]).startswith('NonSemantic.Shader.DebugInfo'):
                return i.operands[0]
        return None

    def functions_start(self):
        return next(n for n, i in enumerate(self.instructions) if i.op == 'Function')

    def add_global(self, *instructions):
        """Types, constants, variables: in front of the first function. Returns the first one's result."""
        at = self.functions_start()
        # Debug instructions of the function's own may stand right before it: they are of no matter here.
        self.instructions[at:at] = instructions

    def insert_before_first(self, ops, *instructions):
        at = next(n for n, i in enumerate(self.instructions) if i.op in ops)
        self.instructions[at:at] = instructions
