#!/bin/sh
# Runs dashboards_test.py with the system's Python, whose gRPC it needs.
for program in promtool prometheus prometheus-alertmanager; do
  command -v $program > /dev/null || { echo "skipped: $program is not installed (deploy/packages/test.txt)"; exit 0; }
done
exec /usr/bin/python3 tests/service/dashboards_test.py server/kilnd server/worker/testing/fake_worker server/worker/testing/faulty_worker
