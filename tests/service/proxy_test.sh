#!/bin/sh
# Runs proxy_test.py with the system's Python, whose gRPC it needs (python3-grpcio).
exec /usr/bin/python3 tests/service/proxy_test.py server/kilnd server/worker/testing/fake_worker client/kiln
