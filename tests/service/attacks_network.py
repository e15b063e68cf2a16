"""Attacks of clients."""

import hashlib
import json
import re
import socket
import subprocess
import sys
import threading
import time

import grpc
import http2_attacker
from attacks_target import MIB, attack, call, compile_on

COMPILE = "/kiln.v1.Compiler/Compile"
REFLECTION = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"


def varint(n):
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def delimited(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data


def counted(answers):
    return ", ".join("%d x %s" % (answers.count(a), a) for a in sorted(set(answers)))


def in_parallel(daemon, messages, method=COMPILE, **how):
    """Returns the statuses of calls on one connection each, all at once."""
    answers = []

    def one(message):
        with daemon.channel() as channel:
            answers.append(call(channel, method, message, 60, **how)[0])
    threads = [threading.Thread(target=one, args=(m,)) for m in messages]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return counted(answers)


@attack("gzip", "1")
def gzip(case):
    """Sends zeros of the largest permitted message, compressed a thousand times smaller."""
    message = delimited(1, bytes(60 * MIB))
    case.sent = "4 calls of 60 KiB, 60 MiB each once inflated"
    return in_parallel(case.start(), [message] * 4, compression=grpc.Compression.Gzip)


@attack("gzip_beyond", "1")
def gzip_beyond(case):
    case.sent = "1 call of 1 MiB, 1 GiB once inflated"
    return in_parallel(case.start(), [delimited(1, bytes(1024 * MIB))],
                       compression=grpc.Compression.Gzip)


@attack("empty_targets", "2")
def empty_targets(case):
    case.sent = "4 calls of 8 MiB: empty `targets`"
    return in_parallel(case.start(), [b"\x42\x00" * (4 * MIB)] * 4)


@attack("empty_includes", "2")
def empty_includes(case):
    case.sent = "4 calls of 8 MiB: empty `includes`"
    return in_parallel(case.start(), [delimited(2, b"\x2a\x00" * (4 * MIB))] * 4)


@attack("gzip_of_fields", "2")
def gzip_of_fields(case):
    case.sent = "1 call of 32 KiB, 16 Mi empty `targets` once inflated"
    return in_parallel(case.start(), [b"\x42\x00" * (16 * MIB)],
                       compression=grpc.Compression.Gzip)


@attack("unknown_fields", "2")
def unknown_fields(case):
    case.sent = "4 calls of 8 MiB: fields that no message has"
    return in_parallel(case.start(), [b"\xf8\x07\x00" * (8 * MIB // 3)] * 4)


@attack("unknown_fields_reflection", "2")
def unknown_fields_reflection(case):
    case.sent = "4 calls of 8 MiB: fields that no message has, to gRPC's reflection"
    return in_parallel(case.start(), [b"\xf8\x07\x00" * (8 * MIB // 3)] * 4, REFLECTION)


def http2(case, kind, settings=None, **numbers):
    """Returns the output of http2_attacker.py for one of its attacks."""
    daemon = case.start(settings or {})
    done = subprocess.run(
        [sys.executable, http2_attacker.__file__, kind, "--server=" + daemon.address,
         "--pid=%d" % daemon.pid] + ["--%s=%s" % n for n in numbers.items()],
        capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        raise RuntimeError(done.stderr[-300:])
    found = json.loads(done.stdout)
    return "%d connections ended by the daemon; %.1f s of CPU; +%d MiB left" % (
        found["ended"], found["cpu"], max(0, found["resident_after"] - found["resident_before"]))


@attack("header_without_end", "3")
def header_without_end(case):
    case.sent = "8 connections, 4 MiB of CONTINUATION each"
    return http2(case, "one_header", {"idle-time": "5s"})


@attack("small_headers", "3")
def small_headers(case):
    case.sent = "8 connections, 4 MiB of small fields each"
    return http2(case, "many_headers", {"idle-time": "5s"})


@attack("rapid_reset", "3")
def rapid_reset(case):
    case.sent = "8 connections, 2,500 calls each, reset at once"
    return http2(case, "reset")


@attack("unread", "3")
def unread(case):
    case.sent = "8 connections, 2,500 calls each, answers never read"
    return http2(case, "unread", seconds=10)


@attack("metrics_port", "5")
def metrics_port(case):
    """Sends half a request on each of 20 connections, and checks that a scraper still gets its page."""
    case.sent = "20 connections, a byte a second"
    daemon = case.start()
    stop = threading.Event()

    def drip():
        try:
            with socket.create_connection(daemon.pages, 5) as s:
                for byte in b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n":
                    s.sendall(bytes([byte]))
                    if stop.wait(1):
                        return
        except OSError:
            return
    threads = [threading.Thread(target=drip, daemon=True) for _ in range(20)]
    for t in threads:
        t.start()
    time.sleep(0.5)
    got, slowest = 0, 0.0
    for _ in range(10):
        start = time.monotonic()
        try:
            with socket.create_connection(daemon.pages, 5) as s:
                s.settimeout(2)
                s.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                got += s.recv(12).startswith(b"HTTP/1.1 200")
        except OSError:
            pass
        slowest = max(slowest, time.monotonic() - start)
    stop.set()
    return "%d of 10 scrapes answered in 2 s, slowest %.2f s" % (got, slowest)


@attack("log_forging", "6")
def log_forging(case):
    case.sent = "2,000 calls whose headers have newlines and escapes"
    daemon = case.start()
    forged = b"x\nkilnd: stopped\r\x1b[31m"
    before = len(daemon.log())
    h = http2_attacker
    for first in range(0, 2000, 100):
        s = h.connect(daemon.address)
        s.settimeout(1)
        for i in range(100):
            name = (b"grpc-timeout", b"te", b"content-type", b"user-agent")[i % 4]
            s.sendall(h.frame(h.HEADERS, h.END_HEADERS | h.END_STREAM, 2 * i + 1,
                              h.HEALTH + h.field(name, forged)))
        try:
            while s.recv(65536):
                pass
        except OSError:
            pass
        s.close()
    time.sleep(0.5)
    added = daemon.log()[before:]
    return "%d KiB of log, %d lines forged, %d escapes" % (
        len(added) // 1024, len(re.findall(rb"(?m)^kilnd: stopped", added)), added.count(b"\x1b"))


def ask_by_digest(case, settings):
    daemon = case.start(settings)
    pb = case.pb
    module = case.path("m.comp", "#version 450\nlayout(local_size_x=8) in; void main() {}\n")
    subprocess.run(["glslangValidator", "-V", "--quiet", "-o", module + ".spv", module], check=True,
                   stdout=subprocess.DEVNULL)
    with open(module + ".spv", "rb") as f:
        spirv = f.read()
    how = {"targets": ["tgl"], "outputs": pb.OutputMask(binary=True)}
    with daemon.channel() as owner:
        compile_on(owner, pb, pb.CompileRequest(spirv=spirv, **how), 20)
    digest = pb.SourceDigest(kind=pb.SourceDigest.SPIRV, sha256=hashlib.sha256(spirv).digest())
    with daemon.channel() as other:
        status, answer = compile_on(other, pb, pb.CompileRequest(digest=digest, **how), 20)
    if status != "OK":
        return status
    result = answer.results[0]
    return "%s, %d bytes of code" % (pb.TargetResult.Status.Name(result.status),
                                     sum(len(v.code) for v in result.variants))


@attack("digest", "7")
def digest(case):
    case.sent = "1 call with a digest of another's source"
    return ask_by_digest(case, {}) + " (as documented: a digest is a capability)"


@attack("digest_source_once", "7")
def digest_source_once(case):
    case.sent = "the same, --require-source-once"
    if "require-source-once" not in case.programs.settings:
        return "there is no such setting"
    return ask_by_digest(case, {"require-source-once": "true"})


@attack("doubling_includes", "8")
def doubling_includes(case):
    """Each file includes the next one twice, and the last one has a line."""
    pb, depth = case.pb, 25
    source = pb.GlslSource(
        text="#version 450\n#extension GL_GOOGLE_include_directive : enable\n"
             "#include \"0\"\nvoid main() {}\n", name="d.comp", stage="compute")
    for i in range(depth):
        text = '#include "%d"\n' % (i + 1) * 2 if i < depth - 1 else "\n"
        source.includes.add(spelled=str(i), text=text)
    request = pb.CompileRequest(glsl=source, targets=["tgl"])
    case.sent = "1 call of %.1f KiB, 2^%d inclusions" % (request.ByteSize() / 1024, depth)
    daemon = case.start()
    with daemon.channel() as channel:
        start = time.monotonic()
        status, answer = compile_on(channel, pb, request, 70)
        seconds = time.monotonic() - start
    if status != "OK":
        return "%s after %.1f s" % (status, seconds)
    result = answer.results[0]
    return "%s (%s) after %.1f s" % (pb.TargetResult.Status.Name(result.status), result.cause, seconds)
