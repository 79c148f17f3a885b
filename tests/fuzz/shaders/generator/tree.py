# SPDX-License-Identifier: MIT
"""Shaders as trees that can be printed, and cut smaller by the reducer without knowing what they mean."""


class Expr:
    """`form` is text with {0}, {1}, ... for the kids. `most` and `grain` bound a float's value (glsl.Float). `clean`: no
    float decides it. `tame`: a float's value that a variable may have. `constant`: made of literals and specialization
    constants alone."""

    __slots__ = ('type', 'form', 'kids', 'most', 'grain', 'clean', 'tame', 'constant')

    def __init__(self, type_, form, *kids, most=0.0, grain=0, clean=None, tame=None, constant=None):
        self.type, self.form, self.kids = type_, form, list(kids)
        self.most, self.grain = most, grain
        self.clean = all(kid.clean for kid in kids) and not (type_.base and type_.is_float) if clean is None else clean
        self.tame = not (type_.base and type_.is_float) if tame is None else tame
        self.constant = bool(kids) and all(kid.constant for kid in kids) if constant is None else constant

    def text(self):
        return self.form.format(*(kid.text() for kid in self.kids)) if self.kids else self.form


class Stmt:
    """`form` has a line each, with {0}, ... for expressions; a line `@0` stands for the block 0.  `keep`: not to be cut out."""

    __slots__ = ('form', 'exprs', 'blocks', 'keep')

    def __init__(self, form, *exprs, blocks=(), keep=False):
        self.form, self.exprs, self.blocks, self.keep = form, list(exprs), [list(block) for block in blocks], keep

    def lines(self, indent):
        for line in self.form.split('\n'):
            if line.startswith('@'):
                for stmt in self.blocks[int(line[1:])]:
                    yield from stmt.lines(indent + '   ')
            else:
                yield indent + line.format(*(expr.text() for expr in self.exprs))


class Function:
    """Text or statements between two braces."""

    __slots__ = ('head', 'body')

    def __init__(self, head, body=None):
        self.head, self.body = head, body  # a helper is all head

    def text(self):
        if self.body is None:
            return self.head
        lines = [line for stmt in self.body for line in stmt.lines('   ')]
        return '\n'.join([self.head, '{', *lines, '}', ''])


class Shader:
    def __init__(self):
        self.notes = []  # lines for the runner, without '//! '
        self.size = ''  # of the workgroup; indices depend on it
        self.head = []  # declarations: text, each may be cut
        self.functions = []
        self.main = []

    def text(self):
        functions = [*self.functions, Function('void main()', self.main)]
        return '\n'.join(['#version 460', *EXTENSIONS, *(f'//! {note}' for note in self.notes), '',
                          self.size, *self.head, '', *(function.text() for function in functions)])


EXTENSIONS = [f'#extension GL_EXT_{name} : require' for name in (
    'shader_explicit_arithmetic_types', 'shader_8bit_storage', 'shader_16bit_storage', 'scalar_block_layout',
    'shader_atomic_int64', 'shader_atomic_float', 'shader_atomic_float2', 'buffer_reference',
    'shader_subgroup_extended_types_int8', 'shader_subgroup_extended_types_int16',
    'shader_subgroup_extended_types_int64', 'shader_subgroup_extended_types_float16')] + [
    f'#extension GL_KHR_shader_subgroup_{name} : require' for name in (
        'basic', 'vote', 'ballot', 'arithmetic', 'clustered', 'shuffle')]
