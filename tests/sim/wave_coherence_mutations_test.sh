#!/bin/bash
exec python3 tests/sim/wave_coherence_mutations_test.py
