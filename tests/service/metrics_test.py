"""The metrics of a daemon as others read them: python3-prometheus-client's parser, promtool, a real Prometheus.

Compares the two formats with each other and with the catalogue (server/metrics/METRICS.md), and the names that dashboards and
rules ask for with the catalogue. Arguments: kilnd, fake worker. Run by metrics_test.sh.
"""

import glob
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import monitoring
from prometheus_client.openmetrics.parser import text_string_to_metric_families

KILND, WORKER = sys.argv[1:3]
OPEN_METRICS = {"Accept": "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"}
PAGE = "server/metrics/METRICS.md"
# Rows that this daemon does not serve, with the reason.
ABSENT = {"kiln_memory_limit_bytes": "the machine of the test may have no limit"}


def catalogue():
    """Returns the rows of METRICS.md: name -> (type, unit, set of labels)."""
    rows = {}
    with open(PAGE, encoding="utf-8") as file:
        for line in file:
            if line.startswith("| `"):
                name, kind, unit, labels = [cell.strip() for cell in line.strip("|\n").split("|")][:4]
                rows[name.strip("`")] = (kind, unit, {label for label in labels.split(", ") if label})
    return rows


class MetricsTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.mkdtemp()
        cls.pb, cls.grpc = monitoring.generate(cls.work)
        # A small memory and small disk, so that both evict.
        cls.daemon = monitoring.Daemon(KILND, WORKER, os.path.join(cls.work, "a"), "--memory-cache-bytes=64KiB",
                                       "--cache-bytes=4MiB", "--workers=1")
        stub = cls.daemon.stub(cls.grpc)
        cls.ids = set()
        for seed in range(300):
            request = cls.pb.CompileRequest(spirv=monitoring.fake_module(seed) + os.urandom(24 << 10), targets=["tgl"],
                                            outputs=cls.pb.OutputMask(binary=True))
            _, call = stub.Compile.with_call(request, timeout=60)
            cls.ids.add(dict(call.initial_metadata()).get("kiln-request-id"))
        glsl = cls.pb.GlslSource(text="void main() {}", name="a.comp", stage="compute")
        for _ in range(2):
            stub.Compile(cls.pb.CompileRequest(glsl=glsl, targets=["tgl", "skl"]), timeout=60)
        stub.Compile(cls.pb.CompileRequest(spirv=monitoring.fake_module(1000), targets=["tgl"]), timeout=60,
                     metadata=[("kiln-fault", "crash:fake_fold")])

    @classmethod
    def tearDownClass(cls):
        cls.daemon.stop()
        shutil.rmtree(cls.work)

    def families(self):
        body, headers = self.daemon.scrape(**OPEN_METRICS)
        self.assertEqual(headers["Content-Type"], "application/openmetrics-text; version=1.0.0; charset=utf-8")
        self.assertTrue(body.endswith(b"\n# EOF\n"))
        return {family.name: family for family in text_string_to_metric_families(body.decode())}

    def test_a_strict_parser_takes_the_open_metrics(self):
        families = self.families()
        self.assertGreater(len(families), 70)
        self.assertEqual(families["kiln_pass_seconds"].type, "counter")
        self.assertEqual(families["kiln_pass_seconds"].unit, "seconds")
        self.assertEqual(families["kiln_cache"].type if "kiln_cache" in families else "none", "none")
        self.assertEqual(families["kiln_build"].type, "info")
        created = [s for s in families["kiln_requests"].samples if s.name == "kiln_requests_created"]
        start = families["process_start_time_seconds"].samples[0].value
        self.assertTrue(created)
        for sample in created:
            self.assertAlmostEqual(sample.value, start, places=2)

    def test_exemplars_are_request_ids(self):
        found = {}
        for name in ("kiln_request_duration_seconds", "kiln_compile_duration_seconds", "kiln_queue_wait_seconds"):
            found[name] = {s.exemplar.labels["request_id"] for s in self.families()[name].samples if s.exemplar}
            self.assertTrue(found[name], name)
        self.assertTrue(found["kiln_request_duration_seconds"] & self.ids, "none is that of a call's header")

    def test_the_formats_agree(self):
        """All but what moves between two scrapes."""
        moving = re.compile("kiln_self_probes|kiln_connections|process_|kiln_worker_|kiln_requests_in_flight")

        def values(samples):
            # The text format's serialiser, prometheus-cpp's, rounds the last digit.
            return {(name, frozenset(labels.items())): "%.12g" % value for name, labels, value in samples
                    if not moving.match(name) and not name.endswith("_created")}
        text = self.daemon.scrape()[0].decode()
        from prometheus_client.parser import text_string_to_metric_families as parse_text
        old = values((s.name, s.labels, s.value) for f in parse_text(text) for s in f.samples)
        new = values((s.name, s.labels, s.value) for f in self.families().values() for s in f.samples)
        self.assertEqual(sorted(old.items() ^ new.items(), key=str), [])

    def test_gzip_is_for_those_who_take_it(self):
        plain, headers = self.daemon.scrape()
        self.assertIsNone(headers["Content-Encoding"])
        for accept in ({}, OPEN_METRICS):
            body, headers = self.daemon.scrape(**{"Accept-Encoding": "gzip", **accept})
            self.assertEqual(headers["Content-Encoding"], "gzip")
            self.assertLess(len(body), len(plain) / 4)
            self.assertIn(b"kiln_requests_total", gzip.decompress(body))

    def test_promtool_takes_the_text(self):
        checked = subprocess.run(["promtool", "check", "metrics"], input=self.daemon.scrape()[0],
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual((checked.returncode, checked.stdout), (0, b""))

    def test_the_page_is_printed_by_the_daemon(self):
        printed = subprocess.run([KILND, "--metrics-markdown"], stdout=subprocess.PIPE, check=True).stdout
        with open(PAGE, "rb") as file:
            self.assertEqual(file.read(), printed, "run kilnd --metrics-markdown > " + PAGE)

    def test_the_daemon_serves_the_catalogue_and_nothing_else(self):
        families, rows = self.families(), catalogue()
        self.assertGreater(len(rows), 70)
        served = {}
        for family in families.values():
            ending = {"counter": "_total", "info": "_info"}.get(family.type, "")
            labels = set().union(*(s.labels for s in family.samples)) - {"le"} if family.samples else None
            served[family.name + ending] = (family.type, family.unit, labels)
        self.assertEqual(set(rows) - set(ABSENT), set(served) - set(ABSENT))
        for name, (kind, unit, labels) in served.items():
            self.assertEqual((kind, unit), rows[name][:2], name)
            self.assertIsNotNone(labels, "%s has no series" % name)
            self.assertEqual(labels, rows[name][2], name)

    def test_dashboards_and_rules_ask_for_what_there_is(self):
        rows = catalogue()
        recorded = set()
        with open("deploy/prometheus/recording.yml", encoding="utf-8") as file:
            recorded = set(re.findall(r"record: (\S+)", file.read()))
        asked = {}
        paths = glob.glob("deploy/grafana/dashboards/*.json") + glob.glob("deploy/prometheus/*.yml")
        self.assertGreater(len(paths), 6)
        for path in paths:
            with open(path, encoding="utf-8") as file:
                text = file.read()
            # Names in quotes are labels' values, and the uids of dashboards have dashes.
            for name in re.findall(r"(?<![\w:-])(?:[a-z_]+:)?(?:kiln|process)_[a-z_]+(?::\w+)?(?![\w-])", text):
                asked.setdefault(name, path)
        for name, path in asked.items():
            base = re.sub(r"_(bucket|sum|count)$", "", name)
            known = name in recorded or name in rows or (base in rows and rows[base][0] == "histogram")
            self.assertTrue(known, "%s asks for %s" % (path, name))
        unused = recorded - set(asked)
        self.assertEqual(unused, set())

    def test_a_prometheus_stores_series_and_exemplars(self):
        prometheus = monitoring.Prometheus(
            os.path.join(self.work, "prometheus"), json.dumps({
                "global": {"scrape_interval": "1s"},
                "scrape_configs": [{"job_name": "kiln", "static_configs": [{"targets": [self.daemon.metrics]}],
                                    "metric_relabel_configs": [{"source_labels": ["__name__"], "action": "drop",
                                                                "regex": "(kiln|process)_.*_created"}]}]}),
            "--enable-feature=exemplar-storage")
        try:
            monitoring.await_true("a scrape", lambda: prometheus.query('up{job="kiln"} == 1'))
            text = self.daemon.scrape()[0].decode()
            series = sum(1 for line in text.splitlines() if line and not line.startswith("#"))
            stored = int(prometheus.query('count({job="kiln",__name__!~"up|scrape_.*"})')[0]["value"][1])
            self.assertEqual(stored, series, "the creation times are dropped, all else is kept")
            exemplars = prometheus.api("query_exemplars", query="kiln_request_duration_seconds_bucket",
                                       start=0, end=4e9)
            ids = {e["labels"]["request_id"] for found in exemplars for e in found["exemplars"]}
            self.assertTrue(ids & self.ids)
            target = prometheus.api("targets")["activeTargets"][0]
            self.assertEqual((target["health"], target["lastError"]), ("up", ""))
        finally:
            prometheus.stop()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
