#!/bin/bash
exec python3 tests/diff/judge_test.py
