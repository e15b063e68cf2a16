#!/bin/sh
# Runs freeze_test.py with the system's Python, whose protobuf it needs (python3-protobuf).
exec /usr/bin/python3 -B proto/freeze_test.py
