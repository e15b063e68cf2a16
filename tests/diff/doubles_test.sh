#!/bin/bash
exec python3 tests/diff/doubles_test.py tests/kilnc/kilnc tests/sim/rdna2_run
