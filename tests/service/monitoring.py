"""Processes for tests of metrics: a kilnd with its client, a real Prometheus, a real Alertmanager and its receiver.

All listen on free ports of this machine only and keep their files below a directory of the test.
"""

import http.server
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

import grpc

PROTOS = ["kiln/v1/compiler.proto", "kiln/v1/compile.proto", "kiln/v1/launch_record.proto"]


def generate(out):
    """Generates the protos' Python code into `out`, which becomes importable; returns the modules."""
    subprocess.run(["protoc", "-Iproto", "--python_out=" + out, "--grpc_python_out=" + out,
                    "--plugin=protoc-gen-grpc_python=/usr/bin/grpc_python_plugin"] + PROTOS, check=True)
    sys.path.insert(0, out)
    from kiln.v1 import compile_pb2, compiler_pb2_grpc
    return compile_pb2, compiler_pb2_grpc


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def fetch(url, headers=None, data=None):
    """Returns (body, headers); raises URLError as urllib does."""
    request = urllib.request.Request(url, headers=headers or {}, data=data)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.read(), answer.headers


def await_true(what, condition, seconds=60):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return
        time.sleep(0.1)
    raise AssertionError("did not happen within %s s: %s" % (seconds, what))


def fake_module(seed):
    """A module for the fake worker; the real one calls it invalid."""
    return struct.pack("<19I", 0x07230203, 0x00010300, seed, *range(16))


class Process:
    """A program that ends with its test."""

    def __init__(self, command, directory, name):
        os.makedirs(directory, exist_ok=True)
        self.log = os.path.join(directory, name + ".log")
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, cwd=None)

    def stop(self, how=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(how)
        return self.process.wait(60)

    def said(self):
        with open(self.log, encoding="utf-8", errors="replace") as log:
            return log.read()


class Daemon(Process):
    def __init__(self, kilnd, worker, directory, *flags):
        self.address = "127.0.0.1:%d" % free_port()
        self.metrics = "127.0.0.1:%d" % free_port()
        self.cache = os.path.join(directory, "cache")
        super().__init__([kilnd, "--listen=" + self.address, "--metrics=" + self.metrics, "--worker-binary=" + worker,
                          "--cache-dir=" + self.cache, "--enable-fault-injection"] + list(flags), directory, "kilnd")
        await_true("kilnd listens", lambda: "event=started" in self.said() or self.process.poll() is not None)
        assert self.process.poll() is None, self.said()
        self.channel = grpc.insecure_channel(self.address)

    def stub(self, grpc_module):
        return grpc_module.CompilerStub(self.channel)

    def scrape(self, **headers):
        return fetch("http://%s/metrics" % self.metrics, headers)

    def stop(self, how=signal.SIGTERM):
        self.channel.close()
        return super().stop(how)


class Prometheus(Process):
    def __init__(self, directory, config, *flags):
        """`config`: the text of prometheus.yml. Its rule files are taken from `directory`."""
        self.url = "http://127.0.0.1:%d" % (port := free_port())
        os.makedirs(directory, exist_ok=True)
        path = os.path.join(directory, "prometheus.yml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(config)
        super().__init__(["prometheus", "--config.file=" + path, "--web.listen-address=127.0.0.1:%d" % port,
                          "--storage.tsdb.path=" + os.path.join(directory, "data"), "--log.level=warn"] + list(flags),
                         directory, "prometheus")
        await_true("Prometheus is ready", self.ready)

    def ready(self):
        assert self.process.poll() is None, self.said()
        try:
            return fetch(self.url + "/-/ready")
        except (urllib.error.URLError, OSError):
            return False

    def api(self, path, **parameters):
        """Returns the data of an answer of the HTTP API; raises AssertionError with Prometheus' own words."""
        data = urllib.parse.urlencode(parameters, doseq=True)
        try:
            body, _ = fetch("%s/api/v1/%s?%s" % (self.url, path, data))
        except urllib.error.HTTPError as error:
            raise AssertionError("%s: %s" % (parameters, error.read().decode())) from error
        return json.loads(body)["data"]

    def query(self, expression):
        return self.api("query", query=expression)["result"]


class Receiver:
    """Takes the notifications of an Alertmanager: keeps the alerts of all notifications, by route."""

    def __init__(self):
        self.notified = []  # (route, alert)
        notified = self.notified

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                notified.extend((self.path.strip("/"), alert) for alert in body["alerts"])
                self.send_response(200)
                self.end_headers()

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = "127.0.0.1:%d" % self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()


class Alertmanager(Process):
    def __init__(self, directory, config):
        self.address = "127.0.0.1:%d" % free_port()
        os.makedirs(directory, exist_ok=True)
        path = os.path.join(directory, "alertmanager.yml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(config)
        super().__init__(["prometheus-alertmanager", "--config.file=" + path, "--web.listen-address=" + self.address,
                          "--storage.path=" + os.path.join(directory, "alerts"), "--cluster.listen-address=",
                          "--log.level=warn"], directory, "alertmanager")
        await_true("Alertmanager is ready", self.ready)

    def ready(self):
        assert self.process.poll() is None, self.said()
        try:
            return fetch("http://%s/-/ready" % self.address)
        except (urllib.error.URLError, OSError):
            return False
