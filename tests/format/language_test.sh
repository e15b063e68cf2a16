#!/bin/bash
# Checks the words of comments, docstrings and READMEs in the checkout, not in their copies here.
set -e
export PYTHONDONTWRITEBYTECODE=1
root=$(dirname "$(dirname "$(readlink -f core/README.md)")")
python3 -m tests.format.language_test
python3 tests/format/language.py "$root"
