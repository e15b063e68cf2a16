"""Headless Chromium, for pages that need no network."""

import os
import shutil
import subprocess
import tempfile

CHROMIUM = shutil.which('chromium')
FLAGS = ('--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
         '--disable-background-networking', '--disable-component-update', '--disable-sync')
SECONDS = 90


def run(page, folder, *flags):
    """Opens a page; returns standard output."""
    profile = tempfile.mkdtemp(dir=folder)
    done = subprocess.run([CHROMIUM, *FLAGS, '--user-data-dir=' + profile, *flags, 'file://' + page],
                          capture_output=True, timeout=SECONDS, check=True, env={**os.environ, 'HOME': profile})
    shutil.rmtree(profile, ignore_errors=True)
    return done.stdout.decode()


def dom(page, folder):
    """Returns the document as it is after its scripts have run."""
    return run(page, folder, '--dump-dom', '--window-size=1300,900')


def screenshot(page, folder, picture, width, height, dark=False):
    run(page, folder, '--screenshot=' + picture, '--window-size=%d,%d' % (width, height),
        '--force-device-scale-factor=1', '--blink-settings=preferredColorScheme=%d' % (0 if dark else 1))
