"""Dashboards and alerts against real programs: two loaded and faulted daemons, a Prometheus that scrapes them, an Alertmanager.

Executes every expression of every panel, variable and recording rule; none may fail, and each has to give values but for
those named in MAY_BE_EMPTY. Rings every alert of alerts.yml by its fault and counts what the Alertmanager is told. Ranges, offsets
and `for` are rewritten to seconds (SECONDS), so that a minute is enough; the bound of KilnMemoryNearItsBound is lowered, since a
daemon that keeps its bounds never comes near it (MEMORY). Arguments: kilnd, fake_worker, faulty_worker. Run by dashboards_test.sh.
"""

import collections
import glob
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import grpc
import monitoring

KILND, FAKE, FAULTY = sys.argv[1:4]
# Durations of the rules, rewritten.
SECONDS = {"5m": "8s", "15m": "12s", "30m": "10s", "1h": "12s", "6h": "20s", "1d": "25s", "2m": "2s", "10m": "2s"}
# The share of its bound that a daemon has when its memory cache is full, rather than empty.
MEMORY = 0.25
# Panels without values, with the reason.
MAY_BE_EMPTY = {"Restarts": "no daemon restarted", "Deaths": "only where a pass killed a worker in the last seconds"}


def in_seconds(text):
    """Rewrites ranges, offsets and `for` of rules; leaves names of recorded metrics as they are."""
    text = re.sub(r"\[(\d+[mhd])\]", lambda m: "[%s]" % SECONDS[m.group(1)], text)
    text = re.sub(r"offset (\d+[mhd])", lambda m: "offset " + SECONDS[m.group(1)], text)
    text = re.sub(r"for: (\d+[mhd])", lambda m: "for: 2s", text)
    return text.replace("instance:kiln_memory_used:ratio > 0.9", "instance:kiln_memory_used:ratio > %s" % MEMORY)


def rules(directory):
    for name in ("recording.yml", "alerts.yml"):
        with open("deploy/prometheus/" + name, encoding="utf-8") as file:
            text = in_seconds(file.read())
        with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
            file.write(text)


def expressions():
    """Returns (dashboard, panel, expression, whether it is a variable's) of every query."""
    found = []
    for path in sorted(glob.glob("deploy/grafana/dashboards/*.json")):
        with open(path, encoding="utf-8") as file:
            board = json.load(file)
        for panel in board["panels"]:
            for target in panel.get("targets", ()):
                found.append((board["title"], panel["title"], target["expr"]))
        for annotation in board["annotations"]["list"]:
            found.append((board["title"], annotation["name"], annotation["expr"]))
    return found


def variables():
    """Returns (dashboard, name, metric with its matchers, label) of each variable that is a query."""
    for path in sorted(glob.glob("deploy/grafana/dashboards/*.json")):
        with open(path, encoding="utf-8") as file:
            board = json.load(file)
        for each in board["templating"]["list"]:
            if each["type"] == "query":
                series, label = re.fullmatch(r"label_values\((.*), (\w+)\)", each["query"]["query"]).groups()
                yield board["title"], each["name"], series, label


class DashboardsTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.mkdtemp()
        cls.pb, cls.grpc = monitoring.generate(cls.work)
        cls.receiver = monitoring.Receiver()
        with open("deploy/prometheus/alertmanager.yml", encoding="utf-8") as file:
            routes = file.read()
        # Each alert is a group of its own here, so that no notification repeats another one's alerts.
        routes = routes.replace("127.0.0.1:9099", cls.receiver.address).replace("group_wait: 30s", "group_wait: 0s")
        routes = routes.replace("group_by: [alertname, job]", "group_by: ['...']")
        cls.alertmanager = monitoring.Alertmanager(os.path.join(cls.work, "alertmanager"), routes)
        # The real compiler, with faults; and another version of the compiler (the double), with little room.
        cls.real = monitoring.Daemon(KILND, FAULTY, os.path.join(cls.work, "real"), "--workers=1", "--recheck=1/1",
                                     "--spare-workers=1")
        cls.fake = monitoring.Daemon(KILND, FAKE, os.path.join(cls.work, "fake"), "--workers=1", "--spare-workers=0",
                                     "--queue=4", "--max-connections=20", "--max-connections-per-address=20",
                                     "--memory-cache-bytes=256KiB", "--cache-bytes=4MiB", "--recheck=none")
        cls.full = monitoring.Daemon(KILND, FAKE, os.path.join(cls.work, "full"), "--workers=1", "--spare-workers=0",
                                     "--memory-cache-bytes=64MiB", "--cache-bytes=4MiB", "--disk-cache-memory=8MiB",
                                     "--request-bytes=4MiB", "--recheck=none")
        directory = os.path.join(cls.work, "prometheus")
        os.makedirs(directory)
        rules(directory)
        cls.prometheus = monitoring.Prometheus(directory, json.dumps({
            "global": {"scrape_interval": "1s", "scrape_timeout": "1s", "evaluation_interval": "1s"},
            "rule_files": ["recording.yml", "alerts.yml"],
            "alerting": {"alertmanagers": [{"static_configs": [{"targets": [cls.alertmanager.address]}]}]},
            "scrape_configs": [{"job_name": "kiln", "static_configs": [
                {"targets": [cls.real.metrics, cls.fake.metrics, cls.full.metrics]}]}]}), "--enable-feature=exemplar-storage")
        cls.stop_load = threading.Event()
        cls.load = [threading.Thread(target=target, daemon=True) for target in (cls.load_real, cls.load_fake)]
        for thread in cls.load:
            thread.start()

    @classmethod
    def tearDownClass(cls):
        cls.stop_load.set()
        for thread in cls.load:
            thread.join(30)
        for process in (cls.prometheus, cls.alertmanager, cls.real, cls.fake, cls.full):
            process.stop()
        cls.receiver.stop()
        shutil.rmtree(cls.work)

    # Load ---------------------------------------------------------------------------------------------

    @classmethod
    def call(cls, daemon, request, fault=None, timeout=30):
        """Returns the first result; None if the call failed."""
        try:
            metadata = [("kiln-fault", fault)] if fault else None
            return daemon.stub(cls.grpc).Compile(request, timeout=timeout, metadata=metadata).results[0]
        except grpc.RpcError:
            return None

    @classmethod
    def glsl(cls, stage, text, number, **fields):
        source = cls.pb.GlslSource(name="s." + stage, stage=stage, text="#version 450\n" + text % {"n": number})
        return cls.pb.CompileRequest(glsl=source, targets=["tgl"], outputs=cls.pb.OutputMask(binary=True), **fields)

    @classmethod
    def real_request(cls, number, **fields):
        compute = ("layout(local_size_x = 16) in; layout(binding = 0) buffer B { float v[]; };\n"
                   "void main() { uint i = gl_GlobalInvocationID.x; v[i] = v[i] * %(n)d.5 + v[i + 1] * %(n)d.5; }")
        fragment = ("layout(location = 0) in vec4 a; layout(location = 0) out vec4 o;\n"
                    "void main() { o = sqrt(a) * %(n)d.0 + a.yxzw; }")
        if number % 2:
            return cls.glsl("fragment", fragment, number, **fields)
        return cls.glsl("compute", compute, number, **fields)

    @classmethod
    def load_real(cls):
        number = 0
        while not cls.stop_load.is_set():
            number += 1
            # New shaders, and those of the last few again.
            cls.call(cls.real, cls.real_request(number))
            cls.call(cls.real, cls.real_request(max(number - 3, 0)))
            cls.call(cls.real, cls.glsl("compute", "void main() { nonsense%(n)d; }", number))
            time.sleep(0.1)

    @classmethod
    def load_fake(cls):
        number = 0
        while not cls.stop_load.is_set():
            number += 1
            for module in (number, number, number, number // 2):
                policy = cls.pb.CACHE_BYPASS if cls.misses else cls.pb.CACHE_USE
                cls.call(cls.fake, cls.fake_request(module % 1000, cache_policy=policy))
            time.sleep(0.05)

    misses = False

    @classmethod
    def fake_request(cls, number, **fields):
        padding = b"\0" * (2 << 10)
        return cls.pb.CompileRequest(spirv=monitoring.fake_module(number) + padding, targets=["tgl"],
                                     outputs=cls.pb.OutputMask(binary=True), **fields)

    # Notifications ---------------------------------------------------------------------------------------

    def told(self, name):
        """Returns the (route, labels) of each firing of an alert that the Alertmanager was told of."""
        return [(route, alert["labels"]) for route, alert in self.receiver.notified
                if alert["labels"]["alertname"] == name and alert["status"] == "firing"]

    def await_alert(self, name, **labels):
        def is_there():
            return any(labels.items() <= found.items() for _, found in self.told(name))
        try:
            monitoring.await_true(name, is_there, 90)
        except AssertionError as error:
            active = [(a["labels"], a["state"]) for a in self.prometheus.api("alerts")["alerts"]]
            raise AssertionError("%s; active: %s" % (error, active)) from error

    # Tests, in the order of their names ---------------------------------------------------------------

    def fill(self, expression):
        before, after = self.generations()
        values = {"$__rate_interval": "10s", "$__interval": "5s", "$job": "kiln", "$instance": ".*", "$results": ".*",
                  "$before": before, "$after": after}
        # A variable of one value is compared with "=", one of many with "=~".
        expression = expression.replace('target="$target"', 'target="tgl"').replace("$target", ".*")
        for name, value in values.items():
            expression = expression.replace(name, value)
        return expression

    def generations(self):
        found = self.prometheus.query('kiln_target_info{target="tgl"}')
        by_instance = {each["metric"]["instance"]: each["metric"]["code_generation"] for each in found}
        return by_instance[self.fake.metrics], by_instance[self.real.metrics]

    def test_1_every_expression_gives_values(self):
        # Each kind of thing has to have happened before.
        for _ in range(2):
            self.call(self.real, self.real_request(2), "lie")
            self.call(self.fake, self.fake_request(5000), "crash:fake_fold")
        for number in range(3):
            threading.Thread(target=self.call, args=(self.fake, self.fake_request(6000 + number), "slow::1500")).start()
        monitoring.await_true("all daemons are scraped", lambda: len(self.prometheus.query('up{job="kiln"} == 1')) == 3)
        self.assertNotEqual(*self.generations())
        empty = {}

        def evaluate():
            """Returns True if no expression is without values that has to have some."""
            empty.clear()
            for board, panel, expression in expressions():
                result = self.prometheus.query(self.fill(expression))
                values = [float(each["value"][1]) for each in result]
                if not any(value == value for value in values) and panel not in MAY_BE_EMPTY:
                    empty[board, panel] = self.fill(expression)
            return not empty
        try:
            monitoring.await_true("every panel has values", evaluate, 60)
        except AssertionError as error:
            raise AssertionError("%s: %s" % (error, json.dumps(
                {"%s, %s" % key: value for key, value in empty.items()}, indent=1))) from error
        self.assertGreater(len(expressions()), 80)

    def test_2_every_variable_has_values(self):
        found = list(variables())
        self.assertGreater(len(found), 12)
        for board, name, series, label in found:
            values = self.prometheus.api("label/%s/values" % label, **{"match[]": self.fill(series)})
            self.assertTrue(values, "%s, %s" % (board, name))

    def test_3_every_recording_rule_gives_values(self):
        groups = self.prometheus.api("rules", type="record")["groups"]
        recorded = [rule for group in groups for rule in group["rules"]]
        self.assertGreater(len(recorded), 10)
        for rule in recorded:
            self.assertEqual(rule["health"], "ok", rule)
            name = rule["name"]
            monitoring.await_true(name, lambda: self.prometheus.query(name), 30)

    def test_4_every_alert_rings_by_its_fault(self):
        self.ring_versions()
        self.ring_rechecks()
        self.ring_deaths_and_quarantine()
        self.ring_overload()
        self.ring_misses()
        self.ring_connections()
        self.ring_disk()
        self.ring_memory()
        self.ring_down()
        with open("deploy/prometheus/alerts.yml", encoding="utf-8") as file:
            text = file.read()
        names = re.findall(r"- alert: (\w+)", text)
        severities = dict(zip(names, re.findall(r"severity: (\w+)", text)))
        self.assertEqual(len(names), 13)
        for name in names:
            told = self.told(name)
            self.assertTrue(told, name)
            self.assertEqual({route for route, _ in told}, {severities[name]}, name)

    def ring_versions(self):
        """Two compilers answer one job's clients."""
        self.await_alert("KilnVersionSkew", job="kiln")

    def ring_rechecks(self):
        """A worker answers other code than the compiler makes, and the recheck by another one tells.

        A busy daemon leaves out rechecks, so there are such answers until it has told.
        """
        number = 20000
        end = time.monotonic() + 60
        while time.monotonic() < end and not self.told("KilnRecheckDiffers"):
            number += 1
            self.call(self.real, self.real_request(number), "lie")
            time.sleep(0.5)
        self.await_alert("KilnRecheckDiffers", instance=self.real.metrics)

    def ring_deaths_and_quarantine(self):
        """A shader that kills its worker, again and again until it is refused; and others that do."""
        for number in range(4):
            for _ in range(3):
                self.call(self.fake, self.fake_request(7000 + number), "crash:fake_fold")
        self.await_alert("KilnQuarantineGrows", instance=self.fake.metrics)
        self.await_alert("KilnWorkersDie", instance=self.fake.metrics)

    def ring_overload(self):
        """One worker, a queue of four, and twelve clients that bring jobs of three seconds."""
        end = time.monotonic() + 60

        def flood(client):
            number = 0
            while time.monotonic() < end and not all(self.told(name) for name in wanted):
                number += 1
                request = self.fake_request(100000 + client * 1000 + number, cache_policy=self.pb.CACHE_BYPASS)
                if self.call(self.fake, request, "slow::3000") is None:
                    time.sleep(0.3)
        wanted = ("KilnRefusesCalls", "KilnErrorBudgetBurnsFast", "KilnErrorBudgetBurnsSlowly", "KilnQueueWaits")
        clients = [threading.Thread(target=flood, args=(client,)) for client in range(12)]
        for client in clients:
            client.start()
        try:
            self.await_alert("KilnRefusesCalls", instance=self.fake.metrics, reason="queue_full")
            self.await_alert("KilnQueueWaits", instance=self.fake.metrics)
            self.await_alert("KilnErrorBudgetBurnsFast", job="kiln")
            self.await_alert("KilnErrorBudgetBurnsSlowly", job="kiln")
        finally:
            for client in clients:
                client.join(60)

    def ring_misses(self):
        """Clients whose every request misses, after a time of hits."""
        time.sleep(15)
        type(self).misses = True
        try:
            self.await_alert("KilnHitRatioFalls", job="kiln")
        finally:
            type(self).misses = False

    def ring_connections(self):
        """Clients that connect and stay."""
        host, port = self.fake.address.split(":")
        idle = []
        try:
            for _ in range(19):
                idle.append(socket.create_connection((host, int(port))))
                idle[-1].sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0")
            self.await_alert("KilnConnectionsFull", instance=self.fake.metrics)
        finally:
            for connection in idle:
                connection.close()

    def ring_disk(self):
        """A file is where the cache's directory was."""
        os.rename(self.fake.cache, self.fake.cache + ".away")
        with open(self.fake.cache, "w", encoding="utf-8"):
            pass
        self.await_alert("KilnDiskDegraded", instance=self.fake.metrics, cause="not_a_directory")

    def ring_memory(self):
        """A memory cache is filled."""
        self.assertEqual(self.told("KilnMemoryNearItsBound"), [])
        for number in range(700):
            module = monitoring.fake_module(number) + b"\0" * (100 << 10)
            self.call(self.full, self.pb.CompileRequest(spirv=module, targets=["tgl"],
                                                        outputs=self.pb.OutputMask(binary=True)))
        self.await_alert("KilnMemoryNearItsBound", instance=self.full.metrics, bound="daemon")

    def ring_down(self):
        """kill -9."""
        self.real.process.kill()
        self.await_alert("KilnDown", instance=self.real.metrics)
        # Each firing was told once: no notification repeats an alert that had not ended meanwhile.
        seen = collections.Counter(
            (alert["fingerprint"], alert["startsAt"]) for _, alert in self.receiver.notified
            if alert["status"] == "firing")
        self.assertEqual({key: count for key, count in seen.items() if count > 1}, {})


class RulesTest(unittest.TestCase):

    def test_promtool(self):
        for command in (["check", "config", "deploy/prometheus/prometheus.yml"],
                        ["test", "rules", "deploy/prometheus/alerts_test.yml"]):
            done = subprocess.run(["promtool"] + command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertEqual(done.returncode, 0, done.stdout)

    def test_amtool(self):
        done = subprocess.run(["amtool", "check-config", "deploy/prometheus/alertmanager.yml"],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_each_alert_has_a_test_and_a_paragraph(self):
        texts = {}
        for name in ("alerts.yml", "alerts_test.yml", "RUNBOOK.md"):
            with open("deploy/prometheus/" + name, encoding="utf-8") as file:
                texts[name] = file.read()
        alerts = re.findall(r"- alert: (\w+)", texts["alerts.yml"])
        self.assertEqual(alerts, re.findall(r"^## (\w+)$", texts["RUNBOOK.md"], re.M))
        self.assertEqual([name.lower() for name in alerts], re.findall(r"RUNBOOK\.md#(\w+)", texts["alerts.yml"]))
        for name in alerts:
            fires = r"alertname: %s\n        exp_alerts:\n" % name
            silent = r"alertname: %s\n(?!        exp_alerts)" % name
            self.assertRegex(texts["alerts_test.yml"], fires)
            self.assertRegex(texts["alerts_test.yml"], silent)

    def test_dashboards_are_those_of_the_generator(self):
        done = subprocess.run([sys.executable, "-B", "deploy/grafana/dashboards.py", "--check",
                               "deploy/grafana/dashboards"], stdout=subprocess.PIPE, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, ""))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
