#!/usr/bin/env python3
"""Copies small compute modules of a corpus into a folder, as seeds for //core/front:spirv_fuzz.

  fuzz_seeds.py --out=FOLDER [--corpus=DIR] [--count=160] [--largest=12000] [--seed=1]

The same modules for the same corpus and seed. `--largest` is in bytes: a fuzzer does little with inputs
that take long.
"""
import argparse
import json
import os
import random
import shutil
import sys


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    beside = os.path.join(here, '..', '..', '..', 'shared', 'corpus')
    p = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    p.add_argument('--corpus', default=os.environ.get('KILN_CORPUS', beside))
    p.add_argument('--out', required=True)
    p.add_argument('--count', type=int, default=160)
    p.add_argument('--largest', type=int, default=12000)
    p.add_argument('--seed', type=int, default=1)
    args = p.parse_args()
    manifest = os.path.join(args.corpus, 'MANIFEST.jsonl')
    if not os.path.exists(manifest):
        sys.exit(f'{manifest}: there is no corpus; name one by --corpus or KILN_CORPUS')
    with open(manifest, encoding='utf-8') as lines:
        modules = [r['file'] for r in map(json.loads, lines) if r['stage'] == 'comp']
    small = sorted(f for f in modules
                   if os.path.getsize(os.path.join(args.corpus, f)) <= args.largest)
    chosen = random.Random(args.seed).sample(small, min(args.count, len(small)))
    os.makedirs(args.out, exist_ok=True)
    for file in chosen:
        shutil.copy(os.path.join(args.corpus, file),
                    os.path.join(args.out, file.replace('/', '_')))
    print(f'{len(chosen)} of {len(small)} modules')


if __name__ == '__main__':
    main()
