#!/bin/bash
# Runs deploy/quickstart with the programs of this build instead of its own: a daemon that is
# started twice, and whose log grows as it would in weeks.
set -uo pipefail

scratch=$(mktemp -d "${TEST_TMPDIR:-/tmp}/quickstart.XXXXXX")
export XDG_STATE_HOME=$scratch HOME=$scratch
state=$scratch/kiln
log=$state/kilnd.log
failures=0
wrong() { echo "FAILED: $*" >&2; failures=$((failures + 1)); }
check() { "$@" || wrong "not so: $*"; }
await() {
  local i
  for ((i = 0; i < 3000; ++i)); do
    ! "$@" || return 0
    sleep 0.02
  done
  wrong "did not happen: $*"
}
quickstart() { "$scratch/deploy/quickstart" "$@" > "$scratch/said" 2>&1 || { wrong "quickstart $*"; cat "$scratch/said"; }; }
finish() {
  "$scratch/deploy/quickstart" --stop > /dev/null
  rm -rf "$scratch"
}
trap finish EXIT

# A tree with one shader that every target compiles and one that not every target does, and a bazel
# that has built.
mkdir -p "$scratch/deploy" "$scratch/tests/shaders" "$scratch/bin"
cp deploy/quickstart "$scratch/deploy/"
cp -RL deploy/prometheus "$scratch/deploy/"
cp tests/shaders/saxpy.comp "$scratch/tests/shaders/"
printf '#version 450\nvoid main() {}\n' > "$scratch/tests/shaders/nothing.vert"
printf '#!/bin/sh\n[ "$1" != info ] || echo "%s"\n' "$PWD" > "$scratch/bin/bazel"
chmod 755 "$scratch/bin/bazel"
export PATH=$scratch/bin:$PATH
# A socket's path is short; the test's folder may be long.
socket=$(mktemp -d /tmp/kiln-quickstart.XXXXXX)
trap 'finish; rm -rf "$socket"' EXIT
start=(--no-install "--listen=unix:$socket/s" --metrics=127.0.0.1:0)

small() { [ "$(stat -c %s "$log")" -lt 1000000 ]; }
grown() { [ "$(stat -c %s "$log.1" 2> /dev/null)" -gt 1000000 ]; }

quickstart "${start[@]}"
check grep -q '2 of 2 shaders compiled' "$scratch/said"
check grep -q 'saxpy.comp  gfx1030  compute  ok' "$scratch/said"
check grep -q 'nothing.vert  gfx1030  vertex  ok' "$scratch/said"
check grep -q 'event=started' "$log"
for weeks in 1 2; do
  # Two weeks' size of the log (a sparse file, which takes no room on the disk); the next line is
  # too much.
  rm -f "$log.1"
  truncate -s 100M "$log"
  kill -USR1 "$(cat "$state/kilnd.pid")"
  await grown
  await grep -q 'event=signal_ignored' "$log"
  check small
done
quickstart --stop
check grep -q 'event=stopped' "$log"
quickstart "${start[@]}"
check grep -q 'event=signal_ignored' "$log"
check grep -q 'event=started' "$log"
check [ "$(ls "$state" | grep -c '^kilnd\.log')" = 2 ]
# A socket's path is relative to the caller's directory, and the printed command names it in full.
quickstart --stop
(cd "$socket" && quickstart --no-install --listen=unix:near --metrics=127.0.0.1:0)
check [ -S "$socket/near" ]
check grep -q -- "--server=unix:$socket/near " "$scratch/said"
# A shader that no target compiles is a failure.
echo nonsense > "$scratch/tests/shaders/wrong.frag"
! "$scratch/deploy/quickstart" --no-install "--listen=unix:$socket/near" --metrics=127.0.0.1:0 > "$scratch/said" 2>&1 ||
  wrong "compiled nonsense"
check grep -q '2 of 3 shaders compiled' "$scratch/said"
check grep -q 'not compiled: wrong.frag' "$scratch/said"
# A Prometheus that scrapes the daemon, whatever port that took, and ends with it.
if command -v prometheus > /dev/null; then
  rm "$scratch/tests/shaders/wrong.frag"
  ask() { curl -s --max-time 10 "http://$monitor/api/v1/$1"; }
  port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  monitor=127.0.0.1:$port
  quickstart --no-install "--listen=unix:$socket/near" --metrics=127.0.0.1:0 "--with-prometheus=$monitor"
  check grep -q "^Prometheus   http://$monitor " "$scratch/said"
  check grep -q "^graphs       http://$monitor/graph?g0.expr=%73%75%6d" "$scratch/said"
  scraped() { ask 'query?query=kiln_code_results_total' | grep -q '"stage":"compute"'; }
  await scraped
  check test "$(ask rules | grep -o '"name":"Kiln[A-Za-z]*"' | sort -u | wc -l)" = 13
  quickstart --status
  check grep -q "^Prometheus (pid [0-9]*): http://$monitor\$" "$scratch/said"
  quickstart --stop
  check grep -q 'Prometheus is stopped' "$scratch/said"
  ! ask rules > "$scratch/said" || wrong "Prometheus answers after --stop"
else
  echo "without Prometheus, which is not installed"
fi
# Errors before the log exists are printed, too.
quickstart --stop
! "$scratch/deploy/quickstart" --no-install --listen=nowhere:x --metrics=127.0.0.1:0 > "$scratch/said" 2>&1 ||
  wrong "started on nowhere:x"
check grep -q 'kilnd' "$scratch/said"

[ $failures = 0 ] || exit 1
echo "all is well"
