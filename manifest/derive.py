#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a layer manifest derived from VkLayer_hdb.json: another library path, explicit or implicit."""
import argparse
import json

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument('manifest', help='VkLayer_hdb.json')
parser.add_argument('output')
parser.add_argument('--library', required=True, help='a path or a bare soname')
parser.add_argument('--implicit', action='store_true', help='loaded with HDB_ENABLE set and HDB_DISABLE not')
arguments = parser.parse_args()

with open(arguments.manifest) as file:
    manifest = json.load(file)
layer = manifest['layer']
layer['library_path'] = arguments.library
if arguments.implicit:
    layer['enable_environment'] = {'HDB_ENABLE': '1'}
    layer['disable_environment'] = {'HDB_DISABLE': '1'}
with open(arguments.output, 'w') as file:
    json.dump(manifest, file, indent=3)
    file.write('\n')
