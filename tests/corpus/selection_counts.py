#!/usr/bin/env python3
"""Counts how often selection for gfx1030 chose each instruction, and names those that it could choose and never did.

  selection_counts.py --kilnc=PROGRAM [--widths=32,64] [--all] MODULE.spv... | @LIST

Compiles the modules up to the pass `select` and counts the operations in its listing: operations in all, and modules
with any. The candidates are the opcodes and pseudo operations that the sources of core/amd/select name (tests
excepted). Those that no module has are printed last, with the first place that names them: a rule that nothing tries,
unless a test of core/amd/select does; exit status 1 if there are any. --all prints the counts of the others too.
"""
import argparse
import collections
import os
import re
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
SELECT = os.path.join(ROOT, 'core', 'amd', 'select')
OPCODES = os.path.join(ROOT, 'core', 'amd', 'isa', 'opcodes.def')
PSEUDO = os.path.join(ROOT, 'core', 'amd', 'lir', 'ops.def')
OPERATION = re.compile(r'^  (?:%.* = )?([a-z][a-z0-9_]*)(?: |$)')


def mnemonics():
    """Returns the names of opcodes and of pseudo operations in sources, with their text in listings."""
    with open(OPCODES, encoding='utf-8') as f:
        names = {'Opcode::k' + m[1]: m[2] for m in re.finditer(r'KILN_RDNA2_OPCODE\((\w+), "(\w+)"', f.read())}
    with open(PSEUDO, encoding='utf-8') as f:
        names.update({'k' + m[1]: m[2] for m in re.finditer(r'^\w+\((\w+), "(\w+)"', f.read(), re.M)})
    return names


def named_by_selection(names):
    """Returns text in listings -> (file, line) of the first place in the sources of selection that names it."""
    places = {}
    for file in sorted(os.listdir(SELECT)):
        if not file.endswith(('.cc', '.h')) or file.endswith('_test.cc'):
            continue
        with open(os.path.join(SELECT, file), encoding='utf-8') as lines:
            for number, line in enumerate(lines, 1):
                for name in re.findall(r'(?:Opcode::)?\bk[A-Z]\w*', line.split('//')[0]):
                    if name in names:
                        places.setdefault(names[name], (file, number))
    return places


def listing(kilnc, module, width):
    """Returns the listing of `select`; "" if the module does not come so far."""
    run = subprocess.run([kilnc, '--target=gfx1030', f'--widths={width}', '--print-after=select', '--stop-after=select',
                          module], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, check=False)
    return run.stdout.decode(errors='replace').partition('---- after select')[2]


def in_lists(modules):
    for module in modules:
        if not module.startswith('@'):
            yield module
            continue
        with open(module[1:], encoding='utf-8') as lines:
            yield from filter(None, map(str.strip, lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--kilnc', required=True)
    parser.add_argument('--widths', default='32,64')
    parser.add_argument('--all', action='store_true', help='print all counts')
    parser.add_argument('modules', nargs='+')
    args = parser.parse_args()
    operations, modules, selected = collections.Counter(), collections.Counter(), 0
    for module in in_lists(args.modules):
        here = collections.Counter()
        for width in args.widths.split(','):
            for line in listing(args.kilnc, module, width).splitlines():
                match = OPERATION.match(line)
                here.update([match[1]] if match else [])
        selected += bool(here)
        operations += here
        modules.update(set(here))
    named = named_by_selection(mnemonics())
    if args.all:
        for name, count in sorted(operations.items(), key=lambda item: -item[1]):
            print(f'{name:32} {count:8} {modules[name]:6}')
    never = sorted(named.keys() - operations.keys())
    print(f'{selected} modules selected; of {len(named)} operations that selection names {len(named) - len(never)} occur')
    for name in never:
        print(f'never selected: {name:32} {named[name][0]}:{named[name][1]}')
    return 1 if never or not selected else 0


if __name__ == '__main__':
    sys.exit(main())
