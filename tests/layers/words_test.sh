#!/bin/bash
# What only some rooms of core/ may speak of, in the sources themselves and not in their copies here.
set -e
export PYTHONDONTWRITEBYTECODE=1
root=$(dirname "$(dirname "$(readlink -f core/README.md)")")
python3 -m tests.layers.words_test
python3 tests/layers/words.py "$root"
