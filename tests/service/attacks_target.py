"""The target of the attacks: a daemon with its default settings, watched meanwhile."""

import collections
import importlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback

import grpc
from soak_daemon import free_ports, parent_and_state

MIB = 1 << 20
Attack = collections.namedtuple("Attack", "name point function")
_attacks = []

HONEST = """#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer B { uint x[]; };
void main() { x[gl_GlobalInvocationID.x] += %du; }
"""


def attack(name, point):
    """Declares a function (Case) -> the outcome, in words; `point`: its kind."""
    def declare(function):
        _attacks.append(Attack(name, point, function))
        return function
    return declare


def load():
    for module in ("attacks_network", "attacks_worker", "attacks_files"):
        importlib.import_module(module)
    return list(_attacks)


class Programs:
    def __init__(self, folder):
        self.kilnd = self.find(folder, "server/kilnd")
        self.worker = self.find(folder, "server/worker/kiln_worker")
        self.kiln = self.find(folder, "client/kiln")
        text = subprocess.run([self.kilnd, "--help"], capture_output=True, text=True).stdout
        self.settings = set(re.findall(r"--([a-z-]+)=", text))
        self.work = tempfile.mkdtemp(prefix="kiln_attacks_", dir="/tmp")
        subprocess.run(
            ["protoc", "-I.", "-Iproto", "--python_out=" + self.work, "kiln/v1/compiler.proto",
             "kiln/v1/compile.proto", "kiln/v1/launch_record.proto", "proto/worker.proto"], check=True)
        sys.path.insert(0, self.work)
        from kiln.v1 import compile_pb2
        from proto import worker_pb2
        self.pb, self.worker_pb = compile_pb2, worker_pb2

    @staticmethod
    def find(folder, name):
        for path in (os.path.join(folder, name), os.path.join(folder, os.path.basename(name))):
            if os.path.exists(path):
                return path
        sys.exit("%s has no %s" % (folder, name))


def memory(pid):
    """Returns (resident bytes of the process, of all its children)."""
    own = children = 0
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        if int(name) != pid and parent_and_state(int(name))[0] != pid:
            continue
        try:
            with open("/proc/%s/statm" % name) as f:
                resident = int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, ValueError):
            continue
        if int(name) == pid:
            own = resident
        else:
            children += resident
    return own, children


class Daemon:
    """A kilnd with an empty cache; settings that it does not know are left out."""

    def __init__(self, programs, settings, worker=None):
        self.programs = programs
        self.directory = tempfile.mkdtemp(dir=programs.work)
        port, pages = free_ports(2)
        self.address, self.pages = "127.0.0.1:%d" % port, ("127.0.0.1", pages)
        settings = {"listen": self.address, "metrics": "127.0.0.1:%d" % pages, "workers": "2",
                    "cache-dir": self.directory + "/cache",
                    "worker-binary": worker or programs.worker, **settings}
        self.log_path = self.directory + "/log"
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(
                [programs.kilnd] + ["--%s=%s" % s for s in settings.items()
                                    if s[0] in programs.settings],
                stderr=log, stdout=log, stdin=subprocess.DEVNULL)
        self.pid = self.process.pid

    def channel(self):
        """Returns a channel with its own connection."""
        return grpc.insecure_channel(self.address, [
            ("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1),
            ("grpc.use_local_subchannel_pool", 1)])

    def log(self):
        with open(self.log_path, "rb") as f:
            return f.read()

    def await_ready(self):
        request = self.honest_request(0)
        for _ in range(200):
            if self.process.poll() is not None:
                break
            with self.channel() as channel:
                if compile_on(channel, self.programs.pb, request, 5)[0] == "OK":
                    return True
            time.sleep(0.1)
        return False

    def honest_request(self, number):
        pb = self.programs.pb
        return pb.CompileRequest(
            glsl=pb.GlslSource(text=HONEST % number, name="honest.comp", stage="compute"),
            targets=["tgl"], outputs=pb.OutputMask(binary=True))

    def end(self):
        """Returns the seconds until SIGTERM ended it; None if it did not."""
        if self.process.poll() is None:
            start = time.monotonic()
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(45)
                return time.monotonic() - start
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        return None


def call(channel, method, data, timeout, **how):
    """Returns (name of the gRPC status, bytes or text)."""
    try:
        return "OK", channel.unary_unary(method)(data, timeout=timeout, **how)
    except grpc.RpcError as e:
        return e.code().name, e.details()


def compile_on(channel, pb, request, timeout):
    """Returns (name of the gRPC status, CompileResponse or text)."""
    status, data = call(channel, "/kiln.v1.Compiler/Compile", request.SerializeToString(), timeout)
    return status, pb.CompileResponse.FromString(data) if status == "OK" else data


class Watch:
    """Polls the daemon's memory and requests cached results, as an honest client."""

    def __init__(self, daemon):
        self.daemon, self.latencies, self.missed = daemon, [], 0
        self.rest, self.most = memory(daemon.pid), (0, 0)
        self.stop = threading.Event()
        self.threads = [threading.Thread(target=f, daemon=True) for f in (self.poll, self.ask)]
        for t in self.threads:
            t.start()

    def poll(self):
        while not self.stop.wait(0.005):
            self.most = tuple(map(max, self.most, memory(self.daemon.pid)))

    def ask(self):
        request = self.daemon.honest_request(0)
        channel = self.daemon.channel()
        while not self.stop.wait(0.05):
            start = time.monotonic()
            status, _ = compile_on(channel, self.daemon.programs.pb, request, 5)
            if status == "OK":
                self.latencies.append(time.monotonic() - start)
            else:
                self.missed += 1
        channel.close()

    def end(self):
        self.stop.set()
        for t in self.threads:
            t.join()
        return tuple(max(0, m - r) for m, r in zip(self.most, self.rest))


class Case:
    """One attack as it is made. Its function states in `sent` what it sends."""

    def __init__(self, programs):
        self.programs, self.pb = programs, programs.pb
        self.daemon = self.watch = None
        self.sent = ""
        self.begun = time.monotonic()
        self.folder = tempfile.mkdtemp(dir=programs.work)

    def start(self, settings=None, worker=None, watch=True):
        self.daemon = Daemon(self.programs, settings or {}, worker)
        if watch:
            if not self.daemon.await_ready():
                raise RuntimeError("kilnd does not answer: " + self.daemon.log().decode()[-500:])
            self.watch = Watch(self.daemon)
        self.begun = time.monotonic()  # earlier time is no part of the attack
        return self.daemon

    def path(self, name, text=None):
        path = os.path.join(self.folder, name)
        if text is not None:
            with open(path, "wb" if isinstance(text, bytes) else "w") as f:
                f.write(text)
        return path

    def kiln(self, *arguments, timeout=60):
        """Returns (exit code or "hangs", its output)."""
        try:
            done = subprocess.run([self.programs.kiln] + list(arguments), capture_output=True,
                                  timeout=timeout, stdin=subprocess.DEVNULL, cwd=self.folder)
            return done.returncode, (done.stdout + done.stderr).decode(errors="replace")
        except subprocess.TimeoutExpired:
            return "hangs", ""

    def row(self, attack):
        row = {"name": attack.name, "point": attack.point, "made": True}
        try:
            row["outcome"] = attack.function(self)
        except Exception as e:  # one failure must not stop the other attacks
            traceback.print_exc()
            row["made"], row["outcome"] = False, "not made: %s" % e
        row["seconds"] = time.monotonic() - self.begun
        row["sent"] = self.sent
        if self.watch:
            time.sleep(max(0, 1 - row["seconds"]))  # long enough for at least some hits
            row["daemon_mib"], row["workers_mib"] = (n / MIB for n in self.watch.end())
            row["hits"], row["missed"] = len(self.watch.latencies), self.watch.missed
            row["slowest"] = max(self.watch.latencies, default=0)
        if self.daemon:
            self.daemon.end()
        return row


HEADER = ("| attack | sent | daemon, MiB | workers, MiB | seconds | hits: answered / missed, slowest "
          "| outcome |")


def printed(row):
    hits = "daemon_mib" in row
    return "| %s | %s | %s | %s | %.1f | %s | %s |" % (
        row["name"], row["sent"], "+%.0f" % row["daemon_mib"] if hits else "",
        "+%.0f" % row["workers_mib"] if hits else "", row["seconds"],
        "%d / %d, %.2f s" % (row["hits"], row["missed"], row["slowest"]) if hits else "",
        row["outcome"])


def run(programs, attacks):
    print(HEADER + "\n|" + "---|" * 7, flush=True)
    rows = []
    try:
        for one in attacks:
            rows.append(Case(programs).row(one))
            print(printed(rows[-1]), flush=True)
    finally:
        shutil.rmtree(programs.work, ignore_errors=True)
    return rows
