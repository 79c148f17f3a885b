#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""ffmpeg's Vulkan filters:  test_ffmpeg.py FILTER. Its shaders are GLSL that it compiles itself, without lines.

For frames of one plane and of three, where the filter has both:
- the filter's frames are those of lavapipe, or one off where a sampler's or a blend's result is rounded; those of
  avgblur, which stores past the end of a workgroup array (lavapipe then damages its own memory), are as computed here;
- the validation layer has nothing to say that it does not say on lavapipe, too;
- hdb stops at the entry of the filter's first and last dispatch, steps, and continues: the frames are the same.

From meson: HDB, HDB_ENV, HDB_BUILD_ROOT, HDB_TEST_DRIVER (may be unset), CLIENTS.
"""
import os
import re
import shutil
import subprocess
import sys

from client import check_installed, debug, run
from harness import check, expect, on_driver, skip

LAVAPIPE = '/usr/share/vulkan/icd.d/lvp_icd.json'
WIDTH, HEIGHT = 192, 128 # planes are whole workgroups of 32: else avgblur reads elements that no lane has written
RGBA, YUV = 'rgba', 'yuv420p'
ONE, EXACT = 1, 0

# Filter, how far a byte may be from lavapipe's, and the frame formats.
FILTERS = {
    'hflip': ('hflip_vulkan', ONE, (RGBA, YUV)),
    'vflip': ('vflip_vulkan', ONE, (RGBA, YUV)),
    'flip': ('flip_vulkan', ONE, (RGBA, YUV)),
    'transpose': ('transpose_vulkan=dir=cclock_flip', ONE, (RGBA, YUV)),
    'chromaber': ('chromaber_vulkan=dist_x=2:dist_y=-1', ONE, (RGBA, YUV)),
    'gblur': ('gblur_vulkan=sigma=1.5', ONE, (RGBA, YUV)),
    'avgblur': ('avgblur_vulkan=sizeX=3:sizeY=3', ONE, (RGBA, YUV)),
    'scale': ('scale_vulkan=w=100:h=90', ONE, (RGBA, YUV)),
    'scale-convert': ('scale_vulkan=w=100:h=90:format=yuv420p', ONE, (RGBA,)),
    'overlay': ('overlay_vulkan=x=20:y=10', EXACT, (RGBA, YUV)),
    'blend': ('blend_vulkan=all_mode=multiply:all_opacity=0.75', ONE, (RGBA, YUV)),
}
STEP = r'^Step, main at 0x\w+\n=> \w+'


def source(pattern, rate):
    return ['-f', 'lavfi', '-i', f'{pattern}=size={WIDTH}x{HEIGHT}:rate={rate}:duration=1']


def command(name, frame_format, output):
    """ffmpeg, its frames raw into a file. Two frames; but what filters with two inputs give varies from run to run,
    from the second frame on and with every driver: one of those."""
    text = FILTERS[name][0]
    there, back = f'format={frame_format},hwupload', 'hwdownload,format=' + (YUV if 'convert' in name else frame_format)
    if name in ('overlay', 'blend'):
        inputs = source('testsrc', 1) + source('testsrc2', 1)
        graph = ['-filter_complex', f'[0]{there}[a];[1]{there}[b];[a][b]{text},{back}']
    else:
        inputs, graph = source('testsrc', 2), ['-vf', f'{there},{text},{back}']
    device = ['-init_hw_device', 'vulkan=v:0', '-filter_hw_device', 'v']
    return ['ffmpeg', '-nostdin', '-y', '-v', 'warning', *device, *inputs, *graph, '-f', 'rawvideo', output]


def frames(output):
    with open(output, 'rb') as file:
        data = file.read()
    os.remove(output)
    return data


def on_lavapipe(name, frame_format, output, **variables):
    """The frames, and what was said."""
    # Else it samples in eight bits, and rounds up at every step.
    environment = dict(os.environ, VK_DRIVER_FILES=LAVAPIPE, VK_ICD_FILENAMES=LAVAPIPE, GALLIVM_PERF='no_aos_sampling',
                       **variables)
    done = subprocess.run(command(name, frame_format, output), env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=60)
    check(done.returncode == 0, 'ffmpeg on lavapipe', done.stdout)
    return frames(output), done.stdout


def box_blur(plane, width, height, radius=2):
    """As avgblur's shader does it: along x, rounded, along y, rounded. It samples where four texels meet."""
    def corner(texels, x, y):
        left, right = min(max(x - 1, 0), width - 1), min(max(x, 0), width - 1)
        above, below = min(max(y - 1, 0), height - 1) * width, min(max(y, 0), height - 1) * width
        return (texels[above + left] + texels[above + right] + texels[below + left] + texels[below + right]) / 4

    def along(texels, dx, dy):
        window = range(-radius, radius + 1)
        return [round(sum(corner(texels, x + d * dx, y + d * dy) for d in window) / len(window))
                for y in range(height) for x in range(width)]

    return along(along(plane, 1, 0), 0, 1)


def blurred(frame_format):
    """What avgblur is to give."""
    raw = ['ffmpeg', '-nostdin', '-v', 'error', *source('testsrc', 2), '-pix_fmt', frame_format, '-f', 'rawvideo', '-']
    data = subprocess.run(raw, stdout=subprocess.PIPE, check=True, timeout=60).stdout
    result = bytearray(len(data))
    if frame_format == RGBA:
        size = WIDTH * HEIGHT * 4
        for start in range(0, len(data), size):
            for channel in range(4):
                part = slice(start + channel, start + size, 4)
                result[part] = bytes(box_blur(data[part], WIDTH, HEIGHT))
    else:
        start = 0
        while start < len(data):
            for shrink in (1, 2, 2):
                width, height = WIDTH // shrink, HEIGHT // shrink
                part = slice(start, start + width * height)
                result[part] = bytes(box_blur(data[part], width, height))
                start = part.stop
    return bytes(result)


def compare(what, frame_format, got, want, tolerance):
    check(len(got) == len(want) > 0, f'{len(got)} bytes of frames, not {len(want)}')
    far = [i for i, (a, b) in enumerate(zip(got, want)) if abs(a - b) > tolerance]
    check(not far, f'{what}, {frame_format}: {len(far)} bytes wrong, the first at {far[:1]}: ' +
          ', '.join(f'{got[i]}, not {want[i]}' for i in far[:4]))
    equal = sum(a == b for a, b in zip(got, want))
    print(f'{what}, {frame_format}: {equal} of {len(want)} bytes the same, the others one off')


def validated(name, frame_format, output, want):
    layer = {'VK_INSTANCE_LAYERS': 'VK_LAYER_KHRONOS_validation'}
    text = run(command(name, frame_format, output), **layer)
    check(frames(output) == want, f'{name}, {frame_format}: the same frames under the validation layer', text)
    objections = set(re.findall(r'VUID-[\w-]+', text))
    if objections: # to ffmpeg itself?
        everywhere = on_lavapipe(name, frame_format, output, **layer)[1]
        check(objections <= set(re.findall(r'VUID-[\w-]+', everywhere)), 'nothing more than on lavapipe', text)


def debugged(name, frame_format, output, want):
    ask = ('run', 'info dispatches', 'delete', 'continue')
    listed = debug(command(name, frame_format, output), *ask, compile_mode='optimized')
    last = max(map(int, re.findall(r'^dispatch (\d+) \(main\) finished', listed, re.MULTILINE)), default=0)
    for dispatch, compile_mode in ((0, 'debug'), (last, 'optimized')):
        text = debug(command(name, frame_format, output), 'run', 'stepi', 'step', 'stepi 5', 'info dispatches',
                     'info registers', 'print $exec', 'info waves', 'disassemble', 'continue',
                     compile_mode=compile_mode, dispatch=str(dispatch))
        expect(text, r'^Entry of dispatch, main at 0x\w+\n=> \w+', *[STEP] * 7,
               r'^%d +\*main +\d+x\d+x\d+ groups of \d+x\d+x\d+' % dispatch, r'^pc 0x\w+  exec 0x', r'^\$\d+ = 0x\w+',
               r'^\* \d+ .* stopped .* step$', r'^=> 0x\w+  \w+', r'^dispatch %d \(main\) finished' % dispatch,
               r'^\[program exited with code 0')
        # Compiled for debugging, products and sums are not fused.
        compare(f'{name} in hdb', frame_format, frames(output), want, FILTERS[name][1])


def version():
    line = subprocess.run(['ffmpeg', '-version'], stdout=subprocess.PIPE, text=True, timeout=60).stdout
    return re.match(r'ffmpeg version \D*(\d+)\.', line).group(1)


def test(name, output):
    for frame_format in FILTERS[name][2]:
        run(command(name, frame_format, output))
        got = frames(output)
        want = blurred(frame_format) if name == 'avgblur' else on_lavapipe(name, frame_format, output)[0]
        compare(name, frame_format, got, want, FILTERS[name][1])
        validated(name, frame_format, output, got)
        debugged(name, frame_format, output, got)


with on_driver(VK_HDB_PROMPT='never', HDB_GPU='virtual') as work:
    check_installed(shutil.which('ffmpeg'), 'no ffmpeg (script/bootstrap installs it)')
    check_installed(LAVAPIPE, 'no lavapipe (script/bootstrap installs it)')
    if version() != '5':
        skip(f'ffmpeg {version()}, whose filters are not those of 5')
    test(sys.argv[1], os.path.join(work, 'frames'))
