#!/bin/bash
# deploy/build-cost with a bazel whose costs are known: what it prints is them, and nothing is left.
set -uo pipefail

scratch=$(mktemp -d "${TEST_TMPDIR:-/tmp}/build-cost.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
failures=0
wrong() { echo "FAILED: $*" >&2; failures=$((failures + 1)); }
mkdir -p "$scratch/deploy" "$scratch/bin" "$scratch/built"
cp deploy/build-cost "$scratch/deploy/"

# 1 s of a processor in a child of a child, 64 MiB of disk (one file of them linked twice), 256 MiB of memory.
cat > "$scratch/bin/bazel" <<'EOF'
#!/usr/bin/env python3
import os, subprocess, sys, time
open(os.environ['SAID'], 'w').write(' '.join(sys.argv[1:]))
if '//fails' in sys.argv:
    sys.exit(1)
base = next(a.split('=', 1)[1] for a in sys.argv if a.startswith('--output_base='))
with open(base + '/a', 'wb') as file:
    file.write(os.urandom(64 << 20))
os.link(base + '/a', base + '/b')
os.mkdir(base + '/c')
os.chmod(base + '/c', 0o500)
burn = 'import time\nwhile time.process_time() < 1: pass'
subprocess.run(['sh', '-c', 'python3 -c "%s"; true' % burn], check=True)
held = bytearray(os.urandom(1) * (256 << 20))
time.sleep(1.5)
EOF
chmod 755 "$scratch/bin/bazel"
export PATH=$scratch/bin:$PATH SAID=$scratch/said

printed=$("$scratch/deploy/build-cost" --folder="$scratch/built" --cores=1) || wrong "exit code $?"
echo "$printed"
pattern='^//server:kilnd .*, from nothing: user\+sys ([0-9.]+) s, wall ([0-9.]+) s on 1 cores \(load before [0-9.]+\), disk ([0-9.]+) GiB, memory ([0-9.]+) GiB$'
if [[ $printed =~ $pattern ]]; then
  between() { awk -v x="$2" -v least="$3" -v most="$4" 'BEGIN { exit !(x >= least && x <= most) }' || wrong "$1 is $2"; }
  between user+sys "${BASH_REMATCH[1]}" 1.0 6
  between wall "${BASH_REMATCH[2]}" 2.5 60
  between disk "${BASH_REMATCH[3]}" 0.06 0.07     # 64 MiB, once
  between memory "${BASH_REMATCH[4]}" 0.25 0.6
else
  wrong "not the line that is wanted"
fi
grep -q -- '--batch .*--disk_cache= .*-- //server:kilnd //client:kiln' "$scratch/said" || wrong "called: $(cat "$scratch/said")"
[ -z "$(ls -A "$scratch/built")" ] || wrong "left: $(ls "$scratch/built")"

"$scratch/deploy/build-cost" --folder="$scratch/built" //fails 2> /dev/null && wrong "a build that fails has a cost"
grep -q -- '-- //fails$' "$scratch/said" || wrong "called: $(cat "$scratch/said")"
"$scratch/deploy/build-cost" --coers=1 2> /dev/null
[ $? = 2 ] || wrong "an unknown flag is taken"

[ $failures = 0 ]
