#!/bin/bash
exec python3 tests/sim/wait_mutations_test.py
