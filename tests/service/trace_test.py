"""Traces of a real daemon, judged by a collector of the test's own against OTLP's published schema.

The schema is written down here from opentelemetry-proto 1.x (trace.proto, common.proto, resource.proto,
trace_service.proto) with the rules of OTLP's JSON form: ids in base 16, names in lowerCamelCase, enumerations as numbers,
64-bit integers as strings. Where the .proto files are given (OTLP_PROTO: their folder) protobuf's own JSON parser reads each body as
well, unknown fields refused. Arguments: kilnd, fake worker, faulty worker, kiln. Run by trace_test.sh.
"""

import base64
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import grpc
import monitoring

KILND, FAKE, FAULTY, KILN = sys.argv[1:5]
PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
TRACE, PARENT_SPAN = PARENT.split("-")[1:3]

# Messages of OTLP: field -> its form. A list is a repeated field, a string another message.
HEX16, HEX32, STRING, INT64, FIXED64, UINT32, BOOL, DOUBLE, KIND, CODE = range(10)
SCHEMA = {
    "ExportTraceServiceRequest": {"resourceSpans": ["ResourceSpans"]},
    "ResourceSpans": {"resource": "Resource", "scopeSpans": ["ScopeSpans"], "schemaUrl": STRING},
    "Resource": {"attributes": ["KeyValue"], "droppedAttributesCount": UINT32, "entityRefs": ["EntityRef"]},
    "ScopeSpans": {"scope": "InstrumentationScope", "spans": ["Span"], "schemaUrl": STRING},
    "InstrumentationScope": {"name": STRING, "version": STRING, "attributes": ["KeyValue"], "droppedAttributesCount": UINT32},
    "Span": {"traceId": HEX32, "spanId": HEX16, "traceState": STRING, "parentSpanId": HEX16, "flags": UINT32, "name": STRING,
             "kind": KIND, "startTimeUnixNano": FIXED64, "endTimeUnixNano": FIXED64, "attributes": ["KeyValue"],
             "droppedAttributesCount": UINT32, "events": ["Event"], "droppedEventsCount": UINT32, "links": ["Link"],
             "droppedLinksCount": UINT32, "status": "Status"},
    "Event": {"timeUnixNano": FIXED64, "name": STRING, "attributes": ["KeyValue"], "droppedAttributesCount": UINT32},
    "Link": {"traceId": HEX32, "spanId": HEX16, "traceState": STRING, "attributes": ["KeyValue"],
             "droppedAttributesCount": UINT32, "flags": UINT32},
    "Status": {"message": STRING, "code": CODE},
    "KeyValue": {"key": STRING, "value": "AnyValue"},
    "AnyValue": {"stringValue": STRING, "boolValue": BOOL, "intValue": INT64, "doubleValue": DOUBLE,
                 "arrayValue": "ArrayValue", "kvlistValue": "KeyValueList", "bytesValue": STRING},
    "ArrayValue": {"values": ["AnyValue"]},
    "KeyValueList": {"values": ["KeyValue"]},
}


def fits(form, value):
    """Returns True if a value has the form of a field that is no message."""
    if form in (HEX16, HEX32):
        return isinstance(value, str) and bool(re.fullmatch("[0-9a-f]{%d}" % (16 if form == HEX16 else 32), value)) and value.strip("0") != ""
    if form == STRING:
        return isinstance(value, str)
    if form in (INT64, FIXED64):
        low, high = (-2**63, 2**63) if form == INT64 else (0, 2**64)
        return isinstance(value, str) and bool(re.fullmatch("-?[0-9]+", value)) and low <= int(value) < high
    if form == BOOL:
        return isinstance(value, bool)
    if form == DOUBLE:
        return isinstance(value, float)
    highest = {UINT32: 2**32 - 1, KIND: 5, CODE: 2}[form]
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= highest


def faults(name, message, where=""):
    """Yields what is wrong in a message of that name."""
    if not isinstance(message, dict):
        yield "%s is no object" % where
        return
    for key, value in message.items():
        form, place = SCHEMA[name].get(key), "%s.%s" % (where, key)
        if form is None:
            yield "%s is not in %s" % (place, name)
        elif isinstance(form, list):
            if not isinstance(value, list):
                yield "%s is no list" % place
                continue
            for index, element in enumerate(value):
                yield from faults(form[0], element, "%s[%d]" % (place, index))
        elif isinstance(form, str):
            yield from faults(form, value, place)
        elif not fits(form, value):
            yield "%s is %r" % (place, value)
    if name == "AnyValue" and len(message) != 1:
        yield "%s has %d values" % (where, len(message))
    if name == "Span":
        for needed in ("traceId", "spanId", "name", "kind", "startTimeUnixNano", "endTimeUnixNano"):
            if needed not in message:
                yield "%s has no %s" % (where, needed)
        if int(message.get("endTimeUnixNano", 0)) < int(message.get("startTimeUnixNano", 0)):
            yield "%s ends before it begins" % where


def protobuf_request():
    """Returns a function that parses a body with protobuf's own JSON parser, or None without the .proto files."""
    folder = os.environ.get("OTLP_PROTO")
    if not folder:
        return None
    out = tempfile.mkdtemp()
    files = ["opentelemetry/proto/" + name for name in ("common/v1/common.proto", "resource/v1/resource.proto", "trace/v1/trace.proto",
                                                        "collector/trace/v1/trace_service.proto")]
    subprocess.run(["protoc", "-I" + folder, "--python_out=" + out] + files, check=True)
    sys.path.insert(0, out)
    from google.protobuf import json_format
    from opentelemetry.proto.collector.trace.v1 import trace_service_pb2

    def parse(body):
        def to_base64(node):
            if isinstance(node, dict):
                return {key: base64.b64encode(bytes.fromhex(value)).decode() if key in ("traceId", "spanId", "parentSpanId")
                        else to_base64(value) for key, value in node.items()}
            return [to_base64(element) for element in node] if isinstance(node, list) else node
        request = trace_service_pb2.ExportTraceServiceRequest()
        return json_format.Parse(json.dumps(to_base64(json.loads(body))), request)
    return parse


class Collector:
    """Takes POST /v1/traces and judges each body. `answers`: what the next requests get, as (status, headers, body)."""

    def __init__(self, port=0):
        self.lock = threading.Lock()
        self.spans, self.wrong, self.resources, self.requests, self.headers = [], [], [], 0, []
        self.answers = []
        self.hold = threading.Event()
        self.hold.set()
        parse = protobuf_request()
        collector = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                collector.hold.wait(60)
                with collector.lock:
                    collector.requests += 1
                    status, headers, answer = collector.answers.pop(0) if collector.answers else (200, {}, b"{}")
                    collector.headers.append(dict(self.headers))
                    collector.judge(self.path, body, parse, status == 200)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                try:
                    self.wfile.write(answer)
                except OSError:
                    pass  # the daemon no longer waits

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        self.url = "http://127.0.0.1:%d" % self.port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def judge(self, path, body, parse, keep):
        if path != "/v1/traces":
            self.wrong.append(path)
        try:
            request = json.loads(body.decode())
            if parse:
                parse(body)
        except Exception as error:  # pylint: disable=broad-except
            self.wrong.append(str(error))
            return
        self.wrong += list(faults("ExportTraceServiceRequest", request))
        for resource in request["resourceSpans"] if keep else ():
            self.resources.append(resource["resource"])
            for scope in resource["scopeSpans"]:
                self.spans += scope["spans"]

    def of_trace(self, trace):
        with self.lock:
            return [span for span in self.spans if span["traceId"] == trace]

    def stop(self):
        self.hold.set()
        self.server.shutdown()
        self.server.server_close()


def attributes(span):
    return {each["key"]: next(iter(each["value"].values())) for each in span.get("attributes", ())}


def new_parent(number, flags="01"):
    return "00-%032x-%016x-%s" % (0xabc0000 + number, number + 1, flags)


class TraceTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.mkdtemp()
        cls.pb, cls.grpc = monitoring.generate(cls.work)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.work)

    def setUp(self):
        self.collector = Collector()
        self.addCleanup(self.collector.stop)
        self.daemons = []

    def start(self, *flags, worker=FAKE, environment=None, endpoint=True):
        """Starts a daemon that sends spans after 20 ms."""
        changed = {"OTEL_BSP_SCHEDULE_DELAY": "20", **(environment or {})}
        before = {name: os.environ.get(name) for name in changed}
        os.environ.update(changed)
        try:
            where = ["--otlp-endpoint=" + self.collector.url] if endpoint else []
            daemon = monitoring.Daemon(KILND, worker, tempfile.mkdtemp(dir=self.work), "--workers=1", *where, *flags)
        finally:
            for name, value in before.items():
                os.environ.pop(name) if value is None else os.environ.update({name: value})
        self.addCleanup(daemon.stop)
        return daemon

    def request(self, seed, **fields):
        fields.setdefault("targets", ["tgl"])
        return self.pb.CompileRequest(spirv=monitoring.fake_module(seed), outputs=self.pb.OutputMask(binary=True), **fields)

    def call(self, daemon, request, *headers):
        """Compiles with these headers; returns the request id that the daemon told."""
        _, call = daemon.stub(self.grpc).Compile.with_call(request, timeout=60, metadata=list(headers))
        return dict(call.initial_metadata()).get("kiln-request-id")

    def counts(self, daemon):
        """Returns the spans by what became of them."""
        body, _ = daemon.scrape()
        found = re.findall(r'kiln_trace_spans_total\{result="(\w+)"\} (\d+)', body.decode())
        return {name: int(number) for name, number in found}

    def queued(self, daemon):
        body, _ = daemon.scrape()
        return int(re.search(r"^kiln_trace_queue_spans (\d+)", body.decode(), re.M).group(1))

    def await_spans(self, trace, names):
        """Returns the trace's spans by name, when all of these are there."""
        def complete():
            return names <= {span["name"] for span in self.collector.of_trace(trace)}
        monitoring.await_true("the spans %s" % names, complete)
        self.assertEqual(self.collector.wrong, [])
        return {span["name"]: span for span in self.collector.of_trace(trace)}

    def test_a_miss_and_a_hit(self):
        daemon = self.start()
        sent = self.call(daemon, self.request(1), ("traceparent", PARENT), ("tracestate", "rojo=1"), ("tracestate", "congo=2"),
                         ("kiln-request-id", "mine-1"))
        self.assertEqual(sent, "mine-1")
        spans = self.await_spans(TRACE, {"kiln.v1.Compiler/Compile", "queue", "compile", "cache lookup"})
        root, work = spans["kiln.v1.Compiler/Compile"], spans["compile"]
        self.assertEqual((root["parentSpanId"], root["kind"], root["flags"]), (PARENT_SPAN, 2, 0x301))
        self.assertEqual(root["traceState"], "rojo=1,congo=2")
        told = attributes(root)
        self.assertRegex(told.pop("kiln.key"), "^[0-9a-f]{64}$")
        self.assertGreater(int(told.pop("kiln.response.bytes")), 0)
        self.assertGreaterEqual(int(told.pop("kiln.code.bytes")), 0)
        told.pop("kiln.stage", None)
        self.assertEqual(told, {"rpc.system.name": "grpc", "rpc.method": "kiln.v1.Compiler/Compile", "rpc.status_code": "OK",
                                "kiln.request_id": "mine-1", "kiln.target": "tgl", "kiln.result": "ok", "kiln.cache": "miss"})
        self.assertEqual(attributes(work)["kiln.target"], "tgl")
        self.assertEqual(attributes(work)["kiln.job.status"], "ok")
        for name in ("queue", "compile", "cache lookup"):
            self.assertEqual((spans[name]["parentSpanId"], spans[name]["kind"]), (root["spanId"], 1), name)
        # Steps lie within the request.
        for span in self.collector.of_trace(TRACE):
            self.assertLessEqual(int(root["startTimeUnixNano"]), int(span["startTimeUnixNano"]) + 2000000, span["name"])
            self.assertLessEqual(int(span["endTimeUnixNano"]), int(root["endTimeUnixNano"]) + 2000000, span["name"])
        self.assertEqual({each["key"] for each in self.collector.resources[0]["attributes"]}, {"service.name", "service.version"})
        self.assertEqual(self.collector.headers[0]["Content-Type"], "application/json")
        self.assertRegex(self.collector.headers[0]["User-Agent"], r"^kilnd/\d")

        trace = new_parent(1)
        identified = self.call(daemon, self.request(1), ("traceparent", trace))
        spans = self.await_spans(trace.split("-")[1], {"kiln.v1.Compiler/Compile", "cache lookup"})
        self.assertEqual(len(spans), 2)
        told = attributes(spans["kiln.v1.Compiler/Compile"])
        self.assertEqual((told["kiln.cache"], told["kiln.request_id"]), ("memory", identified))
        self.assertEqual(attributes(spans["cache lookup"])["kiln.cache.tier"], "memory")

    def test_nothing_of_a_source_or_a_client_is_sent(self):
        daemon = self.start()
        source = self.pb.GlslSource(text="#version 450\nvoid main() { int canary_text; }", name="canary_name.comp", stage="compute",
                                    defines=[self.pb.GlslSource.Define(name="canary_define", value="1")])
        self.call(daemon, self.pb.CompileRequest(glsl=source, targets=["tgl", "skl"]), ("traceparent", PARENT),
                  ("user-agent-of-mine", "canary_header"))
        with self.assertRaises(grpc.RpcError):
            self.call(daemon, self.request(2, entry_point="canary\x01entry" * 1000), ("traceparent", PARENT))
        spans = self.await_spans(TRACE, {"kiln.v1.Compiler/Compile", "translate", "compile"})
        with self.collector.lock:
            self.assertNotIn("canary", json.dumps(self.collector.spans))
            self.assertNotIn("127.0.0.1", json.dumps(self.collector.spans))
        of_both = [span for span in self.collector.of_trace(TRACE) if span.get("events")]
        self.assertEqual([attributes(event)["kiln.target"] for event in of_both[0]["events"]], ["tgl", "skl"])
        self.assertEqual(spans["compile"].get("status"), None)

    def test_passes_over_a_millisecond_are_children_of_the_work(self):
        daemon = self.start(worker=FAULTY)
        source = self.pb.GlslSource(text="#version 450\nlayout(local_size_x = 8) in; layout(binding = 0) buffer B { float v[]; };\n"
                                    "void main() { v[gl_GlobalInvocationID.x] *= 2.0; }", name="a.comp", stage="compute")
        self.call(daemon, self.pb.CompileRequest(glsl=source, targets=["tgl"], outputs=self.pb.OutputMask(binary=True)),
                  ("traceparent", PARENT), ("kiln-fault", "spin:schedule:30"))
        self.await_spans(TRACE, {"kiln.v1.Compiler/Compile", "translate", "compile", "schedule"})
        spans = self.collector.of_trace(TRACE)
        work = next(span for span in spans if span["name"] == "compile")
        passes = [span for span in spans if "kiln.pass" in attributes(span)]
        slow = max((span for span in passes if span["name"] == "schedule"),
                   key=lambda span: int(span["endTimeUnixNano"]) - int(span["startTimeUnixNano"]))
        self.assertEqual(slow["parentSpanId"], work["spanId"])
        self.assertGreater(int(slow["endTimeUnixNano"]) - int(slow["startTimeUnixNano"]), 25000000)
        self.assertEqual(attributes(work)["kiln.stage"], "compute")
        for span in passes:
            self.assertGreater(int(span["endTimeUnixNano"]) - int(span["startTimeUnixNano"]), 1000000)

    def test_a_job_that_dies_is_an_error_of_its_own(self):
        daemon = self.start()
        self.call(daemon, self.request(3), ("traceparent", PARENT), ("kiln-fault", "crash:fake_fold"))
        spans = self.await_spans(TRACE, {"kiln.v1.Compiler/Compile", "compile"})
        self.assertEqual(spans["compile"]["status"], {"code": 2})
        self.assertEqual(attributes(spans["compile"])["kiln.job.status"], "crashed")
        self.assertEqual(attributes(spans["compile"])["kiln.last_pass"], "fake_fold")
        self.assertEqual(attributes(spans["kiln.v1.Compiler/Compile"])["kiln.result"], "crashed")
        self.assertNotIn("status", spans["kiln.v1.Compiler/Compile"])  # the call itself ended well

    def test_calls_for_one_job_are_linked(self):
        daemon = self.start()
        parents = [new_parent(number) for number in (10, 11)]
        leader = daemon.stub(self.grpc).Compile.future(self.request(4), timeout=60, metadata=[
            ("traceparent", parents[0]), ("kiln-fault", "slow:fake_fold:500")])
        monitoring.await_true("the job runs", lambda: b"kiln_workers_busy 1" in daemon.scrape()[0])
        self.call(daemon, self.request(4), ("traceparent", parents[1]))
        leader.result()
        first = self.await_spans(parents[0].split("-")[1], {"kiln.v1.Compiler/Compile", "compile"})
        second = self.await_spans(parents[1].split("-")[1], {"kiln.v1.Compiler/Compile", "wait for the same job"})
        self.assertNotIn("compile", second)
        self.assertEqual(second["wait for the same job"]["links"],
                         [{"traceId": parents[0].split("-")[1], "spanId": first["compile"]["spanId"]}])
        self.assertEqual(attributes(second["kiln.v1.Compiler/Compile"])["kiln.cache"], "coalesced")

    def test_the_parent_decides_and_damaged_ones_count_as_none(self):
        daemon = self.start()
        for number, value in enumerate(["", "00", "00-" + "0" * 32 + "-00f067aa0ba902b7-01", "ff-" + PARENT[3:], PARENT.upper(),
                                        PARENT + "-x", "x" * 4000, "00-%s-%s-1" % (TRACE, PARENT_SPAN),
                                        new_parent(20, "00"), "~" + PARENT[1:]]):
            self.call(daemon, self.request(100 + number), ("traceparent", value))
        self.call(daemon, self.request(5))
        self.call(daemon, self.request(6), ("traceparent", PARENT), ("traceparent", new_parent(21)))
        self.call(daemon, self.request(7), ("traceparent", PARENT), ("tracestate", "=damaged"))
        spans = self.await_spans(TRACE, {"kiln.v1.Compiler/Compile"})
        self.assertNotIn("traceState", spans["kiln.v1.Compiler/Compile"])
        self.call(daemon, self.request(8), ("traceparent", "cc-%s-%s-01-later" % (TRACE, PARENT_SPAN)))
        monitoring.await_true("two requests of it", lambda: len([
            1 for span in self.collector.of_trace(TRACE) if span["kind"] == 2]) == 2)
        with self.collector.lock:
            self.assertEqual({span["traceId"] for span in self.collector.spans}, {TRACE})

    def test_a_ratio_is_for_requests_without_parent(self):
        daemon = self.start("--trace-sampling=1/1")
        self.call(daemon, self.request(1))
        self.call(daemon, self.request(2), ("traceparent", new_parent(30, "00")))
        self.call(daemon, self.request(3), ("traceparent", "damaged"))
        monitoring.await_true("two roots", lambda: len([1 for span in list(self.collector.spans) if span["kind"] == 2]) == 2)
        roots = [span for span in self.collector.spans if span["kind"] == 2]
        self.assertTrue(all("parentSpanId" not in span for span in roots))
        self.assertTrue(all(span["flags"] == 0x103 for span in roots))
        self.assertEqual(len({span["traceId"] for span in roots}), 2)

    def test_items_are_parts_of_their_stream(self):
        daemon = self.start()
        requests = [self.pb_stream(item, self.request(item % 2)) for item in (1, 2, 3)]
        answers = list(daemon.stub(self.grpc).CompileStream(iter(requests), timeout=60, metadata=[
            ("traceparent", PARENT), ("kiln-request-id", "s")]))
        self.assertEqual(len(answers), 4)
        spans = self.await_spans(TRACE, {"kiln.v1.Compiler/CompileStream", "item"})
        monitoring.await_true("three items", lambda: len([
            1 for span in self.collector.of_trace(TRACE) if span["name"] == "item"]) == 3)
        stream = spans["kiln.v1.Compiler/CompileStream"]
        items = [span for span in self.collector.of_trace(TRACE) if span["name"] == "item"]
        self.assertEqual({span["parentSpanId"] for span in items}, {stream["spanId"]})
        self.assertEqual({attributes(span)["kiln.request_id"] for span in items}, {"s.1", "s.2", "s.3"})
        self.assertEqual(stream["parentSpanId"], PARENT_SPAN)

    def pb_stream(self, item, request):
        from kiln.v1 import compiler_pb2
        return compiler_pb2.StreamRequest(item=item, request=request)

    def test_kiln_sends_the_trace(self):
        daemon = self.start(worker=FAULTY)
        source = os.path.join(self.work, "a.comp")
        with open(source, "w", encoding="utf-8") as file:
            file.write("#version 450\nlayout(local_size_x = 8) in;\nvoid main() {}\n")
        clean = {name: value for name, value in os.environ.items() if name not in ("TRACEPARENT", "TRACESTATE")}

        def kiln(command, *flags, **variables):
            return subprocess.run([KILN, command, "--server=" + daemon.address, "--target=tgl", *flags, source], check=False,
                                  env={**clean, **variables}, capture_output=True, text=True)
        self.assertEqual(kiln("compile").returncode, 0)
        self.assertEqual(kiln("compile", TRACEPARENT="damaged").returncode, 0)
        self.assertEqual(kiln("compile", TRACEPARENT=new_parent(40, "00")).returncode, 0)
        self.assertEqual(kiln("compile", TRACEPARENT=PARENT, TRACESTATE="ci=7").returncode, 0)
        root = self.await_spans(TRACE, {"kiln.v1.Compiler/Compile"})["kiln.v1.Compiler/Compile"]
        self.assertEqual((root["parentSpanId"], root["traceState"]), (PARENT_SPAN, "ci=7"))
        for command, name in (("compile", "Compile"), ("batch", "CompileStream")):
            done = kiln(command, "--traceparent=new")
            self.assertEqual(done.returncode, 0, done.stderr)
            trace = re.search("kiln: trace ([0-9a-f]{32})\n", done.stderr).group(1)
            self.await_spans(trace, {"kiln.v1.Compiler/" + name})
        with self.collector.lock:
            self.assertEqual(len({span["traceId"] for span in self.collector.spans}), 3)
        wrong = kiln("compile", "--traceparent=x")
        self.assertIn("must be 'new' or a W3C traceparent", wrong.stderr)
        self.assertEqual(wrong.returncode, 2)

    def test_settings_of_the_environment(self):
        headers = os.path.join(self.work, "headers")
        with open(headers, "w", encoding="utf-8") as file:
            file.write("Authorization: Bearer canary_secret\n")
        daemon = self.start("--otlp-headers-file=" + headers, endpoint=False, environment={
            "OTEL_EXPORTER_OTLP_ENDPOINT": self.collector.url + "/", "OTEL_SERVICE_NAME": "shaders",
            "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment.name=test", "OTEL_TRACES_SAMPLER": "always_on",
            "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"})
        self.call(daemon, self.request(1))
        monitoring.await_true("a span", lambda: self.collector.spans)
        self.assertEqual(self.collector.wrong, [])
        self.assertEqual(self.collector.headers[0]["Authorization"], "Bearer canary_secret")
        told = {each["key"]: each["value"]["stringValue"] for each in self.collector.resources[0]["attributes"]}
        self.assertEqual((told["service.name"], told["deployment.environment.name"]), ("shaders", "test"))
        self.assertIn("OTEL_EXPORTER_OTLP_PROTOCOL is ignored", daemon.said())
        self.assertNotIn("canary_secret", daemon.said())

    def test_off_by_default(self):
        daemon = self.start(endpoint=False)
        self.call(daemon, self.request(1), ("traceparent", PARENT))
        self.assertEqual(self.counts(daemon), {"exported": 0, "queue_full": 0, "rejected": 0, "unreachable": 0})
        self.assertIn(b"\nkiln_trace_queue_limit 0", daemon.scrape()[0])

    # Faults of the collector ------------------------------------------------------------------------------

    def test_it_tries_again_and_says_so_once(self):
        self.collector.answers = [(503, {}, b""), (429, {"Retry-After": "1"}, b"")]
        daemon = self.start()
        self.call(daemon, self.request(1), ("traceparent", PARENT))
        self.await_spans(TRACE, {"kiln.v1.Compiler/Compile"})
        monitoring.await_true("the log says so", lambda: "event=traces_exported" in daemon.said())
        self.assertEqual(daemon.said().count("event=traces_not_exported"), 1)
        # The daemon counts spans when it has read the answer, a moment after the collector has them.
        monitoring.await_true("each is counted",
                              lambda: self.counts(daemon)["exported"] == len(self.collector.of_trace(TRACE)))
        # Each span is there once.
        self.assertEqual(len({span["spanId"] for span in self.collector.spans}), len(self.collector.spans))

    def test_it_drops_what_is_rejected(self):
        daemon = self.start()
        rejected = 0
        for number, answer in enumerate([(400, {}, b"no"), (301, {"Location": "http://127.0.0.1:1/"}, b""),
                                         (200, {}, b'{"partialSuccess": {"rejectedSpans": "1", "errorMessage": "old"}}')]):
            self.collector.answers = [answer]
            self.call(daemon, self.request(number), ("traceparent", new_parent(number)))
            monitoring.await_true("an answer", lambda: not self.collector.answers and self.queued(daemon) == 0)
            monitoring.await_true(f"{answer} rejects", lambda: self.counts(daemon)["rejected"] > rejected)
            rejected = self.counts(daemon)["rejected"]
        self.assertEqual(self.counts(daemon)["unreachable"], 0)

    def test_a_collector_that_answers_nonsense(self):
        daemon = self.start()
        for number, answer in enumerate([b"", b"\xff" * 1000, b"[" * 100000, b"<html>", b"x" * (1 << 20)]):
            self.collector.answers = [(200, {}, answer)]
            self.call(daemon, self.request(number), ("traceparent", new_parent(50 + number)))
            self.await_spans(new_parent(50 + number).split("-")[1], {"kiln.v1.Compiler/Compile"})
        self.assertEqual(self.counts(daemon)["rejected"], 0)

    def test_ten_thousand_requests_with_a_queue_of_a_hundred(self):
        """The collector takes a batch and does not answer. No call waits for it: each is answered, and spans beyond the queue are
        counted."""
        self.collector.hold.clear()
        daemon = self.start(environment={"OTEL_BSP_MAX_QUEUE_SIZE": "100", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "50",
                                         "OTEL_EXPORTER_OTLP_TIMEOUT": "600000"})
        self.call(daemon, self.request(1))
        stub, request = daemon.stub(self.grpc), self.request(1)
        answered = 0
        for begin in range(0, 10000, 100):
            calls = [stub.Compile.future(request, timeout=60, metadata=[("traceparent", new_parent(number))])
                     for number in range(begin, begin + 100)]
            answered += len([1 for call in calls if call.result().results[0].status == self.pb.TargetResult.OK])
        self.assertEqual(answered, 10000)
        counts, queued = self.counts(daemon), self.queued(daemon)
        self.assertEqual(self.collector.requests, 0)  # none was answered meanwhile
        self.assertLessEqual(queued, 150)
        self.assertEqual(counts["queue_full"] + queued, 20000)  # a look-up and the call
        self.assertEqual(counts["exported"] + counts["rejected"] + counts["unreachable"], 0)
        self.collector.hold.set()
        monitoring.await_true("the rest is sent", lambda: self.counts(daemon)["exported"] >= queued)
        self.assertEqual(self.counts(daemon)["exported"], queued)

    def test_the_end_sends_what_is_left(self):
        daemon = self.start(environment={"OTEL_BSP_SCHEDULE_DELAY": "3600000"})
        self.call(daemon, self.request(1), ("traceparent", PARENT))
        self.assertEqual(self.collector.requests, 0)
        self.assertEqual(daemon.stop(), 0)
        self.await_spans(TRACE, {"kiln.v1.Compiler/Compile", "compile"})

    def test_the_end_does_not_wait_for_a_collector_that_hangs(self):
        self.collector.hold.clear()
        daemon = self.start()
        self.call(daemon, self.request(1), ("traceparent", PARENT))
        monitoring.await_true("spans wait", lambda: self.queued(daemon) > 0)
        begun = time.monotonic()
        self.assertEqual(daemon.stop(), 0)
        self.assertLess(time.monotonic() - begun, 30)  # 3 s, and room for a busy machine
        self.assertIn("event=stopped", daemon.said())

    def test_a_collector_that_is_down_comes_back(self):
        down = monitoring.free_port()
        daemon = self.start("--otlp-endpoint=http://127.0.0.1:%d" % down, endpoint=False)
        self.call(daemon, self.request(1), ("traceparent", PARENT))
        monitoring.await_true("the log says so", lambda: "event=traces_not_exported" in daemon.said())
        back = Collector(down)
        self.addCleanup(back.stop)
        monitoring.await_true("the spans", lambda: back.of_trace(TRACE))
        self.assertEqual(back.wrong, [])

    def test_wrong_settings_are_told(self):
        for flags, text in ((["--otlp-endpoint=collector:4318"], "does not begin with http://"),
                            (["--otlp-endpoint=http://u:canary@c"], "--otlp-headers-file"),
                            (["--trace-sampling=0.5"], "a share such as 1/1000")):
            done = subprocess.run([KILND, *flags], check=False, capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 2)
            self.assertIn(text, done.stderr)
            self.assertNotIn("canary", done.stderr)
        done = subprocess.run([KILND, "--otlp-endpoint=http://127.0.0.1:1", "--otlp-headers-file=/nowhere", "--listen=127.0.0.1:0",
                               "--metrics=none", "--worker-binary=" + FAKE], check=False, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot be read", done.stderr)


class JudgeTest(unittest.TestCase):
    """The judge refuses what is not of the schema."""

    def test_it_takes_the_published_form_and_refuses_others(self):
        span = {"traceId": TRACE, "spanId": PARENT_SPAN, "name": "n", "kind": 2, "startTimeUnixNano": "1", "endTimeUnixNano": "2"}

        def judged(**changes):
            changed = {key: value for key, value in {**span, **changes}.items() if value is not None}
            return list(faults("ExportTraceServiceRequest", {"resourceSpans": [{"scopeSpans": [{"spans": [changed]}]}]}))
        self.assertEqual(judged(), [])
        self.assertEqual(judged(attributes=[{"key": "k", "value": {"intValue": "1"}}], status={"code": 2}), [])
        for changes in ({"traceId": base64.b64encode(bytes(15) + b"1").decode()}, {"traceId": "0" * 32}, {"spanId": PARENT_SPAN.upper()},
                        {"kind": "SPAN_KIND_SERVER"}, {"kind": 6}, {"startTimeUnixNano": 1}, {"startTimeUnixNano": "3"},
                        {"trace_state": "a=1"}, {"attributes": {}}, {"attributes": [{"key": "k", "value": {"intValue": 1}}]},
                        {"attributes": [{"key": "k", "value": {}}]}, {"name": None}, {"status": {"code": 3}}, {"status": 2},
                        {"flags": -1}, {"flags": True}):
            self.assertNotEqual(judged(**changes), [], changes)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[5:], verbosity=1)
