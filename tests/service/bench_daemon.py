"""A kilnd on loopback with a new cache, for the benchmarks that are scripts."""

import os
import shutil
import subprocess
import tempfile
import time

from soak_daemon import free_ports, parent_and_state


class BenchDaemon:
    """Runs while the `with` block does; `folder` is removed at its end."""

    def __init__(self, programs, flags=()):
        self.programs, self.flags = programs, list(flags)
        self.folder = tempfile.mkdtemp(prefix="kiln-bench-")
        self.address = "127.0.0.1:%d" % free_ports(1)[0]

    def __enter__(self):
        with open(self.path("kilnd.log"), "wb") as log:
            self.process = subprocess.Popen(
                [os.path.join(self.programs, "server/kilnd"), "--listen=" + self.address,
                 "--metrics=none", "--cache-dir=" + self.path("cache")] + self.flags,
                stdout=log, stderr=log)
        health = self.command("health")
        while subprocess.run(health, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
            if self.process.poll() is not None:
                with open(self.path("kilnd.log")) as f:
                    raise RuntimeError("kilnd does not start: " + f.read())
            time.sleep(0.05)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def command(self, name, *arguments):
        """Returns arguments that run kiln NAME against this daemon."""
        return [os.path.join(self.programs, "client/kiln"), name, "--server=" + self.address,
                *arguments]

    def workers(self):
        pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
        return [pid for pid in pids if parent_and_state(pid)[0] == self.process.pid]
