#!/usr/bin/env python3
"""Holds Kiln's statistics of machine code of gfx1030 against those that Mesa states of its own programs.

  compare_statistics.py --kiln=PROGRAM PEER.jsonl ...

PEER.jsonl is the output of `tests/peer/run-peer navi21 --dump-bin DIR ...`: for each executable a binary, its launch
record and Mesa's statistics. `kiln analyze` gives Kiln's figures for the same bytes and record. Prints for each file, and each
key of KEYS, how many binaries have equal figures; for the two estimates also the rank correlation
(Spearman's rho, ties at their mean rank), in all and by stage; for "Subgroups per SIMD", which is not in
the bytes, whether Mesa's formula gives it from the record. Binaries that are not judged are named. Exit
status 1 if a count differs anywhere, a rho is below --least, or nothing is judged.
"""
import argparse
import concurrent.futures
import json
import subprocess
import sys

# The peer's keys, and the rows of Kiln (`kiln targets --statistics`) whose sum they are. Left out: "Copies" and
# the "Pre-Sched" ones, which the bytes do not show; "SGPRs", which is always 128; "VGPRs", which is rounded up and
# counts what the hardware fills; spills, which neither bytes nor records show.
KEYS = {
    'Instructions': ('instructions', 'wait_instructions', 'clause_instructions'),
    'Branches': ('branches',),
    'VALU': ('valu',),
    'SALU': ('salu',),
    'VMEM': ('vmem',),
    'SMEM': ('smem',),
    'VMEM Clause': ('vmem_clauses',),
    'SMEM Clause': ('smem_clauses',),
    'Code size': ('bytes',),
    # Those of the launch record, which tests/peer took from Mesa's configuration of the program.
    'LDS size': ('lds_bytes',),
    'Scratch size': ('scratch_bytes',),
}
# Compared by rank, since the model is not the same in all details (core/amd/perf/README.md).
ESTIMATES = {'Latency': 'cycles', 'Inverse Throughput': 'inverse_throughput'}

MAX_WAVES = 16
LDS_OF_SIMD = 32768   # a quarter of a WGP's
LDS_GRANULE = 1024
BYTES_OF_INPUT = 48   # of a fragment program, in LDS


def rounded_up(value, granule):
    return -(-value // granule) * granule


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


def spearman(pairs):
    """Returns rho, or None where it has no value: fewer than three pairs, or all the same."""
    if len(pairs) < 3:
        return None
    a, b = ranks([p[0] for p in pairs]), ranks([p[1] for p in pairs])
    mean = (len(pairs) + 1) / 2
    cov = sum((x - mean) * (y - mean) for x, y in zip(a, b))
    va, vb = sum((x - mean) ** 2 for x in a), sum((y - mean) ** 2 for y in b)
    return cov / (va * vb) ** 0.5 if va and vb else None


def invocations(record):
    """Returns the size of the workgroup of a compute program; None for others."""
    if record['stage'] != 'compute':
        return None
    x, y, z = record['compute']['local_size']
    return x * y * z


def subgroups_per_simd(record):
    """Mesa's formula (radv_shader.c, radv_get_max_waves), which is no occupancy: it knows no groups."""
    wave = record['dispatch_width']
    amd = record['amd']
    allocated = ((amd['rsrc1'] & 63) + 1) * (8 if wave == 32 else 4)
    waves = min(MAX_WAVES, (1024 if wave == 32 else 512) // rounded_up(allocated, 16 if wave == 32 else 8))
    lds = 0
    if record['stage'] == 'fragment':
        inputs = len(amd['fragment'].get('spi_ps_input_cntl', []))
        lds = rounded_up(record['shared_bytes'] + BYTES_OF_INPUT * inputs, LDS_GRANULE)
    elif record['stage'] == 'compute':
        lds = rounded_up(record['shared_bytes'], LDS_GRANULE) // -(-invocations(record) // wave)
    if lds:
        waves = min(waves, -(-LDS_OF_SIMD // lds))
    return waves * (wave // 32)


def utilisation(record, wave):
    """Returns the share of lanes that a full workgroup uses. Mesa divides its throughput by it; bytes do not show it."""
    size = invocations(record)
    return 1.0 if size is None else size / rounded_up(size, wave)


class Executable:
    def __init__(self, result, executable):
        self.stage = result['stage']
        self.file = executable['binary']
        self.wave = executable['subgroup_size']
        self.peer = executable['stats']
        self.launch = executable['launch_record']
        with open(self.launch, encoding='utf-8') as record:
            self.record = json.load(record)
        self.ours = None

    def analyze(self, kiln):
        run = subprocess.run([kiln, 'analyze', '--target=gfx1030', '--json', '--launch=' + self.launch, self.file],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        if run.returncode == 0:
            self.ours = json.loads(run.stdout)
        return run.stderr.strip()

    def estimate(self, key):
        value = self.ours[ESTIMATES[key]]
        return value / utilisation(self.record, self.wave) if key == 'Inverse Throughput' else value


def read(path):
    """Returns the executables of a file that can be judged, and why others cannot."""
    whole, others = [], []
    with open(path, encoding='utf-8') as lines:
        for line in lines:
            result = json.loads(line)
            if not result['ok']:
                others.append((result['file'], 'does not compile in Mesa'))
            for executable in result.get('executables') or []:
                note = executable.get('binary_note') or executable.get('launch_record_note')
                if executable.get('binary') and executable.get('launch_record'):
                    whole.append(Executable(result, executable))
                else:
                    others.append((result['file'], note or 'has no binary or record'))
    return whole, others


def compare_counts(judged):
    """Prints a line for each key; returns whether all are equal."""
    equal = True
    for key, rows in KEYS.items():
        wrong = [e for e in judged if sum(e.ours[row] for row in rows) != e.peer[key]]
        print(f'  {key:20} {" + ".join(rows):55} equal in {len(judged) - len(wrong)} of {len(judged)}')
        for e in wrong[:5]:
            print(f'    {sum(e.ours[row] for row in rows)}, Mesa {e.peer[key]}: {e.file.rsplit("/", 1)[-1]}')
        equal = equal and not wrong
    wrong = [e for e in judged if subgroups_per_simd(e.record) != e.peer['Subgroups per SIMD']]
    print(f'  {"Subgroups per SIMD":20} {"(formula, of the record)":55} equal in {len(judged) - len(wrong)} of {len(judged)}')
    for e in wrong[:5]:
        print(f'    {subgroups_per_simd(e.record)}, Mesa {e.peer["Subgroups per SIMD"]}: {e.file.rsplit("/", 1)[-1]}')
    return equal and not wrong


def compare_estimates(judged, least):
    """Prints a line for each estimate; returns whether each rho over all stages is at least `least`."""
    good = True
    for key, row in ESTIMATES.items():
        pairs = [(e.estimate(key), e.peer[key]) for e in judged]
        rho = spearman(pairs)
        stages = []
        for stage in sorted({e.stage for e in judged}):
            of_stage = spearman([p for p, e in zip(pairs, judged) if e.stage == stage])
            stages.append(f'{stage} ' + ('-' if of_stage is None else f'{of_stage:.4f}'))
        same = sum(1 for ours, theirs in pairs if round(ours) == theirs)
        print(f'  {key:20} {row:20} rho {"-" if rho is None else format(rho, ".4f")} ({", ".join(stages)}); '
              f'equal in {same} of {len(pairs)}')
        good = good and rho is not None and rho >= least
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--kiln', required=True, help='the program kiln')
    parser.add_argument('--least', type=float, default=0.97, help='fail below this rho')
    parser.add_argument('--jobs', type=int, default=2)
    parser.add_argument('peer', nargs='+', help='JSON lines of tests/peer/run-peer with --dump-bin')
    args = parser.parse_args()
    good = True
    for path in args.peer:
        executables, others = read(path)
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            errors = list(pool.map(lambda e: e.analyze(args.kiln), executables))
        undecoded = [(e.file, error) for e, error in zip(executables, errors) if e.ours is None]
        judged = [e for e in executables if e.ours is not None]
        print(f'{path}: {len(judged)} binaries; not judged: {len(others)} without binary or record, '
              f'{len(undecoded)} that kiln refuses')
        for name, why in others + undecoded:
            print(f'  not judged  {name.rsplit("/", 1)[-1]}: {why}')
        good = good and bool(judged) and not undecoded
        if judged:
            good = compare_counts(judged) and good
            good = compare_estimates(judged, args.least) and good
    return 0 if good else 1


if __name__ == '__main__':
    sys.exit(main())
