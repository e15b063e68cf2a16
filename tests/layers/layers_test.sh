#!/bin/bash
# The arrows between rooms, and the picture of them in core/README.md.
set -e
export PYTHONDONTWRITEBYTECODE=1
python3 -m tests.layers.layers_test tests/layers/graph
python3 tests/layers/layers.py tests/layers/graph --picture core/README.md
