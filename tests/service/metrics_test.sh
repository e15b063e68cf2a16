#!/bin/sh
# Runs metrics_test.py with the system's Python, whose gRPC and whose parser of metrics it needs.
for program in promtool prometheus; do
  command -v $program > /dev/null || { echo "skipped: $program is not installed (Debian's package prometheus)"; exit 0; }
done
exec /usr/bin/python3 tests/service/metrics_test.py server/kilnd server/worker/testing/fake_worker
