"""The course of a soak: rounds of load, load with faults and rest; then injected faults.

At rest, when no client is left, memory, descriptors and processes must be back at the level of the
first rest, and the daemon must have counted what the clients counted.
"""

import collections
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

from soak_daemon import Daemon
from soak_faults import Faults
from soak_judge import Judge
from soak_load import Clients
from soak_requests import Requests

# Bounds. Memory: above the first rest; what the C++ allocator and RocksDB's caches keep beside the
# memory cache (1 MiB). Files: six generations and one that is being created or removed; a fifth of
# 4 MiB is 14 tables of 64 KiB, and 6 other files each.
MEMORY_SLACK = 48 << 20
OTHER_DESCRIPTORS_SLACK = 2
MOST_FILES = 7 * (14 + 6)
LOG_BYTES_A_MINUTE = 256 << 10
TMPFS = 32 << 20

LOAD = ["compile"] * 4 + ["stream", "wrong", "look"] * 2 + [
    "digests", "probe", "cancelled", "deadline", "unread", "killed_client", "idle", "burst",
    "quarantine"]
LOAD_WITH_INJECTION = ["compile"] * 3 + ["injected"] * 2 + ["stream", "look", "quarantine"]


def generate(out):
    """Generates Python modules of the public protos into `out`, which becomes importable."""
    subprocess.run(["protoc", "-Iproto", "--python_out=" + out, "--grpc_python_out=" + out,
                    "--plugin=protoc-gen-grpc_python=/usr/bin/grpc_python_plugin",
                    "kiln/v1/compiler.proto", "kiln/v1/compile.proto", "kiln/v1/launch_record.proto"],
                   check=True)
    sys.path.insert(0, out)
    from kiln.v1 import compile_pb2, compiler_pb2, compiler_pb2_grpc
    return compile_pb2, compiler_pb2, compiler_pb2_grpc


def total(metrics, name):
    """Returns the sum over all series of a family."""
    return sum(value for series, value in metrics.items() if series.split("{")[0] == name)


class Soak:
    """`patience`: seconds that a daemon at rest has to return to its first level."""

    def __init__(self, programs, seconds, seed, patience=30, log=os.devnull):
        self.seconds, self.seed, self.patience = seconds, seed, patience
        self.log = open(log, "wb", buffering=0)
        self.kilnd, self.kiln, self.faulty_worker = (
            os.path.abspath(os.path.join(programs, p))
            for p in ("server/kilnd", "client/kiln", "server/worker/testing/faulty_worker"))
        self.work = tempfile.mkdtemp(prefix="kiln-soak-")
        self.pb, compiler_pb2, stubs = generate(self.work)
        self.judge = Judge(self.pb)
        self.tmpfs = self.mount()
        self.requests = Requests(self.pb, "tests/shaders", self.work, seed)
        if not self.requests.modules:
            self.judge.notes.append("no glslangValidator: nothing was sent as SPIR-V")
        self.daemon = self.make_daemon("cache", "")
        self.clients = Clients(self.daemon, self.judge, self.requests, self.pb, compiler_pb2, stubs,
                               self.kiln, "tests/shaders", seed)
        self.faults = Faults(self.daemon, self.judge, seed, self.tmpfs)
        self.faults.probe = self.clients.stored
        self.first_rest = None

    def make_daemon(self, name, worker, flags=()):
        return Daemon(self.kilnd, worker, os.path.join(self.tmpfs or self.work, name), self.judge,
                      self.log, flags)

    def mount(self):
        """Mounts a small file system for the cache and returns its path, or None."""
        path = os.path.join(self.work, "small")
        os.mkdir(path)
        if os.geteuid() == 0 and subprocess.run(
                ["mount", "-t", "tmpfs", "-o", "size=%d" % TMPFS, "soak", path],
                stderr=subprocess.DEVNULL).returncode == 0:
            return path
        self.judge.notes.append("SKIPPED: full disk, read-only disk (they need root and a tmpfs)")
        return None

    def run(self):
        """Returns True if there was no finding."""
        try:
            if self.begin():
                self.rounds()
                self.injections()
                self.compare_with_local()
        finally:
            self.end()
        return self.judge.verdict()

    def begin(self):
        self.began = time.monotonic()
        return self.daemon.start()

    def end(self):
        if self.daemon.pid:
            self.daemon.stop()
        if self.tmpfs:
            subprocess.run(["umount", "-l", self.tmpfs])
        self.log.close()
        shutil.rmtree(self.work, ignore_errors=True)

    def say(self, text):
        print("%6.1f s  %s" % (time.monotonic() - self.began, text), flush=True)

    # Rounds ---------------------------------------------------------------------------------------

    def rounds(self):
        until = self.began + self.seconds * 0.85
        length = min(60, self.seconds / 3)
        self.load(length / 4, LOAD)
        self.rest()
        while time.monotonic() < until:
            self.load(length / 4, LOAD)
            self.load(length / 2, LOAD, faults=True)
            self.rest()

    def load(self, seconds, kinds, faults=False):
        self.say("load%s" % (" with faults" if faults else ""))
        self.clients.start(kinds)
        until = time.monotonic() + seconds
        if faults:
            self.faults.schedule(until, most_pause=1.5)
        time.sleep(max(0, until - time.monotonic()))
        self.clients.stop()

    def rest(self):
        """Waits up to `patience` until the daemon is back at its first level, then judges its level."""
        if not self.daemon.is_alive() and not self.daemon.start():
            return
        first = self.first_rest
        for _ in range(2 * self.patience):
            time.sleep(0.5)
            level = self.level()
            if level and self.is_quiet(level) and (first is None or self.is_back(level, first)):
                break
        if level is None:
            self.judge.finding("at rest: /metrics does not answer")
            return
        self.judge.levels.append("%5.0f s  " % (time.monotonic() - self.began) + "  ".join(
            "%s %s" % (k, round(v, 1) if isinstance(v, float) else v) for k, v in level.items()))
        self.say(self.judge.levels[-1])
        if first is None:
            self.first_rest = first = level
        self.judge_level(level, first)
        self.judge_counts()

    def level(self):
        metrics = self.daemon.metrics()
        if metrics is None:
            return None
        children = self.daemon.children()
        files, others = self.daemon.descriptors()
        return collections.OrderedDict([
            ("MiB", self.daemon.resident_bytes() / 2.0**20), ("files", files), ("others", others),
            ("workers", sum(s != "Z" for _, s in children)),
            ("zombies", sum(s == "Z" for _, s in children)),
            ("in flight", int(total(metrics, "kiln_requests_in_flight"))),
            ("request bytes", int(metrics["kiln_request_bytes"])),
            ("queued", int(total(metrics, "kiln_queue_depth"))),
            ("busy", int(metrics["kiln_workers_busy"])),
            ("disk serving", int(metrics['kiln_cache_disk_state{state="serving"}'])),
            ("log KiB/min", self.daemon.most_bytes / 1024.0)])

    @staticmethod
    def is_quiet(level):
        none = ("zombies", "in flight", "request bytes", "queued", "busy")
        return (level["workers"] == Daemon.PROCESSES and level["disk serving"] == 1 and
                all(level[k] == 0 for k in none))

    @staticmethod
    def is_back(level, first):
        return (level["others"] <= first["others"] + OTHER_DESCRIPTORS_SLACK and
                level["files"] <= MOST_FILES and
                level["MiB"] <= first["MiB"] + MEMORY_SLACK / 2.0**20)

    def judge_level(self, level, first):
        check = self.judge.check
        check("at rest nothing is under way, all workers live, the disk serves",
              self.is_quiet(level), dict(level))
        check("at rest memory and descriptors are back", self.is_back(level, first),
              "%s, first %s" % (dict(level), dict(first)))
        check("the log is bounded", self.daemon.most_bytes <= LOG_BYTES_A_MINUTE,
              "%d bytes in a minute" % self.daemon.most_bytes)

    def judge_counts(self):
        """Compares kiln_requests_total of this daemon with its clients' counts."""
        metrics, life = self.daemon.metrics() or {}, self.daemon.pid
        unsure = self.judge.by_life[life, "uncertain"]
        for code in ("OK", "INVALID_ARGUMENT", "UNAVAILABLE"):
            seen = self.judge.by_life[life, code]
            counted = sum(metrics.get('kiln_requests_total{code="%s",method="%s"}' % (code, method), 0)
                          for method in ("Compile", "CompileStream/item"))
            self.judge.check("metrics count what clients count", seen <= counted <= seen + unsure,
                             "%s: clients %d (and %d whose end is not known), kilnd %d" % (
                                 code, seen, unsure, counted))

    # Faults inside of a job -----------------------------------------------------------------------

    def injections(self):
        """Runs another daemon, with a worker that injects faults."""
        self.daemon.stop()
        self.faults.all = []
        daemon = self.make_daemon("injected", self.faulty_worker, ["--enable-fault-injection",
                                                                   "--job-time=2s"])
        self.daemon = self.clients.daemon = daemon
        self.first_rest = None
        if not daemon.start():
            return
        self.judge.begin("injected")
        self.load(1 + self.seconds * 0.02, ["compile"] * 3 + ["look"])
        self.rest()
        self.load(self.seconds * 0.1, LOAD_WITH_INJECTION)
        self.rest()

    # The compiler without a daemon ----------------------------------------------------------------

    def compare_with_local(self):
        rng = random.Random("%d local" % self.seed)
        known = sorted(self.judge.sample)
        for p in rng.sample(known, min(len(known), 8 + int(self.seconds / 10))):
            self.judge.check("kiln --local makes the same", *self.local(p))

    def local(self, p):
        """Returns (True if kiln --local makes the same code, the difference)."""
        request, flags, shader = self.requests.permutation(p)
        out = os.path.join(self.work, "local")
        shutil.rmtree(out, ignore_errors=True)
        source = os.path.join(self.work, shader.name)
        is_module = request.WhichOneof("source") == "spirv"
        if is_module:
            source += ".spv"
        with open(source, "wb") as f:
            f.write(request.spirv if is_module else request.glsl.text.encode())
        made = subprocess.run(
            [self.kiln, "compile", "--local", "--target=tgl", "-o", out, source] + flags,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        codes = []
        for name in sorted(os.listdir(out)) if os.path.isdir(out) else []:
            if name.endswith(".bin"):
                with open(os.path.join(out, name), "rb") as f:
                    codes.append(f.read())
        return (sorted(codes) == self.judge.sample[p],
                "permutation %d, %s %s: %s" % (p, shader.name, flags, made.stdout[-300:]))
