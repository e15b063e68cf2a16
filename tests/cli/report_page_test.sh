#!/bin/sh
# Runs report_page_test.py on the kiln that was built.
export PYTHONDONTWRITEBYTECODE=1
exec python3 -m tests.cli.report_page_test client/kiln
