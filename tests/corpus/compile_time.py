#!/usr/bin/env python3
"""Compile times of Kiln and of Mesa's driver, measured in one run on this machine.

  compile_time.py --kiln=PROGRAM --list=FILE [--rounds=3] [--target=tgl]

FILE names modules, a path per line. The two sides take turns: a round is all modules by
`tests/peer/run-peer` (processor time of pipeline creation, empty caches, one process) and all by
`kiln batch --local --jobs=1` (compile_ms: processor time in the worker from the request's bytes to the
packed result: reading, validation, import, all passes of every width made, statistics). A module's
time is its least over the rounds. Printed are medians, their ratio, and the distribution of the ratios
per module, over modules that both compiled; microseconds per instruction, which is all of Kiln's time
over the instructions of all variants made, without nop and sync; and the share of the time that no
pass or step has recorded. Processor time is stretched by neighbours too: run it on a quiet machine.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

PEER = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'peer', 'run-peer')


def run(command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          check=False, **more)
    if done.returncode not in (0, 1):
        sys.exit(f'{command[0]} failed with {done.returncode}: {done.stderr[-2000:]}')
    return done.stdout


def mesa_times(target, listing):
    for line in map(json.loads, run([PEER, target, '--runs', '1', '@' + listing]).splitlines()):
        if line['ok']:
            yield (line['file'], line['entry']), line['cpu_ms_median']


def kiln_results(kiln, target, listing):
    with tempfile.TemporaryDirectory() as folder:
        results = os.path.join(folder, 'results.jsonl')
        run([kiln, 'batch', '--local', '--jobs=1', '--target=' + target, '--list=' + listing,
             '--jsonl=' + results])
        with open(results, encoding='utf-8') as lines:
            for line in map(json.loads, lines):
                if line['status'] == 'ok':
                    yield (line['file'], line['entry']), line


def print_costs(lines):
    ms = sum(line['compile_ms'] for line in lines)
    instructions = sum(v['instructions'] for line in lines for v in line['variants'])
    named = sum(p['us'] for line in lines for p in line['passes']) / 1000
    print(f'Kiln: {1000 * ms / instructions:.2f} us per instruction ({instructions} in all variants of '
          f'{len(lines)} modules), {100 * (1 - named / ms):.1f} % of the time in no record')


def keep_least(times, into):
    for name, ms in times:
        into[name] = min(ms, into.get(name, ms))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--kiln', required=True)
    parser.add_argument('--list', required=True)
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--target', default='tgl')
    args = parser.parse_args()
    mesa, results = {}, {}
    for _ in range(args.rounds):
        keep_least(mesa_times(args.target, args.list), mesa)
        for key, line in kiln_results(args.kiln, args.target, args.list):
            if key not in results or line['compile_ms'] < results[key]['compile_ms']:
                results[key] = line
    kiln = {key: line['compile_ms'] for key, line in results.items()}
    both = sorted(set(mesa) & set(kiln))
    if not both:
        sys.exit('no module was compiled by both')
    ours = [kiln[f] for f in both]
    theirs = [mesa[f] for f in both]
    ratios = sorted(a / b for a, b in zip(ours, theirs))
    print(f'{len(both)} modules compiled by both (Mesa {len(mesa)}, Kiln {len(kiln)})')
    print(f'median: Kiln {statistics.median(ours):.3f} ms, Mesa {statistics.median(theirs):.3f} ms, '
          f'ratio {statistics.median(ours) / statistics.median(theirs):.3f}')
    print(f'total:  Kiln {sum(ours):.0f} ms, Mesa {sum(theirs):.0f} ms, '
          f'ratio {sum(ours) / sum(theirs):.3f}')
    print(f'ratio per module: median {statistics.median(ratios):.3f}, '
          f'5th {ratios[len(ratios) // 20]:.3f}, 95th {ratios[-1 - len(ratios) // 20]:.3f}')
    print_costs(list(results.values()))
    for f in sorted(both, key=lambda f: -kiln[f] / mesa[f])[:5]:
        print(f'  {kiln[f] / mesa[f]:6.2f}  {kiln[f]:9.3f} / {mesa[f]:9.3f} ms  {f[0]}')
    return 0


if __name__ == '__main__':
    sys.exit(main())
