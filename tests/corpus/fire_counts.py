#!/usr/bin/env python3
"""How often each pass ran and changed something, over the results of a batch.

  fire_counts.py --kiln=PROGRAM RESULTS.jsonl

RESULTS.jsonl is what `kiln batch --local --target=tgl --jsonl=...` wrote. Passes that the compiler has
(`kiln targets --local --passes`) and that changed nothing are named; exit status 1 if there are any.
"""
import argparse
import json
import subprocess
import sys


def known_passes(kiln):
    run = subprocess.run([kiln, 'targets', '--local', '--passes', '--json'], check=True, text=True,
                         stdout=subprocess.PIPE)
    return [p['name'] for p in json.loads(run.stdout)['passes']]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--kiln', required=True)
    parser.add_argument('results')
    args = parser.parse_args()
    sums = {name: [0, 0, 0.0, 0, 0] for name in known_passes(args.kiln)}
    modules = 0
    with open(args.results, encoding='utf-8') as lines:
        for line in map(json.loads, lines):
            modules += line['status'] == 'ok'
            for p in line['passes']:
                s = sums.setdefault(p['name'], [0, 0, 0.0, 0, 0])
                s[0] += p['runs']
                s[1] += p['changed']
                s[2] += p['us']
                s[3] += p['instructions_delta']
                s[4] += p['changed'] > 0
    total = sum(s[2] for s in sums.values())
    print(f'{modules} modules compiled')
    print(f'{"pass":28} {"runs":>8} {"changed":>8} {"modules":>8} {"time":>7} {"instructions":>13}')
    for name, (runs, changed, us, delta, fired) in sums.items():
        print(f'{name:28} {runs:8} {changed:8} {fired:8} {100 * us / max(total, 1):6.1f}% {delta:+13}')
    silent = [name for name, s in sums.items() if s[1] == 0]
    for name in silent:
        print(f'never fired: {name}')
    return 1 if silent else 0


if __name__ == '__main__':
    sys.exit(main())
