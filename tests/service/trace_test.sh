#!/bin/sh
# Runs trace_test.py with the system's Python, whose gRPC it needs.
exec /usr/bin/python3 tests/service/trace_test.py server/kilnd server/worker/testing/fake_worker server/worker/testing/faulty_worker \
  client/kiln "$@"
