"""deploy/proxy/kilnd.conf: a real nginx in front of kilnd, used and attacked.

Clients speak gRPC over TLS with it as they would with kilnd; kilnd listens on a Unix socket.
Attacks that gRPC's own server cannot bound (headers without end, calls begun and reset) are sent to
nginx, and the daemon behind it must neither notice nor grow. All on loopback, some megabytes.
Arguments: kilnd, worker, kiln. Run by proxy_test.sh.
"""

import os
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import grpc

KILND, WORKER, KILN = sys.argv[1:4]
CONF = "deploy/proxy/kilnd.conf"
MAIN = """
daemon off;
pid {dir}/nginx.pid;
error_log {dir}/error.log;
worker_processes 1;
events {{ worker_connections 512; }}
http {{
    client_body_temp_path {dir}/body; proxy_temp_path {dir}/proxy; fastcgi_temp_path {dir}/fcgi;
    uwsgi_temp_path {dir}/uwsgi; scgi_temp_path {dir}/scgi;
    include {dir}/kilnd.conf;
}}
"""
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, CONTINUATION = 0, 1, 3, 4, 6, 7, 9
END_STREAM, END_HEADERS = 1, 4


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def literal(name, value):
    """Returns a header field that is not put into HPACK's table."""
    return b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value


def call_headers(path=b"/kiln.v1.Compiler/GetCapabilities"):
    return b"".join(literal(*field) for field in (
        (b":method", b"POST"), (b":scheme", b"https"), (b":path", path),
        (b":authority", b"localhost"), (b"content-type", b"application/grpc"),
        (b"te", b"trailers")))


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def generate(out):
    subprocess.run(
        ["protoc", "-Iproto", "--python_out=" + out, "--grpc_python_out=" + out,
         "--plugin=protoc-gen-grpc_python=/usr/bin/grpc_python_plugin", "kiln/v1/compiler.proto",
         "kiln/v1/compile.proto", "kiln/v1/launch_record.proto", "kiln/v1/admin.proto"], check=True)
    sys.path.insert(0, out)


def fake_module(seed):
    return struct.pack("<19I", 0x07230203, 0x00010300, seed, *range(16))


def drain(stream):
    with stream:
        for _ in stream:
            pass


def memory(pid):
    """Returns the resident bytes of a process and of its children."""
    total = 0
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open("/proc/%s/stat" % name) as f:
                parent = int(f.read().rsplit(")", 1)[1].split()[1])
            if int(name) != pid and parent != pid:
                continue
            with open("/proc/%s/statm" % name) as f:
                total += int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, ValueError):
            continue
    return total


class ProxyTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dir = tempfile.mkdtemp(prefix="kiln_proxy_", dir="/tmp")  # a socket's path is short
        generate(cls.dir)
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj",
             "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout",
             cls.dir + "/tls.key", "-out", cls.dir + "/tls.crt"], check=True, capture_output=True)
        cls.socket = cls.dir + "/run/kilnd.sock"
        os.mkdir(cls.dir + "/run", 0o700)
        cls.start_kilnd()
        cls.port = free_port()
        with open(CONF) as f:
            conf = f.read()
        for old, new in (("server 127.0.0.1:7411", "server unix:" + cls.socket),
                         ("/etc/kiln/tls", cls.dir + "/tls"),
                         ("listen 7443", "listen 127.0.0.1:%d" % cls.port),
                         ("/var/log/nginx/kilnd.log", cls.dir + "/access.log"),
                         ("client_header_timeout 10s", "client_header_timeout 2s")):
            assert conf.count(old) >= 1, old
            conf = conf.replace(old, new)
        with open(cls.dir + "/kilnd.conf", "w") as f:
            f.write(conf)
        with open(cls.dir + "/nginx.conf", "w") as f:
            f.write(("user root;\n" if os.geteuid() == 0 else "") + MAIN.format(dir=cls.dir))
        cls.nginx = subprocess.Popen(["/usr/sbin/nginx", "-p", cls.dir, "-c", cls.dir + "/nginx.conf",
                                      "-e", cls.dir + "/error.log"])
        with open(cls.dir + "/tls.crt", "rb") as f:
            cls.credentials = grpc.ssl_channel_credentials(f.read())
        for _ in range(200):
            try:
                cls.connect().close()
                break
            except OSError:
                time.sleep(0.05)

    @classmethod
    def start_kilnd(cls, *flags):
        cls.kilnd = subprocess.Popen(
            [KILND, "--listen=unix:" + cls.socket, "--metrics=none", "--worker-binary=" + WORKER,
             "--trusted-proxies=unix", *flags],
            stderr=subprocess.PIPE, text=True)
        for line in cls.kilnd.stderr:
            if "event=started" in line:
                break
        threading.Thread(target=drain, args=(cls.kilnd.stderr,), daemon=True).start()

    @classmethod
    def tearDownClass(cls):
        for process in (cls.nginx, cls.kilnd):
            process.send_signal(signal.SIGTERM)
            process.wait(30)
        shutil.rmtree(cls.dir)

    def stub(self):
        import kiln.v1.compiler_pb2_grpc as services
        # Each stub has its own connection.
        channel = grpc.secure_channel("localhost:%d" % self.port, self.credentials,
                                      options=[("grpc.use_local_subchannel_pool", 1)])
        self.addCleanup(channel.close)
        return services.CompilerStub(channel), channel

    def request(self, seed):
        import kiln.v1.compile_pb2 as messages
        request = messages.CompileRequest(spirv=fake_module(seed), targets=["tgl"])
        request.outputs.binary = True
        return request

    def check_served(self):
        import kiln.v1.compile_pb2 as messages
        stub, _ = self.stub()
        answer = stub.GetCapabilities(messages.GetCapabilitiesRequest(), timeout=20)
        self.assertNotEqual(answer.version, "")

    @classmethod
    def connect(cls):
        context = ssl.create_default_context(cafile=cls.dir + "/tls.crt")
        context.set_alpn_protocols(["h2"])
        s = socket.create_connection(("127.0.0.1", cls.port), 10)
        return context.wrap_socket(s, server_hostname="localhost")

    def attacker(self):
        s = self.connect()
        self.addCleanup(s.close)
        s.sendall(PREFACE + frame(SETTINGS, 0, 0))
        return s

    def test_calls_and_streams(self):
        import kiln.v1.compile_pb2 as messages
        stub, _ = self.stub()
        first = stub.Compile(self.request(1), timeout=20)
        again = stub.Compile(self.request(1), timeout=20)
        code = [[v.code for v in answer.results[0].variants] for answer in (first, again)]
        self.assertTrue(code[0][0])
        self.assertEqual(code[0], code[1])
        self.assertEqual(again.results[0].cache, messages.CACHE_MEMORY)
        import kiln.v1.compiler_pb2 as streams
        items = (streams.StreamRequest(item=i, request=self.request(100 + i)) for i in range(1, 101))
        answers = [a for a in stub.CompileStream(items, timeout=60) if a.item]
        self.assertEqual(sorted(a.item for a in answers), list(range(1, 101)))
        self.assertTrue(all(a.response.results[0].variants[0].code for a in answers))

    def kiln(self, *flags):
        return subprocess.run([KILN, *flags], capture_output=True, text=True, timeout=60)

    def test_kiln_speaks_tls(self):
        server = "--server=tls:localhost:%d" % self.port
        shader = os.path.join(self.dir, "module.spv")
        with open(shader, "wb") as f:
            f.write(fake_module(77))
        believed = self.kiln("compile", server, "--tls-ca=" + self.dir + "/tls.crt",
                             "--target=tgl", "-o", self.dir + "/out", shader)
        self.assertEqual(believed.returncode, 0, believed.stderr)
        stranger = self.kiln("compile", server, "--target=tgl", shader)
        self.assertEqual(stranger.returncode, 3, stranger.stderr)
        plain = self.kiln("compile", "--server=localhost:%d" % self.port, "--target=tgl", shader)
        self.assertEqual(plain.returncode, 3, plain.stderr)
        for flags in (["--server=localhost:1", "--tls-ca=" + self.dir + "/tls.crt"],
                      [server, "--tls-ca=/nonesuch"], [server, "--tls-key=" + self.dir + "/tls.key"]):
            wrong = self.kiln("compile", "--target=tgl", *flags, shader)
            self.assertEqual(wrong.returncode, 2, wrong.stderr)

    def test_errors_of_calls_keep_their_code(self):
        stub, _ = self.stub()
        request = self.request(1)
        request.targets[0] = "nonesuch"
        with self.assertRaises(grpc.RpcError) as raised:
            stub.Compile(request, timeout=20)
        self.assertEqual(raised.exception.code(), grpc.StatusCode.INVALID_ARGUMENT)

    def test_what_is_for_the_machine_only_stays_there(self):
        import kiln.v1.admin_pb2 as messages
        import kiln.v1.admin_pb2_grpc as services
        _, channel = self.stub()
        with self.assertRaises(grpc.RpcError) as raised:
            services.AdminStub(channel).ListQuarantine(messages.ListQuarantineRequest(), timeout=20)
        self.assertEqual(raised.exception.code(), grpc.StatusCode.UNIMPLEMENTED)
        self.assertEqual(raised.exception.details(), "not through this proxy")
        for path in ("/kiln.v1alpha.Admin/ListQuarantine", "/kiln.v1beta.Compiler/Compile",
                     "/kiln.v1alpha.Compiler/Compile2", "/x/kiln.v1.Compiler/Compile"):
            with self.assertRaises(grpc.RpcError) as raised:
                channel.unary_unary(path)(b"", timeout=20)
            self.assertEqual(raised.exception.details(), "not through this proxy", path)

    def test_the_old_name_of_the_api_passes(self):
        import kiln.v1.compile_pb2 as messages
        _, channel = self.stub()
        answer = channel.unary_unary("/kiln.v1alpha.Compiler/Compile")(
            self.request(7).SerializeToString(), timeout=20)
        self.assertTrue(messages.CompileResponse.FromString(answer).results[0].variants[0].code)
        import kiln.v1.compiler_pb2 as streams
        item = streams.StreamRequest(item=1, request=self.request(7)).SerializeToString()
        answers = list(channel.stream_stream("/kiln.v1alpha.Compiler/CompileStream")(
            iter([item]), timeout=20))
        self.assertEqual(len(answers), 2)    # credits, and the item

    def test_a_request_too_large_is_refused_by_name(self):
        request = self.request(1)
        request.spirv = bytes(70 << 20)
        stub, _ = self.stub()
        before = memory(self.kilnd.pid)
        with self.assertRaises(grpc.RpcError) as raised:
            stub.Compile(request, timeout=60)
        self.assertEqual(raised.exception.code(), grpc.StatusCode.RESOURCE_EXHAUSTED)
        self.assertLess(memory(self.kilnd.pid), before + (256 << 20))

    def ended(self, s):
        """Returns True if the other side has closed the connection, or does within ten seconds."""
        s.settimeout(10)
        try:
            while s.recv(65536):
                pass
        except socket.timeout:
            return False
        except OSError:
            pass
        return True

    def log_lines(self, text):
        with open(self.dir + "/access.log") as f:
            return sum(text in line for line in f)

    def test_headers_without_end(self):
        before = memory(self.kilnd.pid), memory(self.nginx.pid)
        s = self.attacker()
        try:
            s.sendall(frame(HEADERS, 0, 1, call_headers()))
            for _ in range(2000):  # 16 MB
                s.sendall(frame(CONTINUATION, 0, 1, literal(b"x-a", b"a" * 120) * 64))
        except OSError:
            pass
        self.assertTrue(self.ended(s))
        self.assertLess(memory(self.kilnd.pid), before[0] + (16 << 20))
        self.assertLess(memory(self.nginx.pid), before[1] + (64 << 20))
        self.check_served()

    def test_calls_begun_and_reset(self):
        before = memory(self.kilnd.pid), memory(self.nginx.pid)
        path = b"/kiln.v1.Compiler/Reset"
        s = self.attacker()
        try:
            for stream in range(1, 40000, 2):
                s.sendall(frame(HEADERS, END_HEADERS, stream, call_headers(path)) +
                          frame(RST_STREAM, 0, stream, struct.pack(">I", 8)))
        except OSError:
            pass
        self.assertTrue(self.ended(s))
        self.assertLess(self.log_lines("Compiler/Reset"), 1100)
        self.assertLess(memory(self.kilnd.pid), before[0] + (64 << 20))
        self.assertLess(memory(self.nginx.pid), before[1] + (64 << 20))
        self.check_served()

    def test_a_header_that_drips_is_ended(self):
        s = self.attacker()
        s.sendall(frame(HEADERS, 0, 1, call_headers(b"/kiln.v1.Compiler/Drip")))
        for _ in range(100):
            if self.log_lines("Compiler/Drip"):
                break
            s.sendall(frame(CONTINUATION, 0, 1, literal(b"x", b"y")))
            time.sleep(0.1)
        self.assertEqual(self.log_lines('Compiler/Drip" 408'), 1, "a header could take ten seconds")
        self.check_served()

    def test_more_connections_than_there_are(self):
        held = [self.connect() for _ in range(600)]
        try:
            self.check_served()
        finally:
            for s in held:
                s.close()

    def restart_kilnd(self, *flags):
        self.kilnd.send_signal(signal.SIGTERM)
        self.kilnd.wait(30)
        type(self).start_kilnd(*flags)

    def test_clients_are_told_apart_and_not_by_their_own_headers(self):
        self.restart_kilnd("--workers=1", "--queue=4", "--spare-workers=0",
                           "--enable-fault-injection")
        self.addCleanup(self.restart_kilnd)
        bulk, _ = self.stub()
        other, _ = self.stub()
        crowd = [bulk.Compile.future(self.request(500), timeout=60,
                                     metadata=(("kiln-fault", "slow::6000"),))]
        time.sleep(1)
        crowd += [bulk.Compile.future(self.request(501 + i), timeout=60) for i in range(4)]
        time.sleep(1)
        # One more call on the same connection is one too many, whichever client it claims to be.
        with self.assertRaises(grpc.RpcError) as raised:
            bulk.Compile(self.request(600), timeout=20, metadata=(
                ("x-forwarded-for", "198.51.100.9"), ("kiln-client-connection", "another")))
        self.assertEqual(raised.exception.code(), grpc.StatusCode.UNAVAILABLE)
        self.assertIn("queue is full", raised.exception.details())
        # Another connection of the same address has its share.
        self.assertEqual(len(other.Compile(self.request(601), timeout=60).results), 1)
        codes = [call.code() for call in crowd]
        self.assertEqual(codes.count(grpc.StatusCode.UNAVAILABLE), 1, codes)

    def test_a_daemon_that_is_away_is_unavailable(self):
        import kiln.v1.compile_pb2 as messages
        stub, _ = self.stub()
        self.kilnd.send_signal(signal.SIGTERM)
        self.kilnd.wait(30)
        with self.assertRaises(grpc.RpcError) as raised:
            stub.GetCapabilities(messages.GetCapabilitiesRequest(), timeout=20)
        self.assertEqual(raised.exception.code(), grpc.StatusCode.UNAVAILABLE)
        type(self).start_kilnd()
        self.check_served()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
