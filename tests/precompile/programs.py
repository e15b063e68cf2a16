"""kilnd and kiln as child processes, for tests that kill them."""

import json
import os
import re
import signal
import subprocess
import tempfile
import time

KILN = os.path.abspath(os.environ.get("KILN", "client/kiln"))
KILND = os.path.abspath(os.environ.get("KILND", "server/kilnd"))


class Daemon:
    """One kilnd; it can be killed and started again on the same address and cache."""

    def __init__(self, folder):
        self.address = "127.0.0.1:0"
        self.cache = tempfile.mkdtemp(dir=folder)
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [KILND, "--listen=" + self.address, "--metrics=none", "--cache-dir=" + self.cache],
            stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            if "event=started" in line:
                self.address = re.search(r"listening on (127\.0\.0\.1:\d+)", line).group(1)
                return
        raise RuntimeError("kilnd did not start")

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stderr.close()

    def stop(self):
        self.process.terminate()
        self.process.wait(60)
        self.process.stderr.close()


def command(daemon, database, *arguments):
    return [KILN, "precompile", "--json", "--server=" + daemon.address, "--target=tgl",
            "-o", database, *arguments]


def precompile(daemon, database, *arguments):
    """Runs to the end; returns the summary, seconds and the most resident memory, in MiB."""
    start = time.monotonic()
    process = subprocess.Popen(command(daemon, database, *arguments), stdout=subprocess.PIPE)
    out = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    if process.returncode not in (0, 1):
        raise RuntimeError("kiln precompile ended with %d" % process.returncode)
    return json.loads(out), time.monotonic() - start, usage.ru_maxrss / 1024


def disturbed(daemon, database, seconds, kills, *arguments):
    """Runs as often as it takes, and kills client and daemon in turns, `kills` times each.

    `seconds`: how long an undisturbed run takes; the kills are spread over it. Returns the summary
    of the last run, and how many kills met a running client.
    """
    met = 0
    pause = seconds / (2 * kills + 1)
    for turn in range(2 * kills):
        process = subprocess.Popen(command(daemon, database, *arguments), stdout=subprocess.PIPE)
        time.sleep(pause)
        running = process.poll() is None
        met += running
        if turn % 2 == 0:
            process.kill()
        else:
            daemon.kill()
            time.sleep(0.2)
            daemon.start()
            time.sleep(pause / 2)
            process.kill()
        process.wait()
        process.stdout.close()
    summary, _, _ = precompile(daemon, database, *arguments)
    return summary, met
