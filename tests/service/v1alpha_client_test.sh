#!/bin/sh
# Runs v1alpha_client_test.py with the system's Python, whose gRPC it needs (python3-grpcio).
exec /usr/bin/python3 -B tests/service/v1alpha_client_test.py server/kilnd server/worker/testing/fake_worker
