"""The daemon under the soak: a real kilnd at its own port, killed and started again at will.

Reads its log as it comes (unless told not to) and its state from /proc and /metrics.
"""

import collections
import json
import os
import re
import signal
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for s in sockets:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def parent_and_state(pid):
    try:
        with open("/proc/%d/stat" % pid) as f:
            state, parent = f.read().rsplit(")", 1)[1].split()[:2]
        return int(parent), state
    except (OSError, ValueError):
        return None, None


class Daemon:
    WORKERS = 2
    PROCESSES = 3  # including the spare one

    def __init__(self, kilnd, worker, directory, judge, log, flags=()):
        self.judge, self.log = judge, log
        grpc_port, metrics_port = free_ports(2)
        self.address = "127.0.0.1:%d" % grpc_port
        self.pages = "http://127.0.0.1:%d/" % metrics_port
        self.directory = directory
        self.config = directory + ".conf"
        self.configure("info", "10s")
        self.command = [
            kilnd, "--config=" + self.config, "--listen=" + self.address,
            "--metrics=127.0.0.1:%d" % metrics_port, "--cache-dir=" + directory,
            "--worker-binary=" + worker, "--workers=%d" % self.WORKERS, "--log-format=json",
            "--cache-bytes=4MiB", "--memory-cache-bytes=1MiB", "--queue=24", "--request-bytes=8MiB",
            "--max-module-bytes=1MiB", "--max-message-bytes=2MiB", "--max-connections=300",
            "--max-connections-per-address=300",
            "--idle-time=2s", "--probe-interval=1s", "--jobs-per-worker=300", "--job-time=10s",
            "--job-cpu-time=8s", "--job-memory=1GiB", "--recheck=none"] + list(flags)
        self.process = None
        self.reading = threading.Event()  # cleared: standard error is not read
        self.reading.set()
        self.log_bytes = collections.deque()  # (time, bytes), of the last minute
        self.most_bytes = 0  # in any minute
        self.events = collections.Counter()
        self.lost_lines = 0
        self.readers = []
        self.damaged = False  # the cache was damaged since this process started

    def configure(self, level, drain_time):
        with open(self.config, "w") as f:
            f.write("log-level = %s\ndrain-time = %s\n" % (level, drain_time))

    @property
    def pid(self):
        return self.process.pid if self.process and self.process.poll() is None else None

    def is_alive(self):
        """Returns True if it runs; otherwise also reports a finding, since the soak has not ended it."""
        code = self.process.poll()
        self.judge.check("kilnd lives until it is told to end", code is None,
                         "kilnd died with %s %s" % (code, self.judge.latest_faults()))
        return code is None

    def start(self):
        """Starts it; returns True if it answers its health page within a minute."""
        self.process = subprocess.Popen(self.command, stderr=subprocess.PIPE)
        self.damaged = False
        reader = threading.Thread(target=self.read_log, args=(self.process,), daemon=True)
        reader.start()
        self.readers.append(reader)
        for _ in range(600):
            if self.process.poll() is not None:
                break
            if self.page("healthz")[0] == "200":
                return True
            time.sleep(0.1)
        self.judge.finding("kilnd does not start: exit code %s" % self.process.poll())
        return False

    def kill(self):
        """Sends kill -9; its workers must end with it."""
        self.is_alive()
        workers = self.workers()
        self.process.kill()
        self.process.wait()
        self.await_gone(workers, "kill -9")

    def stop(self):
        if not self.is_alive():
            return
        workers = self.workers()
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(60)
            self.judge.check("SIGTERM ends with 0", code == 0, "exit code %s" % code)
        except subprocess.TimeoutExpired:
            self.judge.finding("SIGTERM has not ended kilnd after 60 s")
            self.process.kill()
            self.process.wait()
        self.await_gone(workers, "SIGTERM")

    def await_gone(self, workers, why):
        for _ in range(100):
            left = [w for w in workers if parent_and_state(w)[1] not in (None, "Z")]
            if not left:
                break
            time.sleep(0.1)
        self.judge.check("workers leave with their daemon", not left, "%s of %s after %s" % (
            left, workers, why))

    # The log --------------------------------------------------------------------------------------

    def read_log(self, process):
        while True:
            self.reading.wait()
            line = process.stderr.readline()
            if not line:
                process.stderr.close()
                return
            self.take_line(line)

    def take_line(self, line):
        now = time.monotonic()
        self.log.write(line)
        self.log_bytes.append((now, len(line)))
        while self.log_bytes[0][0] < now - 60:
            self.log_bytes.popleft()
        self.most_bytes = max(self.most_bytes, sum(n for _, n in self.log_bytes))
        try:
            fields = json.loads(line)
            self.events[fields["event"]] += 1
            self.lost_lines += fields.get("lost_lines", 0)
            if fields["event"] in ("listener_deaf", "start_failed"):
                self.judge.notes.append("log: " + line.decode().strip())
        except (ValueError, KeyError) as e:
            # A daemon killed in the middle of a line leaves half of it, and nothing after it.
            if line.endswith(b"\n"):
                self.judge.finding("log: no event in %r (%s)" % (line[:200], e))

    # Its visible state
    # -----------------------------------------------------------------------------

    def page(self, name):
        """Returns (status, text); the status "unreachable" has the reason as its text."""
        try:
            with urllib.request.urlopen(self.pages + name, timeout=20) as answer:
                return str(answer.status), answer.read().decode()
        except urllib.error.HTTPError as e:
            return str(e.code), e.read().decode(errors="replace")
        except (OSError, ValueError) as e:
            return "unreachable", str(e)
        except Exception as e:  # http.client's own, when it dies in the middle of a page
            return "unreachable", repr(e)

    def metrics(self):
        """Returns values by series as printed, or None."""
        status, text = self.page("metrics")
        if status != "200":
            return None
        return {l.rsplit(" ", 1)[0]: float(l.rsplit(" ", 1)[1])
                for l in text.splitlines() if l and l[0] != "#"}

    def children(self):
        """[(pid, state)]"""
        pid = self.pid
        found = []
        for name in os.listdir("/proc"):
            if name.isdigit():
                parent, state = parent_and_state(int(name))
                if parent == pid and pid is not None:
                    found.append((int(name), state))
        return found

    def workers(self):
        return [pid for pid, state in self.children() if state != "Z"]

    def resident_bytes(self):
        with open("/proc/%d/status" % self.pid) as f:
            return int(re.search(r"VmRSS:\s*(\d+) kB", f.read()).group(1)) * 1024

    def descriptors(self):
        """Returns (files of the cache, all others)."""
        files = others = 0
        folder = "/proc/%d/fd" % self.pid
        for fd in os.listdir(folder):
            try:
                target = os.readlink(os.path.join(folder, fd))
            except OSError:
                continue
            if target.startswith(self.directory):
                files += 1
            else:
                others += 1
        return files, others
