# SPDX-License-Identifier: MIT
"""Random access to images and texel buffers, in formats and at coordinates for which there is one right value."""
from collections import namedtuple

from . import glsl
from .expressions import Expressions
from .formats import ATOMIC, SAMPLED, STORAGE
from .glsl import UINT, vector
from .tree import Expr, Stmt

ROOM = 1 << 15  # bytes of one of them
TEXTURE, IMAGE, TEXTURE_BUFFER, IMAGE_BUFFER = 1, 3, 4, 5  # VkDescriptorType

ORDERLESS = ['Add', 'And', 'Or', 'Xor', 'Min', 'Max']

# `number` is VkImageViewType; `dimensions` those of coordinates, of which the last counts layers in arrays.
Shape = namedtuple('Shape', 'name number dimensions layered', defaults=[False])
SHAPES = [Shape('1D', 0, 1), Shape('2D', 1, 2), Shape('3D', 2, 3), Shape('1DArray', 4, 2, True),
          Shape('2DArray', 5, 3, True), Shape('2D', 1, 2)]
CUBE = Shape('Cube', 3, 3, True)  # written and read by face
BUFFER = Shape('Buffer', 0, 1)


class Image:
    """`use`: 'read' at random, 'own' texel of each invocation, 'atomic' with one operation, 'sample'."""

    def __init__(self, name, format_, shape, use, size, levels, operation):
        self.name, self.format, self.shape, self.use = name, format_, shape, use
        self.size, self.levels, self.operation = size, levels, operation
        self.type = vector(format_.base, 4)
        self.written = use in ('own', 'atomic')


def uints(values):
    texts = [f'{value:#x}u' if value > 1000 else f'{value}u' for value in values]
    return texts[0] if len(texts) == 1 else f'uvec{len(texts)}({", ".join(texts)})'


class Images(Expressions):

    def __init__(self, dice):
        super().__init__(dice)
        self.images = []

    # ---- declarations

    def make_images(self):
        if self.dice.chance(55):
            for _ in range(self.dice.choice([1, 1, 2, 3, 4])):
                self.make_image()
        if any(image.use == 'own' for image in self.images):
            grid = self.grid
            self.shader.head.insert(0, 'uint own() {\n   return ((gl_WorkGroupID.z * '
                                    f'{grid[1]}u + gl_WorkGroupID.y) * {grid[0]}u + gl_WorkGroupID.x) * '
                                    f'{self.local_count}u + gl_LocalInvocationIndex;\n}}')

    def make_image(self):
        dice = self.dice
        use = dice.choice(['read', 'own', 'atomic', 'sample', 'sample'])
        format_ = dice.choice({'sample': SAMPLED, 'atomic': ATOMIC}.get(use, STORAGE))
        if use == 'own':
            format_ = dice.choice([format_, dice.choice(ATOMIC)])
        shape = BUFFER if dice.chance(25) and format_ in STORAGE else \
            dice.choice(SHAPES + ([CUBE] if use != 'sample' else []))
        levels = dice.between(2, 3) if use == 'sample' and shape is not BUFFER and dice.chance(40) else 1
        size = self.pick_size(shape, use, ROOM // format_.texel // (2 if levels > 1 else 1), levels)
        number = len(self.images)
        image = Image(f't{number}', format_, shape, use, size, levels, dice.choice(ORDERLESS))
        self.images.append(image)
        self.declare(image, number + 1)

    def pick_size(self, shape, use, room, levels):
        """In texels. An own one for each invocation; of more than one level, powers of two (see normalized)."""
        dice = self.dice
        if use == 'own':
            if shape.dimensions == 1:
                return [self.count + dice.below(5)]
            if shape is CUBE:
                edge = 1
                while edge * edge * 6 < self.count:
                    edge += 1
                return [edge, edge, 6]
            size = [dice.choice([1, 3, 8, 9, 16]), dice.choice([1, 2, 5, 8])][:shape.dimensions - 1]
            plane = size[0] * (size[1] if len(size) > 1 else 1)
            return [*size, -(-self.count // plane)]
        while True:
            choices = [4, 8, 16, 32] if levels > 1 else [1, 2, 3, 5, 8, 13, 16, 30]
            size = [dice.choice(choices) for _ in range(shape.dimensions)]
            if shape.layered:
                size[-1] = dice.between(1, 6)
            if shape is CUBE:
                size[1:] = [size[0], 6]
            count = 1
            for edge in size:
                count *= edge
            if count <= room:
                return size

    def declare(self, image, binding):
        """Together with the note, so that neither is there without the other."""
        shape, format_ = image.shape, image.format
        letter = {'uint': 'u', 'int': 'i', 'float': ''}[format_.base]
        if image.use == 'sample':
            type_ = TEXTURE_BUFFER if shape is BUFFER else TEXTURE
            declaration = f'layout(set = 1, binding = {binding}) uniform {letter}sampler{shape.name} {image.name};'
        else:
            type_ = IMAGE_BUFFER if shape is BUFFER else IMAGE
            access = 'readonly ' if image.use == 'read' else self.dice.choice(['', 'coherent ', 'restrict '])
            declaration = f'layout(set = 1, binding = {binding}, {format_.name}) uniform {access}{letter}image' \
                          f'{shape.name} {image.name};'
        edges, layers = list(image.size), 1
        if shape.layered:
            layers = edges.pop()
        edges += [1] * (3 - len(edges))
        note = [binding, type_, shape.number, format_.number, format_.texel, *edges, layers, image.levels,
                self.dice.below(4), format_.mask]
        self.shader.head.append(f'//! resource {" ".join(str(number) for number in note)}\n{declaration}')

    # ---- values

    def texel(self, type_, depth, clean):
        """Components of a texel, or something about the size."""
        images = [image for image in self.images if image.use != 'atomic' and image.format.base == type_.base and
                  not (clean and image.use == 'own')]
        if type_.base == 'int' and self.images and (not images or self.dice.chance(15)):
            return self.image_size(type_)
        if not images:
            return None
        swizzle = ''.join(self.dice.choice('xyzw') for _ in range(type_.rows))
        expr = Expr(type_, f'{{0}}.{swizzle}', self.load(self.dice.choice(images), depth, clean))
        if type_.is_float:
            return self.known(type_, expr.form, *expr.kids, clean=False)
        return expr

    def load(self, image, depth, clean=False):
        if image.use == 'own':
            load = Expr(image.type, f'imageLoad({image.name}, {self.own(image)})', clean=False)
        elif image.use == 'read':
            load = Expr(image.type, f'imageLoad({image.name}, {self.anywhere(image.size)})',
                        self.coordinates(image, depth, clean))
        else:
            load = self.sample(image, depth, clean)
        return self.decode(image, load)

    def image_size(self, type_):
        image = self.dice.choice(self.images)
        if image.use == 'sample' and image.shape is not BUFFER:
            if self.dice.chance(20):
                return Expr(type_, f'{type_}(textureQueryLevels({image.name}))', clean=True)
            form = f'textureSize({image.name}, {self.dice.below(image.levels)})'
        else:
            form = f'{"texture" if image.use == "sample" else "image"}Size({image.name})'
        rows = 2 if image.shape is CUBE else image.shape.dimensions
        if rows < type_.rows:
            form, rows = f'ivec4({form}{", 7" * (4 - rows)})', 4
        return Expr(type_, form if rows == type_.rows else f'({form}).{"xyzw"[:type_.rows]}', clean=True)

    def decode(self, image, load):
        """To integers, or floats that variables may have."""
        format_ = image.format
        if format_.kind == 'int':
            return load
        if format_.kind == 'norm':  # through int: no negative zeros
            form = f'vec4(ivec4(roundEven({{0}} * vec4({format_.scales()}))))'
            return self.fit(Expr(image.type, form, load, most=65536.0))
        return self.fit(load) if format_.finite else self.tame(load)

    def coordinates(self, image, depth, clean):
        return self.expr(vector('uint', image.shape.dimensions), min(depth, 2), clean)

    @staticmethod
    def anywhere(size):
        """Of numbers, coordinates inside."""
        return f'{vector("int", len(size))}({{0}} % {uints(size)})'

    @staticmethod
    def own(image):
        size = image.size
        parts = [f'int(own() % {size[0]}u)'] if len(size) > 1 else ['int(own())']
        if len(size) == 3:
            parts.append(f'int(own() / {size[0]}u % {size[1]}u)')
        if len(size) > 1:
            parts.append(f'int(own() / {size[0] * (size[1] if len(size) == 3 else 1)}u)')
        return f'ivec{len(size)}({", ".join(parts)})' if len(size) > 1 else parts[0]

    # ---- textures

    def sample(self, image, depth, clean):
        """By coordinates that are far from where the next texel would be as right."""
        dice, name, shape = self.dice, image.name, image.shape
        kid = self.coordinates(image, depth, clean)
        if shape is BUFFER:
            return Expr(image.type, f'texelFetch({name}, {self.anywhere(image.size)})', kid)
        kind = dice.below(6)
        if kind < 2:
            level = dice.below(image.levels)
            size = [max(1, edge >> level) for edge in image.size]
            if shape.layered:
                size[-1] = image.size[-1]
            return Expr(image.type, f'texelFetch({name}, {self.anywhere(size)}, {level})', kid)
        edges = image.size[:-1] if shape.layered else image.size
        offset = ''
        if dice.chance(40):
            numbers = ', '.join(str(dice.between(-8, 7)) for _ in edges)
            offset = f', ivec{len(edges)}({numbers})' if len(edges) > 1 else f', {numbers}'
        where = self.normalized(image, edges, '0.75' if kind == 5 else dice.choice(['0.5', '0.5', '0.375']))
        if kind == 5 and len(edges) == 2:
            return Expr(image.type, f'textureGather{"Offset" if offset else ""}({name}, {where}{offset}, '
                                    f'{dice.below(4)})', kid)
        if image.levels > 1 and not dice.chance(30):
            level = Expr(UINT, 'gl_LocalInvocationIndex') if dice.chance(30) else self.expr(UINT, 1, clean)
            return Expr(image.type, f'textureLod{"Offset" if offset else ""}({name}, {where}, '
                                    f'float({{1}} % {image.levels + 1}u){offset})', kid, level)
        return Expr(image.type, f'textureLod{"Offset" if offset else ""}({name}, {where}, 0.0{offset})', kid)

    @staticmethod
    def normalized(image, edges, fraction):
        """Up to one width outside on each side. What lies between texels of the first level does so, where sizes are
        powers of two, on the others, too."""
        def take(values):
            return values[0] if len(values) == 1 else f'vec{len(values)}({", ".join(values)})'
        wide = [edge * 3 for edge in edges]
        numbers = f'vec{len(edges)}' if len(edges) > 1 else 'float'
        letters = 'xyz'[:len(edges)] if image.shape.layered else ''
        source = f'({{0}}).{letters}' if letters else '{0}'
        size = take([f'{edge}.0' for edge in edges])
        where = f'({numbers}({source} % {uints(wide)}) - {size} + {fraction}) / {size}'
        if image.shape.layered:
            last = 'xyzw'[len(edges)]
            return f'vec{len(edges) + 1}({where}, float(({{0}}).{last} % {image.size[-1]}u))'
        return where

    # ---- statements

    def image_statement(self, depth, images=None):
        images = images or [image for image in self.images if image.written]
        if not images:
            return None
        image = self.dice.choice(images)
        if image.use == 'atomic':
            return Stmt(f'imageAtomic{image.operation}({image.name}, {self.anywhere(image.size)}, {{1}});',
                        self.coordinates(image, 2, False), self.expr(glsl.scalar(image.format.base), 2))
        if image.format.name in ('r32ui', 'r32i', 'r32f') and self.dice.chance(50):
            stmt = self.own_image_atomic(image)
            if stmt:
                return stmt
        return Stmt(f'imageStore({image.name}, {self.own(image)}, {{0}});', self.encode(image))

    def own_image_atomic(self, image):
        type_ = glsl.scalar(image.format.base)
        target = self.place(type_, writable=True)
        if not target or target.clean:
            return None
        where = f'{image.name}, {self.own(image)}'
        if type_.is_float:
            self.tame(self.value(type_, 0))  # for its helper
            return Stmt(f'{{0}} = tame(imageAtomicExchange({where}, {{1}}));', target, self.value(type_, 2))
        name = self.dice.choice(ORDERLESS + ['Exchange', 'CompSwap'])
        more = [self.expr(type_, 2)] if name == 'CompSwap' else []
        return Stmt(f'{{0}} = imageAtomic{name}({where}, {", ".join(["{1}", "{2}"][:1 + len(more)])});', target,
                    self.expr(type_, 2), *more)

    def encode(self, image):
        """A value that the format has."""
        format_ = image.format
        if format_.kind == 'float':
            return self.value(image.type, 3)
        value = self.expr(vector('int' if format_.signed else 'uint', 4), 3)
        form = f'bitfieldExtract({{0}}, 0, {format_.bits[0]})' if format_.signed else \
            f'({{0}} & {uints([(1 << count) - 1 for count in format_.four()])})'
        return Expr(image.type, form if format_.kind == 'int' else f'(vec4({form}) / vec4({format_.scales()}))', value)
