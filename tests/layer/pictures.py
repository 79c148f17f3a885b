#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a dispatch can reach, by binding and name, and its images as pixels:  pictures.py CASE PROGRAM

  stopped   at a stop: the list, and each image, level and layer, pixel by pixel
  offered   the list when hdb asks whether to attach, and the images from outside of any wave
  view      files that `view` writes, and what it says of what it can't

From meson: VK_ADD_LAYER_PATH, HDB_TEST_DRIVER (a library; may be unset), HDB."""
import base64
import os
import re
import struct
import subprocess
import sys
import zlib

from dap import Session
from harness import check, expect, on_driver, run_case, typed

# The images of pictures.c: name, width, height, depth, layers, levels.
IMAGES = {
    'albedo': (100, 60, 1, 1, 1),
    'layers': (64, 32, 1, 3, 4),
    'counts': (40, 24, 1, 1, 1),
    'volume': (20, 12, 8, 1, 1),
    'pair[0]': (33, 17, 1, 1, 1),
    'pair[1]': (200, 130, 1, 1, 1),
}
LIST = [
    (0, 0, 'image', 'albedo', 'image "albedo"', r'2D image 100x60, levels 0 to 0, 8_8_8_8_UNORM, at 0x[0-9a-f]+'),
    (1, 0, 'image', 'layers', 'image "layers"',
     r'2D array image 64x32, layers 0 to 2, levels 0 to 3, 8_8_8_8_SRGB, at 0x[0-9a-f]+; sampler, magnify linear, .*'),
    (2, 0, 'image', 'counts', 'image "counts"', r'2D image 40x24, levels 0 to 0, 16_UINT.*, at 0x[0-9a-f]+'),
    (3, 0, 'image', 'volume', 'image "volume"', r'3D image 20x12x8, levels 0 to 0, 32_FLOAT.*, at 0x[0-9a-f]+'),
    (4, 0, 'sampler', 'smoothly', None, r'sampler, magnify linear, minify linear, repeat / repeat / repeat'),
    (5, 0, 'image', 'pair', 'image "pair 0"', r'2D image 33x17, levels 0 to 0, 8_8_8_8_UNORM zyxw, at 0x[0-9a-f]+'),
    (5, 1, 'image', 'pair', 'image "pair 1"', r'2D image 200x130, levels 0 to 0, 8_8_UNORM.*, at 0x[0-9a-f]+'),
    (6, 0, 'texel buffer', 'texels', 'buffer "typed\x1b[7m"', r'texel buffer of 16 elements of 4 bytes, 8_8_8_8_UNORM, at .*'),
    (7, 0, 'buffer', 'Settings', 'buffer "typed\x1b[7m"', r'buffer of 16 bytes at 0x[0-9a-f]+'),
    (8, 0, 'buffer', 'Values', 'buffer "results"', r'buffer of 256 bytes at 0x[0-9a-f]+'),
]


def byte_at(level, layer, x, y, z, i):
    return (x * 3 + y * 5 + z * 17 + layer * 50 + level * 90 + i * 64) & 255


def clamp(value):
    return 0 if value <= 0 else 255 if value >= 1 else int(value * 255 + 0.5)


def pixel_at(name, level, layer, x, y, low=0, high=1):
    """As docs/protocol.md says what is shown."""
    z = layer if name == 'volume' else 0
    stored = [byte_at(level, 0 if z else layer, x, y, z, i) for i in range(4)]
    if name == 'volume':
        if (x, y, z) == (1, 2, 3):
            return (255, 0, 255, 255)
        grey = clamp(((x + y) / 16 - z / 8 - low) / (high - low))
        return (grey, grey, grey, 255)
    if name == 'counts':
        grey = 255 if x >= 30 else stored[0]
        return (grey, grey, grey, 255)
    if name == 'pair[0]':
        return (stored[2], stored[1], stored[0], stored[3])
    if name == 'pair[1]':
        return (stored[0], stored[1], 0, 255)
    return tuple(stored)


def check_pixels(name, level, layer, width, height, data, **span):
    check(len(data) == width * height * 4, f'{name}: {len(data)} bytes for {width}x{height}')
    for y in range(height):
        for x in range(width):
            at = 4 * (y * width + x)
            wanted = pixel_at(name, level, layer, x, y, **span)
            check(tuple(data[at:at + 4]) == wanted,
                  f'{name} level {level} layer {layer} ({x}, {y}) is {tuple(data[at:at + 4])}, not {wanted}')


def check_list(body):
    check(body['name'] == 'pictures' and body['program'] == 'pictures.comp:main', f'{body}')
    check(len(body['resources']) == len(LIST), f'{len(body["resources"])} resources')
    for found, (binding, element, kind, name, thing, description) in zip(body['resources'], LIST):
        seen = (found['binding'], found['element'], found['kind'], found['name'], found['object'])
        check(found['set'] == 0 and seen == (binding, element, kind, name, thing), f'{seen}')
        check(re.fullmatch(description, found['description']), f'{name}: {found["description"]}')
    check(base64.b64decode(body['pushConstants'])[:4] == struct.pack('<I', 64), body['pushConstants'])
    check(body['specializations'] == [{'id': 3, 'name': 'SCALE', 'size': 4, 'value': '0x3e8'}],
          f'{body["specializations"]}')


def check_images(session, **which):
    for name, (width, height, depth, layers, levels) in IMAGES.items():
        for level in range(levels):
            for layer in range(max(layers, depth)):
                body = session.request('hdb/image', image=name, level=level, layer=layer, **which)
                size = (max(width >> level, 1), max(height >> level, 1))
                check((body['width'], body['height']) == size, f'{name}: {body["width"]}x{body["height"]}')
                check_pixels(name, level, layer, *size, base64.b64decode(body['data']))


def refusal(session, **arguments):
    try:
        session.request('hdb/image', **arguments)
    except RuntimeError as error:
        return str(error)
    return 'no error'


def stopped(program):
    session = Session([program])
    try:
        session.break_at('pictures.comp', 22)
        session.go()
        stop = session.stopped()
        thread = {'threadId': stop['threadId']}
        check_list(session.request('hdb/resources', **thread))
        check_images(session, **thread)
        rows = session.request('hdb/image', image='albedo', firstRow=7, rows=2, **thread)
        whole = session.request('hdb/image', image='0.0', **thread)
        check(base64.b64decode(rows['data']) == base64.b64decode(whole['data'])[7 * 400:9 * 400], 'rows 7 and 8')
        for same in ('0.5[1]', 'pair 1'):
            check(session.request('hdb/image', image=same, **thread)['width'] == 200, same)
        span = session.request('hdb/image', image='volume', layer=2, range=[-1, 2.5], **thread)
        check_pixels('volume', 0, 2, 20, 12, base64.b64decode(span['data']), low=-1, high=2.5)
        for text, arguments in {
                'the dispatch has no image "nothing"': {'image': 'nothing'},
                '"Values" is no image: buffer of 256 bytes': {'image': 'Values'},
                'the dispatch has no image "pair[2]"': {'image': 'pair[2]'},
                'the image has levels 0 to 3': {'image': 'layers', 'level': 4},
                'level 0 has 3 layers': {'image': 'layers', 'layer': 3},
                'level 0 has 8 slices': {'image': 'volume', 'layer': 8},
                'level 0 has 60 rows': {'image': 'albedo', 'firstRow': 60, 'rows': 1},
                'range: [low, high] expected': {'image': 'albedo', 'range': [1]},
        }.items():
            error = refusal(session, **arguments, **thread)
            check(text in error, f'{arguments}: {error}')
        session.hang_up()
        session.process.communicate(timeout=60)
    finally:
        session.kill()


class Curious(Session):
    """Asks about a dispatch before it answers the question whether to attach."""
    body = None

    def handle(self, message):
        if message.get('command') == 'hdb/offer' and not self.body:
            self.body = self.request('hdb/resources', dispatch=message['arguments']['number'])
        super().handle(message)


def offered(program):
    session = Curious([program], ask=True)
    try:
        session.go()
        session.stopped()
        check_list(session.body)
        check_images(session, dispatch=0)
        session.hang_up()
        session.process.communicate(timeout=60)
    finally:
        session.kill()


def read_png(path):
    """Eight bits of RGBA without interlacing: (width, height, pixels). See the PNG specification, 5 and 9."""
    with open(path, 'rb') as file:
        data = file.read()
    check(data[:8] == b'\x89PNG\r\n\x1a\n', 'no PNG')
    at, packed = 8, b''
    while at < len(data):
        length, kind = struct.unpack('>I4s', data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b'IHDR':
            width, height, *rest = struct.unpack('>IIBBBBB', body)
            check(rest == [8, 6, 0, 0, 0], f'IHDR {rest}')
        elif kind == b'IDAT':
            packed += body
        at += length + 12
    raw = zlib.decompress(packed)
    pixels, before = bytearray(), bytes(width * 4)
    for y in range(height):
        method, row = raw[y * (width * 4 + 1)], bytearray(raw[y * (width * 4 + 1) + 1:(y + 1) * (width * 4 + 1)])
        for i in range(len(row)):
            left, up, corner = (row[i - 4] if i >= 4 else 0), before[i], (before[i - 4] if i >= 4 else 0)
            if method == 1:
                row[i] = (row[i] + left) & 255
            elif method == 2:
                row[i] = (row[i] + up) & 255
            elif method == 3:
                row[i] = (row[i] + (left + up) // 2) & 255
            elif method == 4:
                guess = left + up - corner
                near = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))
                row[i] = (row[i] + near[2]) & 255
        pixels += row
        before = row
    return width, height, bytes(pixels)


def view(program):
    with_level = 'view -level 1 -layer 2 layers level.png'
    commands = typed('break pictures.comp:22', 'run', 'view albedo albedo.png', with_level,
                     'view pair[1] /nowhere/x.png', 'view albedo', 'view -size 3 albedo x.png',
                     'view -range 0 albedo x.png', 'view -range nan 1 albedo x.png',
                     'view -range 0 0 albedo x.png', 'view -range 0 1 albedo x.jpg', 'view nothing x.png', 'info resources 0', 'info resources',
                     'x/2xw "results"', 'x/2xw "nothing"', 'info resources 9', 'view -dispatch 0 counts counts.png',
                     'view "pair 1" "a pair.png"')
    work = os.environ['XDG_RUNTIME_DIR']
    hdb = subprocess.run([os.environ['HDB'], 'run', '--gpu', 'virtual', *commands, '--', program], cwd=work,
                         stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100)
    text = hdb.stdout + hdb.stderr
    for name, level, layer, size, file in (('albedo', 0, 0, (100, 60), 'albedo.png'),
                                           ('layers', 1, 2, (32, 16), 'level.png'),
                                           ('counts', 0, 0, (40, 24), 'counts.png')):
        path = os.path.join(work, file)
        check(os.path.exists(path), f'no {file}', text)
        width, height, pixels = read_png(path)
        check((width, height) == size, f'{file} is {width}x{height}')
        check_pixels(name, level, layer, width, height, pixels)
    check(read_png(os.path.join(work, 'a pair.png'))[:2] == (200, 130), 'a pair.png')
    expect(hdb.stdout, r'albedo.png: 100x60, 2D image 100x60', '0 is black, 1 white', r'level.png: 32x16',
           r'dispatch 0, pictures \(pictures.comp:main\)', r'set 0 binding 0  albedo, image "albedo"',
           r'set 0 binding 5\[1\]  pair, image "pair 1"', r'set 0 binding 8  Values, buffer "results"',
           r'push constants, \d+ bytes\n +0x00000040', r'specialization constant 3  SCALE = 0x3e8',
           r'set 0 binding 7  Settings, buffer "typed\\x1b\[7m"\n   buffer of 16 bytes at .*\n   {tint = \(0, 0, 0, 0\)}',
           r'   n = 64', r'specialization constant 3  SCALE = 1000', r'0x[0-9a-f]+:  0x00000000  0x00000000',
           r'counts.png',
           '0 is black, 255 white')
    expect(hdb.stderr, r'/nowhere/x.png: No such file or directory', r'view \[-level N\]', r'"-size" is no option',
           *['-range takes two different numbers'] * 3, r'x\.jpg: pictures are written as PNG', r'the dispatch has no image "nothing"',
           r'reaches nothing that is called "nothing"', r'no dispatch 9 is remembered')


def main():
    with on_driver():
        run_case([stopped, offered, view], os.path.abspath(sys.argv[2]))


main()
