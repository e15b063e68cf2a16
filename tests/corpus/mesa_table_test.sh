#!/bin/bash
exec python3 -m tests.corpus.mesa_table_test
