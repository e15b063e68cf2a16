#!/bin/bash
# Reads the checkout's sources, not their copies here.
set -e
export PYTHONDONTWRITEBYTECODE=1
KILN_ROOT=$(dirname "$(dirname "$(readlink -f core/README.md)")")
export KILN_ROOT
exec python3 tests/format/format_test.py
