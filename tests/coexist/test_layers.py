#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""VK_LAYER_hdb above and below other people's layers: a program that computes, and one with a window, end as they do
without hdb, and the one that computes can be stopped; where a layer makes that impossible, hdb says why.

    test_layers.py mangohud|vkbasalt|renderdoc

From meson: HDB (the command), SAXPY, VK_ADD_LAYER_PATH (hdb's explicit manifest), LAVAPIPE, HDB_TEST_DRIVER (a library; may
be unset: then with lavapipe only).
"""
import contextlib
import json
import os
import subprocess
import sys
import tempfile

# The manifest that is installed, and the variable that its layer wants.
LAYERS = {
    'mangohud': ('MangoHud.json', 'MANGOHUD'),
    'vkbasalt': ('vkBasalt.json', 'ENABLE_VKBASALT'),
    'renderdoc': ('renderdoc_capture.json', 'ENABLE_VULKAN_RENDERDOC_CAPTURE'),
}
INSTALLED = '/usr/share/vulkan/implicit_layer.d'
PATIENCE = 120  # seconds
UNREACHED = "the driver was not reached: a layer below VK_LAYER_hdb drops the structure"


@contextlib.contextmanager
def x_server():
    reader, writer = os.pipe()
    server = subprocess.Popen(['Xvfb', '-displayfd', str(writer), '-screen', '0', '640x480x24', '-nolisten', 'tcp'],
                              pass_fds=[writer], stderr=subprocess.DEVNULL)
    os.close(writer)
    try:
        with os.fdopen(reader) as display:
            yield ':' + display.readline().strip()
    finally:
        server.terminate()
        server.wait()


def run(program, env):
    done = subprocess.run(program, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors='replace', timeout=PATIENCE)
    return done.returncode, done.stdout


def surroundings(env, layer, folder):
    """By place of the other layer: the environment with that layer alone, and with hdb's as well."""
    manifest, variable = LAYERS[layer]
    hdb = os.environ['VK_ADD_LAYER_PATH']
    alone = dict(env)
    alone[variable] = '1'
    del alone['VK_ADD_LAYER_PATH']
    # Implicit layers stand above explicit ones.
    yield 'above', alone, dict(alone, VK_ADD_LAYER_PATH=hdb, VK_INSTANCE_LAYERS='VK_LAYER_hdb')

    with open(f'{INSTALLED}/{manifest}') as file:
        derived = json.load(file)
    name = derived['layer']['name']
    for key in ['enable_environment', 'disable_environment']:
        derived['layer'].pop(key, None)
    with open(f'{folder}/{manifest}', 'w') as file:
        json.dump(derived, file)
    alone = dict(env, VK_LAYER_PATH=folder, VK_INSTANCE_LAYERS=name)
    del alone['VK_ADD_LAYER_PATH']
    yield 'below', alone, dict(alone, VK_LAYER_PATH=f'{hdb}:{folder}', VK_INSTANCE_LAYERS=f'VK_LAYER_hdb:{name}')


def check_ends_alike(program, alone, both, what):
    expected, words = run(program, alone)
    got, text = run(program, both)
    if got != expected:
        sys.exit(f'{what}: {program[0]} ends with {got}, without hdb with {expected}:\n{words}\n{text}')
    return expected == 0


def check_stop(both, what):
    """A breakpoint and a line: or hdb says why not, and the program runs to its end."""
    commands = ['break saxpy.comp:15', 'run', 'next', 'info waves', 'delete', 'continue']
    typed = [word for command in commands for word in ('-ex', command)]
    code, text = run([os.environ['HDB'], 'run', '--gpu', 'virtual', '--batch', *typed, '--', os.environ['SAXPY']], both)
    if '1000 of 1000 right' not in text:
        sys.exit(f'{what}: the result is wrong ({code}):\n{text}')
    stopped = 'Step, saxpy at saxpy.comp:16' in text
    if not stopped and UNREACHED not in text:
        sys.exit(f'{what}: neither stopped nor a reason:\n{text}')
    return stopped


def main():
    layer = sys.argv[1]
    if not os.path.exists(f'{INSTALLED}/{LAYERS[layer][0]}'):
        print(f'skipped: {layer} is not installed')
        sys.exit(77)
    driver = os.environ.get('HDB_TEST_DRIVER')
    ran = stopped = 0
    with tempfile.TemporaryDirectory() as folder, x_server() as display:
        manifest = f'{folder}/icd.json'
        with open(manifest, 'w') as file:
            json.dump({'file_format_version': '1.0.0', 'ICD': {'library_path': driver, 'api_version': '1.4.305'}}, file)
        os.mkdir(f'{folder}/layers')
        env = dict(os.environ, DISPLAY=display, HOME=folder, XDG_RUNTIME_DIR=folder, VK_HDB_PROMPT='never')
        for name in ['VK_INSTANCE_LAYERS', 'VK_LAYER_PATH', 'VK_ICD_FILENAMES', 'WAYLAND_DISPLAY']:
            env.pop(name, None)
        drivers = {'lavapipe': dict(env, VK_DRIVER_FILES=os.environ['LAVAPIPE'])}
        if driver:
            drivers['hdb'] = dict(env, VK_DRIVER_FILES=manifest, HDB_GPU='virtual')
        for driver_name, driver_env in drivers.items():
            for place, alone, both in surroundings(driver_env, layer, f'{folder}/layers'):
                what = f'{layer} {place}, {driver_name}'
                ran += check_ends_alike([os.environ['SAXPY']], alone, both, what)
                ran += check_ends_alike(['vkcube', '--c', '20'], alone, both, what)
                if driver_name == 'hdb':
                    stopped += check_stop(both, what)
    print(f'{ran} programs ran, {stopped} were stopped')
    if not ran or (driver and not stopped):
        sys.exit('nothing was tried')


main()
