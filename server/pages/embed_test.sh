#!/bin/sh
# Tests embed.py.
exec env PYTHONDONTWRITEBYTECODE=1 python3 -m server.pages.embed_test
