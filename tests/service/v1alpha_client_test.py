"""kilnd seen by clients of before kiln.v1: kiln.v1alpha is answered for one release.

The client is made of the frozen FileDescriptorSet (proto/kiln.v1alpha.txtpb) alone. Arguments: kilnd, worker. Run by
v1alpha_client_test.sh.
"""

import os
import shutil
import sys
import tempfile
import unittest

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, text_format

import python_client_test
from python_client_test import Daemon, fake_module

sys.path.append("proto")
import freeze  # noqa: E402

FROZEN = "proto/kiln.v1alpha.txtpb"


class OldClient:
    """Messages and methods by their names in kiln.v1alpha."""

    def __init__(self, channel):
        self.channel = channel
        self.pool = descriptor_pool.DescriptorPool()
        with open(FROZEN, encoding="utf-8") as f:
            for file in text_format.Parse(f.read(), descriptor_pb2.FileDescriptorSet()).file:
                self.pool.Add(file)
        self.factory = message_factory.MessageFactory(self.pool)

    def message(self, name, **fields):
        kind = self.pool.FindMessageTypeByName("kiln.v1alpha." + name)
        return self.factory.GetPrototype(kind)(**fields)

    def method(self, service, name):
        method = self.pool.FindServiceByName("kiln.v1alpha." + service).methods_by_name[name]
        described = descriptor_pb2.MethodDescriptorProto()
        method.CopyToProto(described)
        make = (self.channel.stream_stream if described.client_streaming
                else self.channel.unary_unary)
        return make("/kiln.v1alpha.%s/%s" % (service, name),
                    request_serializer=lambda m: m.SerializeToString(),
                    response_deserializer=self.factory.GetPrototype(method.output_type).FromString)


class V1AlphaClientTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.mkdtemp()
        python_client_test.generate(cls.work)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.work)

    def setUp(self):
        self.daemon = Daemon(os.path.join(self.work, self.id().rsplit(".", 1)[1]))
        self.channel = grpc.insecure_channel(self.daemon.address)
        self.old = OldClient(self.channel)

    def tearDown(self):
        self.channel.close()
        self.daemon.stop()

    def request(self, seed, **fields):
        return self.old.message("CompileRequest", spirv=fake_module(seed), targets=["tgl"], **fields)

    def test_compile_shares_results_with_clients_of_today(self):
        from kiln.v1 import compile_pb2, compiler_pb2_grpc
        was = self.old.method("Compiler", "Compile")(
            self.request(1, outputs=self.old.message("OutputMask", binary=True)), timeout=60)
        self.assertEqual(was.DESCRIPTOR.full_name, "kiln.v1alpha.CompileResponse")
        today = compiler_pb2_grpc.CompilerStub(self.channel).Compile(compile_pb2.CompileRequest(
            spirv=fake_module(1), targets=["tgl"],
            outputs=compile_pb2.OutputMask(binary=True)), timeout=60)
        self.assertEqual(today.results[0].cache, compile_pb2.CACHE_MEMORY)
        self.assertGreater(len(today.results[0].variants[0].code), 0)
        for name in ("status", "target", "key"):
            self.assertEqual(getattr(was.results[0], name), getattr(today.results[0], name))
        self.assertEqual([v.SerializeToString() for v in was.results[0].variants],
                         [v.SerializeToString() for v in today.results[0].variants])

    def test_stream(self):
        items = [self.old.message("StreamRequest", item=n, request=self.request(n)) for n in (1, 2)]
        answers = {a.item: a for a in
                   self.old.method("Compiler", "CompileStream")(iter(items), timeout=60)}
        self.assertEqual(sorted(answers), [0, 1, 2])
        self.assertGreater(answers[0].credits, 0)
        for n in (1, 2):
            self.assertEqual(answers[n].response.results[0].target, "tgl")
            self.assertEqual(answers[n].response.results[0].status, 1)   # OK

    def test_capabilities_and_admin(self):
        capabilities = self.old.method("Compiler", "GetCapabilities")(
            self.old.message("GetCapabilitiesRequest"), timeout=60)
        self.assertEqual([t.name for t in capabilities.targets], ["tgl", "skl"])
        listed = self.old.method("Admin", "ListQuarantine")(
            self.old.message("ListQuarantineRequest"), timeout=60)
        self.assertEqual(len(listed.entries), 0)
        cleared = self.old.method("Admin", "ClearQuarantine")(
            self.old.message("ClearQuarantineRequest", all=True), timeout=60)
        self.assertEqual(cleared.cleared, 0)
        with self.assertRaises(grpc.RpcError) as caught:
            self.old.method("Admin", "ShowQuarantine")(
                self.old.message("ShowQuarantineRequest", key="0" * 64), timeout=60)
        self.assertEqual(caught.exception.code(), grpc.StatusCode.NOT_FOUND)

    def test_errors_of_calls(self):
        with self.assertRaises(grpc.RpcError) as caught:
            self.old.method("Compiler", "Compile")(
                self.old.message("CompileRequest", spirv=fake_module(1)), timeout=60)
        self.assertEqual(caught.exception.code(), grpc.StatusCode.INVALID_ARGUMENT)
        self.assertIn("targets", caught.exception.details())

    def test_health(self):
        import health_pb2 as h
        import health_pb2_grpc
        answer = health_pb2_grpc.HealthStub(self.channel).Check(
            h.HealthCheckRequest(service="kiln.v1alpha.Compiler"), timeout=60)
        self.assertEqual(answer.status, h.HealthCheckResponse.SERVING)

    def test_reflection_has_all_that_was(self):
        import reflection_pb2 as r
        import reflection_pb2_grpc
        names = ["kiln.v1alpha.Admin", "kiln.v1alpha.Compiler"]
        answers = reflection_pb2_grpc.ServerReflectionStub(self.channel).ServerReflectionInfo(
            iter([r.ServerReflectionRequest(file_containing_symbol=name) for name in names]),
            timeout=60)
        told = {}
        for answer in answers:
            for text in answer.file_descriptor_response.file_descriptor_proto:
                file = descriptor_pb2.FileDescriptorProto.FromString(text)
                told[file.name] = file
        broken, _ = freeze.compare(freeze.read_frozen(FROZEN),
                                   descriptor_pb2.FileDescriptorSet(file=told.values()))
        self.assertEqual(broken, [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
