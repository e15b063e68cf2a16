#!/bin/bash
# kiln precompile end to end; see precompile_test.py.
PYTHONDONTWRITEBYTECODE=1 exec python3 tests/precompile/precompile_test.py
