#!/usr/bin/env python3
"""Counts how often each pass ran and changed something, over the results of batches.

  fire_counts.py --kiln=PROGRAM RESULTS.jsonl...

RESULTS.jsonl is what `kiln batch --local --target=... --jsonl=...` wrote; there is a table for each target. Passes that the
compiler has (`kiln targets --local --passes`) and that changed nothing in any batch are named; exit status 1 if there
are any. So are those that ran for a target and changed nothing for it, which is no failure: its instructions may not need
them. Passes that fire only in later batches are named with the batch: the first batch is the corpus as it
is, others may ask for widths that lose there (--widths=32) or hold our own shaders (tests/shaders), for
features that no module of the corpus uses.
"""
import argparse
import json
import subprocess
import sys


def known_passes(kiln):
    run = subprocess.run([kiln, 'targets', '--local', '--passes', '--json'], check=True, text=True,
                         stdout=subprocess.PIPE)
    return [p['name'] for p in json.loads(run.stdout)['passes']]


def add(total, record):
    total[0] += record['runs']
    total[1] += record['changed']
    total[2] += record['us']
    total[3] += record['instructions_delta']
    total[4] += record['changed'] > 0


def print_table(target, modules, known, rows):
    total = sum(s[2] for s in rows.values())
    print(f'{target}: {modules} modules compiled')
    print(f'{"pass":28} {"runs":>8} {"changed":>8} {"modules":>8} {"time":>7} {"instructions":>13}')
    for name in [*known, *(name for name in rows if name not in known)]:
        if name in rows:
            runs, changed, us, delta, fired = rows[name]
            print(f'{name:28} {runs:8} {changed:8} {fired:8} {100 * us / max(total, 1):6.1f}% {delta:+13}')
    for name in known:
        if name in rows and rows[name][1] == 0:
            print(f'changed nothing for {target}: {name}')


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--kiln', required=True)
    parser.add_argument('results', nargs='+')
    args = parser.parse_args()
    known = known_passes(args.kiln)
    sums = {}  # target -> pass -> sums
    fired_in = {name: {} for name in known}  # name -> batch -> modules, example
    modules = {}  # target -> number
    for results in args.results:
        with open(results, encoding='utf-8') as lines:
            for line in map(json.loads, lines):
                target = line['target']
                modules[target] = modules.get(target, 0) + (line['status'] == 'ok')
                for p in line['passes']:
                    add(sums.setdefault(target, {}).setdefault(p['name'], [0, 0, 0.0, 0, 0]), p)
                    if p['changed']:
                        count, example = fired_in.setdefault(p['name'], {}).get(results, (0, line['file']))
                        fired_in[p['name']][results] = (count + 1, example)
    for target, rows in sums.items():
        print_table(target, modules[target], known, rows)
    for name, batches in fired_in.items():
        if batches and args.results[0] not in batches:
            where = ', '.join(f'{batch}: {n} modules ({example})' for batch, (n, example) in batches.items())
            print(f'not in {args.results[0]}: {name} fires in {where}')
    # Steps (validation, packing) have records too, but never a count of changes.
    silent = [name for name in known if not fired_in[name]]
    for name in silent:
        print(f'never fired: {name}')
    return 1 if silent else 0


if __name__ == '__main__':
    sys.exit(main())
