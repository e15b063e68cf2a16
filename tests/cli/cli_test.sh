#!/bin/bash
# The kiln command end to end; see cli_test.py.
exec python3 tests/cli/cli_test.py "$@"
