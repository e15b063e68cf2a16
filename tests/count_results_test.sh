#!/bin/bash
exec python3 tests/count_results_test.py
