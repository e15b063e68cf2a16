#!/bin/sh
# Runs pages_test.py with the system's Python, whose gRPC it needs (python3-grpcio).
export PYTHONDONTWRITEBYTECODE=1
exec /usr/bin/python3 -m tests.service.pages_test server/kilnd server/worker/testing/fake_worker
