#!/bin/bash
exec python3 tests/drive/drive_test.py
