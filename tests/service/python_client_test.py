"""kilnd seen by a client in another language.

Generates Python code for the public protos with the system's protoc, asks the daemon by reflection
for its services, checks health per service before and after a drain begins, compiles GLSL and
SPIR-V, and has promtool judge the metrics. Arguments: kilnd, worker. Run by python_client_test.sh.
"""

import hashlib
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.request

import grpc

KILND, WORKER = sys.argv[1:3]
PROTOS = ["kiln/v1/compiler.proto", "kiln/v1/compile.proto", "kiln/v1/launch_record.proto"]
# Protocols that tools like grpcurl bring along; wire-compatible excerpts of the published ones.
WELL_KNOWN = """
syntax = "proto3";
package %s;
"""
HEALTH = WELL_KNOWN % "grpc.health.v1" + """
message HealthCheckRequest { string service = 1; }
message HealthCheckResponse {
  enum ServingStatus { UNKNOWN = 0; SERVING = 1; NOT_SERVING = 2; SERVICE_UNKNOWN = 3; }
  ServingStatus status = 1;
}
service Health {
  rpc Check(HealthCheckRequest) returns (HealthCheckResponse);
  rpc Watch(HealthCheckRequest) returns (stream HealthCheckResponse);
}
"""
REFLECTION = WELL_KNOWN % "grpc.reflection.v1alpha" + """
message ServerReflectionRequest {
  string host = 1;
  oneof message_request {
    string file_by_filename = 3;
    string file_containing_symbol = 4;
    ExtensionRequest file_containing_extension = 5;
    string all_extension_numbers_of_type = 6;
    string list_services = 7;
  }
}
message ExtensionRequest { string containing_type = 1; int32 extension_number = 2; }
message FileDescriptorResponse { repeated bytes file_descriptor_proto = 1; }
message ExtensionNumberResponse { string base_type_name = 1; repeated int32 extension_number = 2; }
message ListServiceResponse { repeated ServiceResponse service = 1; }
message ServiceResponse { string name = 1; }
message ErrorResponse { int32 error_code = 1; string error_message = 2; }
message ServerReflectionResponse {
  string valid_host = 1;
  ServerReflectionRequest original_request = 2;
  oneof message_response {
    ErrorResponse error_response = 7;
    FileDescriptorResponse file_descriptor_response = 4;
    ExtensionNumberResponse all_extension_numbers_response = 5;
    ListServiceResponse list_services_response = 6;
  }
}
service ServerReflection {
  rpc ServerReflectionInfo(stream ServerReflectionRequest) returns (stream ServerReflectionResponse);
}
"""


def generate(out):
    """Generates Python modules for everything above into `out`, which becomes importable."""
    for name, text in (("health.proto", HEALTH), ("reflection.proto", REFLECTION)):
        with open(os.path.join(out, name), "w") as f:
            f.write(text)
    for root, files in (("proto", PROTOS), (out, ["health.proto", "reflection.proto"])):
        subprocess.run(
            ["protoc", "-I" + root, "--python_out=" + out, "--grpc_python_out=" + out,
             "--plugin=protoc-gen-grpc_python=/usr/bin/grpc_python_plugin"]
            + files, check=True)
    sys.path.insert(0, out)


def fake_module(seed):
    return struct.pack("<19I", 0x07230203, 0x00010300, seed, *range(16))


class Daemon:
    def __init__(self, directory, *flags):
        self.process = subprocess.Popen(
            [KILND, "--listen=127.0.0.1:0", "--metrics=127.0.0.1:0", "--worker-binary=" + WORKER,
             "--cache-dir=" + directory] + list(flags), stderr=subprocess.PIPE, text=True)
        log, match = "", None
        for line in self.process.stderr:
            log += line
            match = re.search(r'listening on ([^,\s]+), metrics on ([^\s"]+)', line)
            if match:
                break
        assert match, log
        self.address, self.metrics_url = match.groups()

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(60)
        self.process.stderr.close()
        return code


class PythonClientTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.mkdtemp()
        generate(cls.work)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.work)

    def setUp(self):
        self.daemon = Daemon(os.path.join(self.work, self.id().rsplit(".", 1)[1]),
                             "--enable-fault-injection", "--drain-time=20s")
        self.channel = grpc.insecure_channel(self.daemon.address)
        from kiln.v1 import compile_pb2, compiler_pb2_grpc
        self.pb = compile_pb2
        self.stub = compiler_pb2_grpc.CompilerStub(self.channel)

    def tearDown(self):
        self.channel.close()
        self.daemon.stop()

    def test_compile_miss_then_hit(self):
        request = self.pb.CompileRequest(
            spirv=fake_module(1), targets=["tgl", "skl"],
            outputs=self.pb.OutputMask(binary=True, pass_records=True),
            spec_constants=[self.pb.SpecConstant(id=3, float_value=1.5)])
        first = self.stub.Compile(request, timeout=60)
        self.assertEqual([r.target for r in first.results], ["tgl", "skl"])
        for result in first.results:
            self.assertEqual(result.status, self.pb.TargetResult.OK, result.message)
            self.assertEqual(result.cache, self.pb.CACHE_MISS)
            self.assertEqual(len(result.passes), 5)
        request.digest.kind = self.pb.SourceDigest.SPIRV
        request.digest.sha256 = hashlib.sha256(fake_module(1)).digest()
        second = self.stub.Compile(request, timeout=60)
        self.assertEqual(second.results[1].cache, self.pb.CACHE_MEMORY)
        self.assertEqual(second.results[1].variants, first.results[1].variants)

    def stream(self, items):
        """Returns answers of one CompileStream call, by item; sends as many items as there are credits."""
        from kiln.v1 import compiler_pb2
        ready = threading.Semaphore(0)

        def send():
            for number, request in items:
                ready.acquire()
                yield compiler_pb2.StreamRequest(item=number, request=request)
        answers, order = {}, []
        for answer in self.stub.CompileStream(send(), timeout=60):
            for _ in range(answer.credits or 1):
                ready.release()
            if answer.item:
                self.assertNotIn(answer.item, answers)
                answers[answer.item] = answer
                order.append(answer.item)
        return answers, order

    def test_stream_sends_sources_on_a_miss_only(self):
        def by_digest(seed):
            return self.pb.CompileRequest(targets=["tgl"], digest=self.pb.SourceDigest(
                kind=self.pb.SourceDigest.SPIRV, sha256=hashlib.sha256(fake_module(seed)).digest()))

        def whole(seed):
            return self.pb.CompileRequest(targets=["tgl"], spirv=fake_module(seed))
        count = 200
        answers, _ = self.stream([(n, by_digest(n)) for n in range(1, count + 1)])
        self.assertEqual(len(answers), count)
        for answer in answers.values():
            self.assertEqual(answer.response.results[0].status, self.pb.TargetResult.NOT_CACHED)
        answers, _ = self.stream([(n, whole(n)) for n in range(1, count + 1)])
        for n in range(1, count + 1):
            self.assertEqual(answers[n].response.results[0].status, self.pb.TargetResult.OK)
            self.assertEqual(answers[n].response.results[0].cache, self.pb.CACHE_MISS)
        answers, _ = self.stream([(n, by_digest(n)) for n in range(1, count + 1)])
        for n in range(1, count + 1):
            self.assertEqual(answers[n].response.results[0].cache, self.pb.CACHE_MEMORY)

    def test_stream_answers_out_of_order_and_item_by_item(self):
        slow = self.pb.CompileRequest(targets=["tgl"], spirv=fake_module(1))
        cached = self.pb.CompileRequest(targets=["tgl"], spirv=fake_module(2))
        self.stub.Compile(cached, timeout=60)
        wrong = self.pb.CompileRequest(targets=["mars"], spirv=fake_module(3))
        from kiln.v1 import compiler_pb2
        items = [compiler_pb2.StreamRequest(item=n, request=r)
                 for n, r in ((1, slow), (2, cached), (3, wrong), (0, cached), (1, cached))]
        call = self.stub.CompileStream(iter(items), timeout=60,
                                       metadata=(("kiln-fault", "slow::700"),))
        answers = list(call)
        self.assertEqual(answers[0].credits, 64)
        self.assertEqual(answers[-1].item, 1)       # the slow item last
        self.assertEqual(answers[-1].response.results[0].status, self.pb.TargetResult.OK)
        by_item = {a.item: a for a in answers[1:-1] if not a.HasField("error")}
        self.assertEqual(by_item[2].response.results[0].cache, self.pb.CACHE_MEMORY)
        errors = {a.item: a.error for a in answers[1:] if a.HasField("error")}
        self.assertEqual(sorted(errors), [0, 1, 3])
        for error in errors.values():
            self.assertEqual(error.code, grpc.StatusCode.INVALID_ARGUMENT.value[0])
        self.assertEqual(errors[3].violations[0].field, "targets")
        self.assertIn("not answered yet", errors[1].message)

    def test_stream_puts_large_answers_together(self):
        """Reassembles large answers with gRPC's usual bound of 4 MiB on received messages."""
        from kiln.v1 import compiler_pb2
        large = self.pb.CompileRequest(targets=["tgl"], spirv=fake_module(1) + bytes(6 << 20),
                                       outputs=self.pb.OutputMask(binary=True))
        small = self.pb.CompileRequest(targets=["tgl"], spirv=fake_module(2))
        items = [compiler_pb2.StreamRequest(item=1, request=large),
                 compiler_pb2.StreamRequest(item=2, request=large, takes_chunks=True),
                 compiler_pb2.StreamRequest(item=3, request=small)]
        parts, answers = [], {}
        for answer in self.stub.CompileStream(iter(items), timeout=60):
            if answer.HasField("chunk"):
                self.assertEqual(answer.item, 2)
                parts.append(answer.chunk)
            else:
                answers[answer.item] = answer
        self.assertEqual(answers[1].error.code, grpc.StatusCode.RESOURCE_EXHAUSTED.value[0])
        self.assertEqual(answers[3].response.results[0].status, self.pb.TargetResult.OK)
        self.assertEqual([p.last for p in parts], [False, True])
        result = self.pb.CompileResponse.FromString(b"".join(p.data for p in parts)).results[0]
        self.assertEqual(result.status, self.pb.TargetResult.OK)
        self.assertGreaterEqual(len(result.variants[0].code), 6 << 20)

    def test_stream_client_leaves(self):
        from kiln.v1 import compiler_pb2
        hanging = self.pb.CompileRequest(targets=["tgl"], spirv=fake_module(9))
        stop = threading.Event()

        def send():
            yield compiler_pb2.StreamRequest(item=1, request=hanging)
            stop.wait(30)
        call = self.stub.CompileStream(send(), metadata=(("kiln-fault", "slow::20000"),))
        self.assertEqual(next(call).credits, 64)
        self.wait_for_requests_in_flight(1)
        call.cancel()
        stop.set()
        # The item ends with its client, long before the compile would have. It is requested again
        # only then, since an earlier request rightly waits for the same compile.
        self.wait_for_requests_in_flight(0)
        request = self.pb.CompileRequest(targets=["tgl"], spirv=fake_module(9))
        self.assertEqual(self.stub.Compile(request, timeout=60).results[0].status,
                         self.pb.TargetResult.OK)

    def wait_for_requests_in_flight(self, count):
        deadline = time.monotonic() + 15
        while True:
            with urllib.request.urlopen(self.daemon.metrics_url, timeout=60) as answer:
                text = answer.read().decode()
            items = r'^kiln_requests_in_flight{method="CompileStream/item"} (\S+)'
            if float(re.search(items, text, re.M).group(1)) == count:
                return
            self.assertLess(time.monotonic(), deadline, "requests in flight are not %d" % count)
            time.sleep(0.05)

    def test_glsl_digest_as_documented(self):
        def field(value):
            data = value.encode()
            return struct.pack("<Q", len(data)) + data
        glsl = self.pb.GlslSource(text="void main() {}", name="a.comp", stage="compute")
        glsl.defines.add(name="N", value="4")
        glsl.includes.add(spelled="b.h", includer="a.comp", resolved="inc/b.h", text="int b;")
        known = self.stub.Compile(self.pb.CompileRequest(glsl=glsl, targets=["tgl"]), timeout=60)
        self.assertEqual(known.results[0].status, self.pb.TargetResult.OK)
        canonical = (field("kiln.glsl.1") + field(glsl.name) + field(glsl.stage) + field(glsl.text)
                     + struct.pack("<Q", 1) + field("N") + field("4")
                     + struct.pack("<Q", 1) + field("b.h") + field("a.comp") + field("inc/b.h")
                     + field("int b;"))
        request = self.pb.CompileRequest(targets=["tgl"])
        request.digest.kind = self.pb.SourceDigest.GLSL
        request.digest.sha256 = hashlib.sha256(canonical).digest()
        again = self.stub.Compile(request, timeout=60)
        self.assertEqual(again.results[0].cache, self.pb.CACHE_MEMORY)

    def test_the_client_of_the_readme(self):
        with open("proto/README.md") as f:
            program = re.search(r"```python\n(.*?)```", f.read(), re.S).group(1)
        self.assertEqual(program.count('"127.0.0.1:7411"'), 1)
        self.assertEqual(program.count('"generated"'), 1)
        program = program.replace("127.0.0.1:7411", self.daemon.address)
        module = os.path.join(self.work, "module.spv")
        with open(module, "wb") as f:
            f.write(fake_module(1))
        done = subprocess.run([sys.executable, "-c", program.replace("generated", self.work), module],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertRegex(done.stdout, r"^tgl OK \n.+ \{.*\}\n")
        self.assertEqual(done.returncode, 0)

    def test_errors_of_calls(self):
        with self.assertRaises(grpc.RpcError) as caught:
            self.stub.Compile(self.pb.CompileRequest(spirv=fake_module(1)), timeout=60)
        self.assertEqual(caught.exception.code(), grpc.StatusCode.INVALID_ARGUMENT)
        self.assertIn("targets", caught.exception.details())

    def test_capabilities(self):
        capabilities = self.stub.GetCapabilities(self.pb.GetCapabilitiesRequest(), timeout=60)
        self.assertEqual([t.name for t in capabilities.targets], ["tgl", "skl"])
        self.assertGreater(capabilities.limits.max_module_bytes, 0)

    def reflect(self, *requests):
        """Returns answers to ServerReflectionRequests that have one field each, in one stream."""
        import reflection_pb2 as r
        import reflection_pb2_grpc
        stub = reflection_pb2_grpc.ServerReflectionStub(self.channel)
        return list(stub.ServerReflectionInfo(
            iter([r.ServerReflectionRequest(**fields) for fields in requests]), timeout=60))

    def files(self, answer):
        """Returns the FileDescriptorProtos of an answer."""
        from google.protobuf import descriptor_pb2
        self.assertEqual(answer.WhichOneof("message_response"), "file_descriptor_response",
                         str(answer))
        return [descriptor_pb2.FileDescriptorProto.FromString(text)
                for text in answer.file_descriptor_response.file_descriptor_proto]

    def test_reflection(self):
        services, = self.reflect({"list_services": ""})
        names = [s.name for s in services.list_services_response.service]
        self.assertEqual(sorted(names), [
            "grpc.health.v1.Health", "grpc.reflection.v1alpha.ServerReflection",
            "kiln.v1.Admin", "kiln.v1.Compiler",
            "kiln.v1alpha.Admin", "kiln.v1alpha.Compiler"])
        for name, answer in zip(names, self.reflect(*[{"file_containing_symbol": n}
                                                      for n in names])):
            files = self.files(answer)
            # The requested file comes first.
            self.assertIn(name, [files[0].package + "." + s.name for s in files[0].service])
            # Each file comes once and with all that it imports, so that a pool can be built from
            # them.
            paths = [f.name for f in files]
            self.assertEqual(len(paths), len(set(paths)))
            for f in files:
                self.assertLessEqual(set(f.dependency), set(paths))

        # Symbols of all kinds, by file.
        kinds = {"kiln.v1.Compiler.Compile": "kiln/v1/compiler.proto",
                 "kiln.v1.CompileRequest": "kiln/v1/compile.proto",
                 "kiln.v1.CompileRequest.spirv": "kiln/v1/compile.proto",
                 "kiln.v1.TargetResult.Status": "kiln/v1/compile.proto",
                 "grpc.health.v1.HealthCheckResponse.SERVING": "proto/health.proto"}
        for path, answer in zip(kinds.values(), self.reflect(*[{"file_containing_symbol": n}
                                                               for n in kinds])):
            self.assertEqual(self.files(answer)[0].name, path)

        # Code built from the answers can call the service.
        from google.protobuf import descriptor_pool, message_factory
        pool = descriptor_pool.DescriptorPool()
        answer, = self.reflect({"file_containing_symbol": "kiln.v1.Compiler.GetCapabilities"})
        for f in reversed(self.files(answer)):
            pool.Add(f)
        method = pool.FindServiceByName("kiln.v1.Compiler").methods_by_name["GetCapabilities"]
        factory = message_factory.MessageFactory(pool)
        call = self.channel.unary_unary(
            "/kiln.v1.Compiler/GetCapabilities",
            request_serializer=lambda m: m.SerializeToString(),
            response_deserializer=factory.GetPrototype(method.output_type).FromString)
        capabilities = call(factory.GetPrototype(method.input_type)(), timeout=60)
        self.assertEqual([t.name for t in capabilities.targets], ["tgl", "skl"])

    def test_reflection_of_what_is_not_there(self):
        import reflection_pb2 as r
        extension = r.ExtensionRequest(containing_type="kiln.v1.CompileRequest",
                                       extension_number=1)
        # No error ends the stream. The workers' protocol is no part of the services'.
        answers = self.reflect(
            {"file_containing_symbol": "no.such.Symbol"},
            {"file_by_filename": "proto/worker.proto"},
            {"file_containing_symbol": "kiln.worker.Job"},
            {"file_containing_extension": extension},
            {"all_extension_numbers_of_type": "no.such.Message"},
            {},
            {"all_extension_numbers_of_type": "kiln.v1.CompileRequest"},
            {"file_by_filename": "kiln/v1/compiler.proto", "host": "here"})
        self.assertEqual([a.error_response.error_code for a in answers], [5, 5, 5, 5, 5, 12, 0, 0])
        numbers = answers[6].all_extension_numbers_response
        self.assertEqual(numbers.base_type_name, "kiln.v1.CompileRequest")
        self.assertEqual(list(numbers.extension_number), [])
        self.assertEqual(answers[7].valid_host, "here")
        self.assertEqual(answers[7].original_request.file_by_filename, "kiln/v1/compiler.proto")
        self.assertEqual(self.files(answers[7])[0].name, "kiln/v1/compiler.proto")
        with self.assertRaises(grpc.RpcError) as caught:
            self.reflect({"file_by_filename": "x" * 5000})
        self.assertEqual(caught.exception.code(), grpc.StatusCode.RESOURCE_EXHAUSTED)

    def test_health_and_drain(self):
        import health_pb2 as h
        import health_pb2_grpc
        health = health_pb2_grpc.HealthStub(self.channel)
        for service in ("", "kiln.v1.Compiler"):
            answer = health.Check(h.HealthCheckRequest(service=service), timeout=60)
            self.assertEqual(answer.status, h.HealthCheckResponse.SERVING, service)
        with self.assertRaises(grpc.RpcError) as caught:
            health.Check(h.HealthCheckRequest(service="no.such.Service"), timeout=60)
        self.assertEqual(caught.exception.code(), grpc.StatusCode.NOT_FOUND)

        unknown = health.Watch(h.HealthCheckRequest(service="no.such.Service"), timeout=60)
        self.assertEqual(next(unknown).status, h.HealthCheckResponse.SERVICE_UNKNOWN)
        seen, ends = [], []
        watching = threading.Event()

        def watch():
            try:
                request = h.HealthCheckRequest(service="kiln.v1.Compiler")
                for answer in health.Watch(request, timeout=60):
                    seen.append(answer.status)
                    watching.set()
            except grpc.RpcError as error:
                ends.append(error.code())
        watcher = threading.Thread(target=watch)
        watcher.start()
        self.assertTrue(watching.wait(60))
        slow = self.stub.Compile.future(
            self.pb.CompileRequest(spirv=fake_module(9), targets=["tgl"]), timeout=60,
            metadata=[("kiln-fault", "slow::3000")])
        for _ in range(10000):
            if self.metric("kiln_workers_busy") == 1:
                break
        self.daemon.process.send_signal(signal.SIGTERM)
        self.assertEqual(slow.result().results[0].status, self.pb.TargetResult.OK)
        self.assertEqual(self.daemon.stop(), 0)
        watcher.join(60)
        self.assertEqual(seen, [h.HealthCheckResponse.SERVING, h.HealthCheckResponse.NOT_SERVING])
        self.assertEqual(ends, [grpc.StatusCode.UNAVAILABLE])  # which clients retry
        self.assertEqual(unknown.code(), grpc.StatusCode.UNAVAILABLE)

    def scrape(self):
        with urllib.request.urlopen(self.daemon.metrics_url, timeout=60) as answer:
            return answer.read()

    def metric(self, name):
        for line in self.scrape().decode().splitlines():
            if line.startswith(name + " "):
                return float(line.rsplit(" ", 1)[1])
        return None

    def test_metrics(self):
        self.stub.Compile(self.pb.CompileRequest(spirv=fake_module(2), targets=["tgl"]), timeout=60)
        self.stub.Compile(self.pb.CompileRequest(spirv=fake_module(3), targets=["tgl"]), timeout=60,
                          metadata=[("kiln-fault", "crash:fake_fold")])
        text = self.scrape()
        lines = [l for l in text.decode().splitlines() if l and not l.startswith("#")]
        self.assertLess(len(lines), 10000)
        names = {re.match(r"\w+", l).group() for l in lines}
        foreign = {n for n in names if not n.startswith(("kiln_", "process_"))}
        self.assertEqual(foreign, set())
        wanted = """kiln_build_info kiln_requests_total kiln_compile_results_total
            kiln_pass_runs_total kiln_pass_changed_total kiln_pass_seconds_total
            kiln_pass_instructions_removed_total kiln_pass_instructions_added_total
            kiln_pass_deaths_total kiln_cache_requests_total kiln_cache_bytes kiln_queue_depth
            kiln_workers kiln_workers_busy kiln_worker_exits_total kiln_sandbox_level
            kiln_single_flight_coalesced_total kiln_queue_wait_seconds_bucket
            kiln_compile_duration_seconds_bucket kiln_request_duration_seconds_bucket""".split()
        self.assertEqual(set(wanted) - names, set())
        # No hash, no shader and no client in a label.
        labels = " ".join(re.findall(r"{.*}", text.decode()))
        self.assertIsNone(re.search(r"[0-9a-f]{16}|127\.0\.0\.1", labels))
        if shutil.which("promtool") is None:
            self.skipTest("promtool is not installed (Debian package prometheus)")
        checked = subprocess.run(["promtool", "check", "metrics"], input=text,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual((checked.returncode, checked.stdout), (0, b""))

    def results(self):
        """Returns series of kiln_compile_results_total and their values."""
        found = re.findall(r"^(kiln_compile_results_total{.*}) (\S+)$", self.scrape().decode(), re.M)
        return {series: int(float(value)) for series, value in found}

    # 4 misses, 1 joined, 8 from memory, 3 from disk; and requests that are none of these.
    def ask_in_all_ways(self):
        policy = self.pb.CACHE_ONLY_IF_CACHED
        for seed in (21, 22, 23, 24):
            self.compile(seed, cache_policy=policy)
            if seed != 24:
                self.compile(seed)
        joined = [self.stub.Compile.future(self.request(24), timeout=60,
                                           metadata=[("kiln-fault", "slow::1500")])
                  for _ in range(2)]
        self.assertEqual({f.result().results[0].cache for f in joined},
                         {self.pb.CACHE_MISS, self.pb.CACHE_COALESCED})
        for seed in (21, 22, 23, 24) * 2:
            self.compile(seed)
        for seed in (21, 22, 23):
            self.compile(seed, outputs=self.pb.OutputMask(launch_record=True))

    def request(self, seed, **fields):
        return self.pb.CompileRequest(spirv=fake_module(seed), targets=["tgl"], **fields)

    def compile(self, seed, **fields):
        return self.stub.Compile(self.request(seed, **fields), timeout=60).results[0]

    def test_documented_query_of_tiers(self):
        if shutil.which("promtool") is None:
            self.skipTest("promtool is not installed (Debian package prometheus)")
        with open("server/metrics/README.md") as f:
            query = re.search(r"```promql\n(.*?)```", f.read(), re.S).group(1)
        before = self.results()
        self.ask_in_all_ways()
        after = self.results()
        self.assertEqual(sum(after.values()) - sum(before.values()), 16 + 4)
        wanted = {"miss": 4, "coalesced": 1, "memory": 8, "disk": 3}
        test = {"evaluation_interval": "1m", "tests": [{
            "interval": "1m",
            "input_series": [{"series": series, "values": "%d %d" % (before[series], after[series])}
                             for series in sorted(after)],
            "promql_expr_test": [
                {"expr": "round(%s, 0.0625)" % query, "eval_time": "1m",
                 "exp_samples": [{"labels": '{cache="%s"}' % cache, "value": count / 16}
                                 for cache, count in sorted(wanted.items())]},
                {"expr": "round(sum(%s), 0.0001)" % query, "eval_time": "1m",
                 "exp_samples": [{"labels": "{}", "value": 1}]}]}]}
        path = os.path.join(self.work, "query_test.yml")
        with open(path, "w") as f:
            json.dump(test, f)  # which is YAML
        checked = subprocess.run(["promtool", "test", "rules", path], stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True)
        self.assertEqual(checked.returncode, 0, checked.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
