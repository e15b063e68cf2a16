#!/bin/bash
# Checks the arrows between rooms, and their picture in core/README.md.
set -e
export PYTHONDONTWRITEBYTECODE=1
python3 -m tests.layers.layers_test tests/layers/graph
python3 tests/layers/layers.py tests/layers/graph --picture core/README.md
