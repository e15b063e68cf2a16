#!/bin/sh
# Runs attacks_test.py with the system's Python, whose gRPC it needs (python3-grpcio).
exec /usr/bin/python3 tests/service/attacks_test.py
