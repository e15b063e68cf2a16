#!/bin/bash
exec python3 tests/amd/compare_statistics_test.py
