#!/bin/bash
# The page of kiln trace in a browser; see page_test.py.
exec python3 tests/trace/page_test.py "$@"
