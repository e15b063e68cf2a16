#!/usr/bin/env python3
"""Holds Kiln's cost model against Mesa's own estimates, on Mesa's own binaries.

  cycles_mesa.py --eu-stats=PROGRAM PEER.jsonl

PEER.jsonl is what `tests/peer/run-peer tgl --dump-bin DIR ...` printed: per executable a binary and
Mesa's "Cycle Count". eu_stats (this folder) gives Kiln's figure for the same bytes. Printed are the
rank correlation (Spearman's rho, ties at their mean rank) and the binaries whose ratio is farthest
from the median ratio. Both models claim cycles of one thread; only the order is compared.
Exit status 1 if rho is below --least (default 0.95).
"""
import argparse
import json
import subprocess
import sys


def ranks(values):
    """Rank of each value from 1 on; equal values share their mean rank."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    result = [0.0] * len(values)
    i = 0
    while i < len(order):
        j = i
        while j + 1 < len(order) and values[order[j + 1]] == values[order[i]]:
            j += 1
        for k in range(i, j + 1):
            result[order[k]] = (i + j) / 2 + 1
        i = j + 1
    return result


def spearman(a, b):
    ra, rb = ranks(a), ranks(b)
    mean = (len(a) + 1) / 2
    cov = sum((x - mean) * (y - mean) for x, y in zip(ra, rb))
    va = sum((x - mean) ** 2 for x in ra)
    vb = sum((y - mean) ** 2 for y in rb)
    return cov / (va * vb) ** 0.5


def executables(path):
    """(binary, Mesa's cycles) of each compute executable."""
    with open(path, encoding='utf-8') as lines:
        for line in lines:
            result = json.loads(line)
            for executable in result.get('executables') or []:
                cycles = executable['stats'].get('Cycle Count')
                if executable.get('binary') and cycles:
                    yield executable['binary'], cycles


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--eu-stats', required=True, help='the program eu_stats')
    parser.add_argument('--least', type=float, default=0.95, help='fail below this rho')
    parser.add_argument('peer', help='JSON lines of tests/peer/run-peer with --dump-bin')
    args = parser.parse_args()
    mesa = dict(executables(args.peer))
    if len(mesa) < 3:
        sys.exit(f'{args.peer}: fewer than three binaries with a "Cycle Count"')
    run = subprocess.run([args.eu_stats, *mesa], stdout=subprocess.PIPE, text=True, check=False)
    pairs, failed = [], 0
    for line in run.stdout.splitlines():
        counted = json.loads(line)
        if 'error' in counted:
            failed += 1
        else:
            pairs.append((counted['cycles'], mesa[counted['file']], counted['file']))
    rho = spearman([p[0] for p in pairs], [p[1] for p in pairs])
    print(f'{len(pairs)} binaries ({failed} not decoded): Spearman rho {rho:.4f}')
    ratios = sorted((ours / theirs, ours, theirs, name) for ours, theirs, name in pairs)
    print(f'ratio ours / Mesa\'s: median {ratios[len(ratios) // 2][0]:.3f}, '
          f'5th {ratios[len(ratios) // 20][0]:.3f}, 95th {ratios[-len(ratios) // 20][0]:.3f}')
    for ratio, ours, theirs, name in ratios[:5] + ratios[-5:]:
        print(f'  {ratio:8.3f}  {ours:>9} / {theirs:<9}  {name.rsplit("/", 1)[-1]}')
    return 0 if rho >= args.least else 1


if __name__ == '__main__':
    sys.exit(main())
