#!/bin/bash
# Checks words that only some rooms of core/ may use, names of passes, READMEs and references to
# files, in the checkout's sources and not in their copies here.
set -e
export PYTHONDONTWRITEBYTECODE=1
root=$(dirname "$(dirname "$(readlink -f core/README.md)")")
python3 -m tests.layers.words_test
python3 tests/layers/words.py "$root"
python3 -m tests.layers.pass_names_test
python3 tests/layers/pass_names.py "$root"
python3 -m tests.layers.readmes_test
python3 tests/layers/readmes.py "$root"
python3 -m tests.layers.references_test
python3 tests/layers/references.py "$root"
