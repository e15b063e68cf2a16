#!/usr/bin/env python3
"""Holds Kiln's cost model against Mesa's own estimates, on Mesa's own binaries.

  cycles_mesa.py --eu-stats=PROGRAM PEER.jsonl

PEER.jsonl is the output of `tests/peer/run-peer tgl --dump-bin DIR ...`: per executable a binary and
Mesa's "Cycle Count". eu_stats (this folder) gives Kiln's figure for the same bytes. Prints, for each
stage in it, the rank correlation (Spearman's rho, ties at their mean rank) and the binaries whose
ratio is farthest from the median ratio; binaries that do not decode, or send a message that the model has
no row for, are named and not judged. Both models claim cycles of one thread; only the order is compared.
Exit status 1 if a rho is below --least, or a stage has fewer than three binaries to judge.
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
    """{stage: {binary: Mesa's cycles}} of all executables."""
    stages = {}
    with open(path, encoding='utf-8') as lines:
        for line in lines:
            result = json.loads(line)
            for executable in result.get('executables') or []:
                cycles = executable['stats'].get('Cycle Count')
                if executable.get('binary') and cycles:
                    stages.setdefault(result['stage'], {})[executable['binary']] = cycles
    return stages


def counted(program, binaries):
    """Returns eu_stats' line for each; runs it on a few hundred at a time, which fit on a command line."""
    for begin in range(0, len(binaries), 200):
        part = binaries[begin:begin + 200]
        run = subprocess.run([program, *part], stdout=subprocess.PIPE, text=True, check=False)
        lines = run.stdout.splitlines()
        if len(lines) != len(part):
            sys.exit(f'{program} answered for {len(lines)} of {len(part)} files')
        yield from map(json.loads, lines)


def judge(stage, mesa, program):
    """Prints the comparison of one stage. Returns rho, or None if there is too little to compare."""
    pairs, undecoded, unknown = [], [], []
    for line in counted(program, list(mesa)):
        if 'error' in line:
            undecoded.append(line['file'])
        elif line['cycles'] is None:
            unknown.append(line['file'])
        else:
            pairs.append((line['cycles'], mesa[line['file']], line['file']))
    print(f'{stage}: {len(pairs)} binaries; not judged: {len(undecoded)} not decoded, '
          f'{len(unknown)} with a message that the model does not know')
    for name in undecoded + unknown:
        print(f'  not judged  {name.rsplit("/", 1)[-1]}')
    if len(pairs) < 3:
        print('  fewer than three: nothing to compare')
        return None
    rho = spearman([p[0] for p in pairs], [p[1] for p in pairs])
    ratios = sorted((ours / theirs, ours, theirs, name) for ours, theirs, name in pairs)
    print(f'  Spearman rho {rho:.4f}; ratio ours / Mesa\'s: median {ratios[len(ratios) // 2][0]:.3f}, '
          f'5th {ratios[len(ratios) // 20][0]:.3f}, 95th {ratios[-len(ratios) // 20][0]:.3f}')
    for ratio, ours, theirs, name in ratios[:5] + ratios[-5:]:
        print(f'  {ratio:8.3f}  {ours:>9} / {theirs:<9}  {name.rsplit("/", 1)[-1]}')
    return rho


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--eu-stats', required=True, help='the program eu_stats')
    parser.add_argument('--least', type=float, default=0.99, help='fail below this rho')
    parser.add_argument('peer', help='JSON lines of tests/peer/run-peer with --dump-bin')
    args = parser.parse_args()
    stages = executables(args.peer)
    if not stages:
        sys.exit(f'{args.peer}: no binary with a "Cycle Count"')
    rhos = [judge(stage, mesa, args.eu_stats) for stage, mesa in sorted(stages.items())]
    return 0 if all(rho is not None and rho >= args.least for rho in rhos) else 1


if __name__ == '__main__':
    sys.exit(main())
