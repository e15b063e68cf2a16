#!/bin/sh
exec python3 -B client/schemas/keys_test.py
