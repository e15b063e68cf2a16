"""A worker that a shader has taken over: it deviates from kilnd's protocol.

    taken_over_worker.py DIRECTORY-OF-GENERATED-MODULES MODE

It does not run in our sandbox, but claims to have all of it. Descriptors: server/worker/process.cc.
"""

import socket
import struct
import sys
import time

sys.path.insert(0, sys.argv[1])
from kiln.v1 import compile_pb2  # noqa: E402
from proto import worker_pb2  # noqa: E402

MODE = sys.argv[2]
SOCKET = socket.socket(fileno=3)


def frame(message):
    data = message.SerializeToString()
    return struct.pack("<I", len(data)) + data


def read(count):
    data = b""
    while len(data) < count:
        part = SOCKET.recv(count - len(data))
        if not part:
            sys.exit(0)
        data += part
    return data


def job():
    message = worker_pb2.Job()
    message.ParseFromString(read(struct.unpack("<I", read(4))[0]))
    return message


def hello():
    message = worker_pb2.Hello(stages=["compute"], glslang_version="0", causes=["ok", "forged"])
    message.targets.add(name="tgl", code_generation_version=1, abi_version=1)
    for field in message.sandbox.DESCRIPTOR.fields:
        setattr(message.sandbox, field.name, 1)
    return message


def answer(number, code, target="tgl"):
    message = worker_pb2.JobResult(id=number, last=True)
    result = message.result
    result.target, result.status, result.cause = target, compile_pb2.TargetResult.OK, "ok"
    result.variants.add(name="SIMD16", width=16, code=code)
    return message


def translation(number):
    message = worker_pb2.JobResult(id=number, last=True)
    message.translation.status = compile_pb2.TargetResult.OK
    message.translation.cause = "ok"
    # Different for each job: the key of a result is computed from it.
    message.translation.spirv = struct.pack("<19I", 0x07230203, 0x10300, number & 0xffffffff, *range(16))
    return message


def answer_to(one):
    kind = one.WhichOneof("work")
    if kind == "ping":
        return frame(worker_pb2.JobResult(id=one.id, last=True))
    if kind == "translate":
        return frame(translation(one.id))
    if MODE == "other_target":
        return frame(answer(one.id, b"FORGED", "hsw"))
    if MODE == "nothing":
        return frame(worker_pb2.JobResult(id=one.id, last=True))
    if MODE == "giant":
        return struct.pack("<I", 0xffffffff) + bytes(64 << 20)
    out = frame(answer(one.id, b"right"))
    if MODE == "honest":
        return out
    # The next jobs are a translation and a compile.
    for ahead in range(1, 4):
        out += frame(translation(one.id + ahead) if ahead == 1 else answer(one.id + ahead, b"FORGED"))
    return out


SOCKET.sendall(frame(hello()))
while MODE == "slow":
    SOCKET.recv(4096)
    time.sleep(1)
while True:
    SOCKET.sendall(answer_to(job()))
