#!/bin/bash
exec python3 tests/random_glsl/generate_test.py
