"""The daemon's own pages in a real browser (headless Chromium): just started, under load, degraded, gone.

Tables and charts are filled, the console has no error, nothing is wider than a phone, keys work, and no source, digest of
a module or client's id shows. Skipped where there is no Chromium. Arguments: kilnd, worker. Run by pages_test.sh. With
PAGES_PICTURES=FOLDER screenshots are left there.
"""

import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request

import grpc

from tests.service import browser

KILND, WORKER = sys.argv[1:3]
PAGES = ("/", "/passes", "/shaders", "/log")
PICTURES = os.environ.get("PAGES_PICTURES")


def generate(out):
    subprocess.run(
        ["protoc", "-Iproto", "--python_out=" + out, "--grpc_python_out=" + out,
         "--plugin=protoc-gen-grpc_python=/usr/bin/grpc_python_plugin", "kiln/v1/compiler.proto", "kiln/v1/compile.proto",
         "kiln/v1/launch_record.proto"], check=True)
    sys.path.insert(0, out)


def module(seed, *words):
    return struct.pack("<%dI" % (19 + len(words)), 0x07230203, 0x00010300, seed, *range(16), *words)


REFUSED = module(7, 0xBAD0BAD0)


class Daemon:
    """A kilnd with the compiler double."""

    def __init__(self, *flags):
        self.process = subprocess.Popen(
            [KILND, "--listen=127.0.0.1:0", "--metrics=127.0.0.1:0", "--worker-binary=" + WORKER, "--workers=1",
             "--spare-workers=0", "--enable-fault-injection", *flags], stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            if "event=started" in line:
                self.address = re.search(r"listening on ([\d.:]+)", line).group(1)
                self.url = "http://" + re.search(r"metrics on http://([\d.:]+)/", line).group(1)
                break
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.process.stderr.close()

    def compile(self, spirv, fault="", targets=("tgl",), request_id="the-clients-id"):
        from kiln.v1 import compile_pb2, compiler_pb2_grpc
        request = compile_pb2.CompileRequest(spirv=spirv, targets=targets)
        request.outputs.binary = True
        with grpc.insecure_channel(self.address) as channel:
            metadata = [("kiln-request-id", request_id)] + ([("kiln-fault", fault)] if fault else [])
            return compiler_pb2_grpc.CompilerStub(channel).Compile(request, metadata=metadata, timeout=60)

    def load(self):
        """Makes each kind of result: compiled, found, refused (by a worker, and by the cache), and a death."""
        for seed in range(12):
            self.compile(module(seed), targets=("tgl", "skl"))
        for _ in range(3):
            for seed in range(12):
                self.compile(module(seed))
            self.compile(REFUSED)
        self.compile(module(100), fault="crash:fake_select")


class PagesTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        if browser.chromium() is None:
            raise unittest.SkipTest("there is no chromium")
        cls.folder = tempfile.mkdtemp(prefix="pages_test")
        generate(cls.folder)
        cls.browser = browser.Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()
        shutil.rmtree(cls.folder)

    def daemon(self, *flags):
        daemon = Daemon(*flags)
        self.addCleanup(daemon.stop)
        return daemon

    def open(self, daemon, path, ready, **window):
        page = self.browser.open(daemon.url + path, **window)
        self.addCleanup(page.close)
        page.wait(ready)
        return page

    def check(self, page):
        self.assertEqual(page.errors, [])
        self.assertLessEqual(page.overflow(), 0, "wider than the window")
        self.assertNotIn("NaN", page.text())
        self.assertNotIn("undefined", page.text())
        self.assertNotIn("Infinity", page.text())

    def choose(self, page, number, value):
        """Chooses in the page's select of that number, from 1."""
        page.value("(select => { select.value = '%s'; select.dispatchEvent(new Event('change')); })"
                   "(document.querySelectorAll('select')[%d])" % (value, number - 1))

    def picture(self, page, name):
        if PICTURES:
            page.screenshot(os.path.join(PICTURES, name + ".png"))

    def test_just_started(self):
        daemon = self.daemon()
        page = self.open(daemon, "/", "document.querySelectorAll('#chart-memory path.area').length === 2")
        self.assertEqual(page.text("#health-word"), "Healthy")
        self.assertEqual(page.text("#table-requests"), "No request yet.")
        self.assertEqual(page.value("document.querySelectorAll('.tile').length"), 9)
        self.assertIn("0 / 1", page.text("#tiles"), "a worker, and none busy")
        self.check(page)
        for path, ready, text in (("/passes", "document.querySelector('#table-passes p')", "No pass has run yet"),
                                  ("/shaders", "document.querySelector('#table-shaders p')", "No shader was compiled yet"),
                                  ("/log", "document.querySelector('.event')", "started")):
            page = self.open(daemon, path, ready)
            self.assertIn(text, page.text())
            self.check(page)

    def test_under_load(self):
        daemon = self.daemon("--cache-dir=" + self.folder + "/cache")
        page = self.open(daemon, "/", "document.querySelectorAll('.tile').length === 9")
        daemon.load()
        page.wait("document.getElementById('table-results').innerText.includes('crashed')")  # the last call
        page.wait("document.querySelectorAll('#chart-latency path').length > 1")
        rows = page.text("#table-results")
        for word in ("memory", "miss", "refused", "crashed"):
            self.assertIn(word, rows)
        self.assertIn("fake_capability", page.text("#table-causes"))
        self.assertIn("segv", page.text("#table-exits"))
        self.assertIn("memory", page.text("#table-caches"))
        self.assertRegex(page.text("#table-compiler"), r"tgl, code generation\s+1")
        self.assertRegex(page.text("#chart-tiers .legend"), r"memory [\d.]+")
        self.check(page)
        self.check_chart_keys(page)
        self.picture(page, "load")

    def check_chart_keys(self, page):
        page.value("document.querySelector('#chart-memory svg').focus()")
        page.press("ArrowLeft")
        self.assertEqual(page.value("document.querySelectorAll('#chart-memory line.cross').length"), 1)
        self.assertRegex(page.text("#chart-memory figcaption"), r"\d\d:\d\d:\d\d")
        page.press("Escape")
        self.assertEqual(page.value("document.querySelectorAll('#chart-memory line.cross').length"), 0)

    def test_passes(self):
        daemon = self.daemon()
        daemon.load()
        page = self.open(daemon, "/passes", "document.querySelectorAll('#table-passes tbody tr').length > 3")
        self.check(page)
        column = lambda n: page.value("[...document.querySelectorAll('tbody tr')].map(row => row.cells[%d].innerText)" % n)
        self.assertIn("fake_select", column(0))
        rows = dict(zip(column(0), zip(column(4), column(7), column(8), column(9))))
        self.assertEqual(rows["fake_fold"][1], "140", "10 instructions in each of 14 jobs")
        self.assertEqual(rows["fake_select"][3], "1", "the death")
        page.click("th [data-name=pass]")
        self.assertEqual(column(0), sorted(column(0)))
        page.value("document.querySelector('th [data-name=runs]').focus()")
        page.press("Enter")
        self.assertEqual(page.value("document.querySelector('th[aria-sort]').innerText"), "runs")
        self.assertEqual(page.value("document.activeElement.dataset.name"), "runs", "the focus stays")
        page.value("document.activeElement.blur()")
        page.press("/")
        page.call("Input.insertText", text="encode")
        self.assertEqual(column(0), ["fake_encode"])
        page.press("Escape")
        self.choose(page, 1, "skl")
        self.assertEqual(column(4), ["12", "12"], "select and encode; Escape has emptied the filter")
        self.check(page)

    def test_shaders(self):
        daemon = self.daemon()
        daemon.load()
        page = self.open(daemon, "/shaders", "document.querySelectorAll('#table-shaders tbody tr').length === 26")
        self.check(page)
        page.click("#tabs button:nth-child(4)")
        row = page.text("tbody tr")
        self.assertRegex(row, r"refused: fake_capability")
        self.assertRegex(row, r"\t3\t1\t", "refused three times, made once")
        page.click("#tabs button:nth-child(3)")
        self.assertIn("None of them spills.", page.text("#table-shaders"))
        page.click("#tabs button:nth-child(2)")
        self.choose(page, 4, "fake_count")
        self.assertIn("fake count", page.text("thead"), "a statistic of the compiler's, when it is asked for")
        page.click("th [data-name=fake_count]")
        self.choose(page, 4, "")
        self.assertEqual(page.value("document.querySelector('th[aria-sort]').innerText"), "time")
        page.click("tbody tr a")
        page.wait("!document.getElementById('one').hidden")
        self.assertRegex(page.text("#one code"), "^[0-9a-f]{64}$")
        self.check(page)

    def test_log(self):
        daemon = self.daemon()
        daemon.load()
        page = self.open(daemon, "/log", "document.querySelectorAll('.event').length > 1")
        text = page.text()
        self.assertIn("worker_crashed", text)
        self.assertIn("fake_select", text)
        self.assertNotIn("the-clients-id", text)
        self.check(page)
        page.click(".event a")
        page.wait("document.body.dataset.page === 'shaders' && document.querySelector('#one dl')")
        self.assertIn("crashed: segmentation_fault", page.text("#one"))
        self.check(page)

    def test_nothing_tells_of_sources_or_clients(self):
        daemon = self.daemon()
        daemon.load()
        import hashlib
        digests = [hashlib.sha256(module(100)).hexdigest(), hashlib.sha256(REFUSED).hexdigest()]
        for path in ("/status.json", "/history.json", "/passes.json", "/shaders.json", "/log.json"):
            with urllib.request.urlopen(daemon.url + path) as answer:
                text = answer.read().decode()
            for secret in (*digests, "the-clients-id", "127.0.0.1:" + daemon.address.rpartition(":")[0]):
                self.assertNotIn(secret, text, path)

    def test_degraded(self):
        daemon = self.daemon("--max-connections=2", "--max-connections-per-address=2")
        host, port = daemon.address.split(":")
        held = [socket.create_connection((host, int(port))) for _ in range(6)]
        page = self.open(daemon, "/", "document.getElementById('health-word').textContent === 'Degraded'")
        self.assertIn("new clients are refused", page.text("#health-reasons"))
        self.check(page)
        self.picture(page, "degraded")
        for each in held:
            each.close()

    def test_a_daemon_that_is_gone(self):
        daemon = self.daemon()
        page = self.open(daemon, "/", "document.querySelectorAll('.tile').length === 9")
        self.check(page)
        daemon.stop()
        page.wait("!document.getElementById('trouble').hidden")
        self.assertIn("does not answer", page.text("#trouble"))
        self.assertEqual(page.value("document.querySelectorAll('.tile').length"), 9, "it keeps what it knew")

    def test_keys_and_pause(self):
        daemon = self.daemon()
        page = self.open(daemon, "/", "document.querySelectorAll('.tile').length === 9")
        page.press("p")
        self.assertEqual(page.text("#pause"), "paused")
        page.press("p")
        self.assertEqual(page.text("#pause"), "live")
        for key, name in (("2", "passes"), ("3", "shaders"), ("4", "log"), ("1", "status")):
            page.press(key)
            page.wait("document.body.dataset.page === '%s' && document.querySelector('nav [aria-current]')" % name)
        page.press("Tab")
        self.assertEqual(page.value("document.activeElement.className"), "skip")
        self.check(page)

    def test_widths_and_colours(self):
        daemon = self.daemon()
        daemon.load()
        for path, ready in zip(PAGES, (".tile", "tbody tr", "tbody tr", ".event")):
            for width, dark in ((1280, False), (1280, True), (400, False), (400, True), (320, False)):
                page = self.open(daemon, path, "document.querySelector('%s')" % ready, width=width, dark=dark)
                self.check(page)
                back = page.value("getComputedStyle(document.body).backgroundColor")
                self.assertEqual(sum(map(int, re.findall(r"\d+", back))) < 384, dark, back)
                name = "status" if path == "/" else path[1:]
                self.picture(page, "%s_%d_%s" % (name, width, "dark" if dark else "light"))
                page.close()

    def test_read_only_and_nothing_from_elsewhere(self):
        daemon = self.daemon()
        for path in PAGES + ("/status.json", "/kiln.js", "/style.css"):
            with self.assertRaises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(daemon.url + path, data=b"x")
            self.assertEqual(refused.exception.code, 405)
            with urllib.request.urlopen(daemon.url + path) as answer:
                self.assertIn("default-src 'none'", answer.headers["Content-Security-Policy"])
                self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff")
        page = self.open(daemon, "/", "document.querySelectorAll('.tile').length === 9")
        refused = page.value("fetch('http://127.0.0.1:1/').then(() => 'fetched', error => error.name)")
        self.assertEqual(refused, "TypeError")
        self.assertTrue(any("Content Security Policy" in error for error in page.errors), page.errors)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
