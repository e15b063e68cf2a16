#!/usr/bin/env python3
"""Compiles the same modules in different surroundings and compares every byte of the results.

  determinism.py --kiln=PROGRAM --masked-worker=PROGRAM --list=FILE [--target=tgl]

Surroundings: one job; two jobs in the opposite order of files; no randomisation of the address space;
fused multiply-add, AVX and AVX2 masked from the C library (//tests/corpus:masked_worker), so that
its other code paths run. Compares machine code and launch records of every variant, and status
and cause of modules that are not compiled. Exit status 1 if anything differs.
"""
import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile


def masked(args, folder):
    """Returns a copy of kiln beside a worker that hides FMA and AVX2 from itself."""
    worker = os.path.join(os.path.dirname(os.path.realpath(args.kiln)), 'kiln_worker')
    if not os.path.exists(worker):
        sys.exit(f'{worker}: there is no such program; put kiln and kiln_worker into one folder')
    shutil.copy(args.masked_worker, os.path.join(folder, 'kiln_worker'))
    shutil.copy(worker, os.path.join(folder, 'kiln_worker.real'))
    return shutil.copy(args.kiln, folder)


def surroundings(args, files, folder):
    """(name, files in order, command, flags)"""
    kiln = args.kiln
    yield 'one job', files, [kiln], ['--jobs=1']
    yield 'two jobs, opposite order', files[::-1], [kiln], ['--jobs=2']
    yield 'no address randomisation', files, ['setarch', '--addr-no-randomize', kiln], ['--jobs=2']
    yield 'FMA and AVX2 masked', files, [masked(args, folder)], ['--jobs=1']


def digest(path):
    with open(path, 'rb') as f:
        return hashlib.sha256(f.read()).hexdigest()


def compile_all(args, files, command, flags):
    """{(file, entry point, stage): [status, cause, digest of each output]}"""
    with tempfile.TemporaryDirectory() as folder:
        listing = os.path.join(folder, 'list')
        results = os.path.join(folder, 'results.jsonl')
        with open(listing, 'w', encoding='utf-8') as out:
            out.write('\n'.join(files) + '\n')
        run = subprocess.run(
            [*command, 'batch', '--local', '--target=' + args.target, '--list=' + listing,
             '-o', os.path.join(folder, 'out'), '--jsonl=' + results, *flags],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        if run.returncode not in (0, 1):
            sys.exit(f'kiln batch failed with {run.returncode}: {run.stderr[-2000:]}')
        found = {}
        with open(results, encoding='utf-8') as lines:
            for line in map(json.loads, lines):
                entry = [line['status'], line['cause']]
                for variant in line['variants']:
                    binary = os.path.join(folder, 'out', variant['binary'])
                    entry += [variant['name'], digest(binary),
                              digest(binary.removesuffix('.bin') + '.launch.json')]
                found[line['file'], line['entry'], line['stage']] = entry
        return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--kiln', required=True)
    parser.add_argument('--masked-worker', required=True)
    parser.add_argument('--list', required=True, help='a path of a module per line')
    parser.add_argument('--target', default='tgl')
    args = parser.parse_args()
    with open(args.list, encoding='utf-8') as lines:
        files = [line.strip() for line in lines if line.strip()]
    first, differing = None, 0
    scratch = tempfile.TemporaryDirectory()
    for name, order, command, flags in surroundings(args, files, scratch.name):
        found = compile_all(args, order, command, flags)
        if first is None:
            first = found
            ok = sum(entry[0] == 'ok' for entry in found.values())
            variants = sum((len(entry) - 2) // 3 for entry in found.values())
            print(f'{len(found)} modules, {ok} compiled, {variants} binaries')
            continue
        missing = ['missing', '']
        wrong = [f for f in sorted({*first, *found}) if found.get(f) != first.get(f)]
        print(f'{name}: {len(wrong)} differ')
        for f in wrong[:5]:
            print(f'  {f}: {first.get(f, missing)[:2]} / {found.get(f, missing)[:2]}')
        differing += len(wrong)
    return 1 if differing else 0


if __name__ == '__main__':
    sys.exit(main())
