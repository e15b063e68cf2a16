#!/bin/bash
exec python3 tests/sim/wave_paths_test.py
