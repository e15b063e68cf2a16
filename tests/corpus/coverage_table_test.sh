#!/bin/bash
exec python3 -m tests.corpus.coverage_table_test
