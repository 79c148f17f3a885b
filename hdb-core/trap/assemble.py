#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Assembles gfx1100 code into a C array: assemble.py COMPILER LLVM-MC INPUT OUTPUT NAME [OPTION]...

Options are -DNAME and -IDIR for the preprocessor, -mattr=... for llvm-mc.

The input goes through the C preprocessor, then llvm-mc; the .text section of the object becomes
`const uint32_t NAME[]` and its size in bytes `NAME_size`.
"""
import os
import shlex
import struct
import subprocess
import sys
import tempfile


def text_section(elf):
    """The contents of .text of a 64-bit little-endian ELF file."""
    offset, = struct.unpack_from('<Q', elf, 0x28)
    size, count, names = struct.unpack_from('<HHH', elf, 0x3a)
    headers = [struct.unpack_from('<IIQQQQ', elf, offset + size * i) for i in range(count)]
    for header in headers:
        start = headers[names][4] + header[0]
        if elf[start:elf.index(b'\0', start)] == b'.text':
            return elf[header[4]:header[4] + header[5]]
    raise SystemExit('no .text section')


def main():
    compiler, llvm_mc, source, output, name, *options = sys.argv[1:]
    attributes = [option for option in options if option.startswith('-mattr')]
    options = [option for option in options if option not in attributes]
    preprocessed = subprocess.run(
        [*shlex.split(compiler), '-E', '-x', 'assembler-with-cpp', '-undef', *options, source],
        check=True, stdout=subprocess.PIPE).stdout
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, 'code.o')
        subprocess.run([llvm_mc, '-triple=amdgcn', '-mcpu=gfx1100', *attributes, '-filetype=obj', '-o', path, '-'],
                       input=preprocessed, check=True)
        with open(path, 'rb') as file:
            code = text_section(file.read())
    with open(output, 'w') as file:
        file.write('#include <stddef.h>\n#include <stdint.h>\n')
        file.write(f'extern const uint32_t {name}[];\nextern const size_t {name}_size;\n')
        file.write(f'const uint32_t {name}[] = {{\n')
        words = [word for word, in struct.iter_unpack('<I', code)]
        for i in range(0, len(words), 8):
            file.write('   ' + ' '.join(f'0x{word:08x},' for word in words[i:i + 8]) + '\n')
        file.write(f'}};\nconst size_t {name}_size = sizeof({name});\n')


if __name__ == '__main__':
    try:
        main()
    except subprocess.CalledProcessError as error:
        raise SystemExit(error.returncode)
