#!/bin/bash
# Debian's Python has numpy, if the package is installed.
exec /usr/bin/python3 tests/outside/outside_test.py
