"""Writes captures of every form, right and wrong, into a folder: for the tests of the reader.

  capture_forms.py FOLDER
"""

import os
import struct
import sys
import zlib

import foz_writer as foz

CODE = struct.pack("<6I", 0x07230203, 0x00010000, 0x7F, 0x80, 0x3FFF, 0xFFFFFFFF)


def kinds():
    """A pipeline of each kind, and every way to store a module."""
    w = foz.Writer()
    w.add(foz.APPLICATION, 1, b'{"version":6}')
    w.module(CODE, 0x10)
    w.module(CODE, 0x11, as_base64=True)
    w.module(CODE, 0x12, deflate=False)
    w.module(CODE, 0x13, as_base64=True, deflate=False, checksum=False)
    w.compute(0x10, 0x20, spec=[(3, b"\x07\0\0\0"), (1, b"\x01"), (3, b"\x07\0\0\0")],
              subgroup_size=16, flags=0x10, name="entry")
    w.render_pass([37, 41, 98, 99], hash64=0x30, unused=[1], view_mask=5)
    w.render_pass([44], hash64=0x31, second=True, view_mask=3)
    stages = [foz.stage(foz.VERTEX, 0x10), foz.stage(foz.FRAGMENT, 0x11, flags=2)]
    w.graphics(stages, render_pass=0x30, hash64=0x40, samples=4, masks=[15, 15, 3, 15],
               multisample={"sampleShadingEnable": 1, "minSampleShading": 0.5,
                            "alphaToCoverageEnable": 1})
    w.graphics(stages, render_pass=0x31, hash64=0x41, dual_source=True)
    w.graphics(stages, formats=[37, 0, 42], hash64=0x42, locations=[1, 0xffffffff, 0],
               view_mask=1, dynamic=[0, 1000455012], masks=[1, 2, 4])
    w.graphics([foz.stage(foz.VERTEX, 0x10), foz.stage(foz.GEOMETRY, 0x11),
                foz.stage(foz.FRAGMENT, 0x12)], formats=[], hash64=0x43)
    w.ray_tracing([foz.stage(foz.RAY_GENERATION, 0x10)], 0x50)
    w.add(77, 0x60, b"of a later version")
    w.add(foz.COMPUTE, 0x20, b"a repeated entry, which does not count")
    return w.bytes()


def reasons():
    """A pipeline for each reason not to compile it."""
    w = foz.Writer(version=5, checksum=False)
    code = w.module(CODE, 0x10)
    fragment = foz.stage(foz.FRAGMENT, code)
    w.graphics([], hash64=0x1, chain=[{"sType": 1000290000, "libraries": ["%016x" % 2]}])
    w.graphics([fragment], hash64=0x2, chain=[{"sType": 1000320002, "flags": 4}])
    w.graphics([foz.stage(foz.FRAGMENT, 0, identifier=True)], hash64=0x3)
    w.graphics([foz.stage(foz.FRAGMENT, 0)], hash64=0x4)
    w.graphics([fragment], hash64=0x5, dynamic=[1000455005, 1000455007, 1000455008])
    w.graphics([fragment], hash64=0x6, formats=[37], dynamic=[1000455011])
    w.graphics([fragment], hash64=0x7, discard=True)
    w.graphics([fragment], hash64=0x8, render_pass=0x999)
    w.graphics([fragment], hash64=0x9, formats=[124])
    w.graphics([fragment, fragment], hash64=0xa)
    w.graphics([], hash64=0xb)
    w.graphics([foz.stage(3, code)], hash64=0xc)
    w.graphics([foz.stage(foz.FRAGMENT, code, next_structs=[{"sType": 1, "mappings": []}])],
               hash64=0xd)
    w.graphics([fragment], hash64=0xe, render_pass=w.render_pass([37], hash64=0x30), subpass=7)
    w.compute(code, 0x20, spec=[(1, b"\1\0\0\0"), (1, b"\2\0\0\0")])
    w.compute(code, 0x21, spec=[(1, b"\1\0\0")])
    w.add(foz.COMPUTE, 0x22, b'{"version":6,"computePipelines":{"22":{"stage":{"stage":"x"}}}}')
    w.add(foz.COMPUTE, 0x23, b"[" * 100000)
    w.add(foz.COMPUTE, 0x24, b'{"version":7,"computePipelines":{"24":{}}}')
    w.add(foz.COMPUTE, 0x25, b'{"version":6,"computePipelines":{"26":{}}}')
    w.compute(code, 0x27, flags=0x800)
    return w.bytes()


def loops():
    """Pipelines that derive from, and are linked from, each other and themselves."""
    w = foz.Writer()
    code = w.module(CODE, 0x10)
    w.compute(code, 0x20, base="%016x" % 0x21)
    w.compute(code, 0x21, base="%016x" % 0x20)
    for own, other in ((0x30, 0x31), (0x31, 0x30), (0x32, 0x32)):
        w.graphics([], hash64=own, flags=0x800,
                   chain=[{"sType": 1000290000, "libraries": ["%016x" % other]}])
    return w.bytes()


def payloads():
    """A module for each way in which a payload is wrong: the hash says which."""
    w = foz.Writer()
    good = foz.module_payload(0x1, CODE)
    w.add(foz.MODULE, 0x1, good, crc=0x12345678)
    w.add(foz.MODULE, 0x2, foz.module_payload(0x2, CODE), inflated=5)
    w.add(foz.MODULE, 0x3, foz.module_payload(0x3, CODE), inflated=0xffffffff)
    w.add(foz.MODULE, 0x4, foz.module_payload(0x4, CODE), compression=3)
    w.add(foz.MODULE, 0x5, foz.module_payload(0x5, CODE), compression=1)
    w.add(foz.MODULE, 0x6, b"\x78\x01garbage", deflate=False, compression=2)
    w.add(foz.MODULE, 0x7, b"")
    packed = foz.varints(CODE)
    def module(hash64, binary=packed, **fields):
        value = {"varintOffset": 0, "varintSize": len(binary), "codeSize": len(CODE), **fields}
        w.add(foz.MODULE, hash64, foz.document("shaderModules", hash64, value) + b"\0" + binary)
    module(0x8, varintOffset=1)
    module(0x9, varintSize=0xffffffffffffffff)
    module(0xa, codeSize=0xfffffffffffffffc)
    module(0xb, codeSize=23)
    module(0xc, codeSize=len(CODE) - 4)
    module(0xd, binary=b"\xff\xff\xff\xff\x1f", codeSize=4)
    module(0xe, binary=b"\xff\xff\xff\xff\xff\x01", codeSize=4)
    module(0xf, codeSize=-4)
    w.add(foz.MODULE, 0x10, foz.document("shaderModules", 0x10, {"codeSize": 4, "code": "AA*="}))
    w.add(foz.MODULE, 0x11, foz.document("shaderModules", 0x11, {"codeSize": 8, "code": "AAAA"}))
    w.add(foz.MODULE, 0x12, foz.document("shaderModules", 0x12, {"codeSize": 4}))
    # A few bytes that would be 60 MiB.
    w.add(foz.MODULE, 0x13, b"", deflate=False, compression=2, inflated=60 << 20)
    return w.bytes()


def split():
    """A capture in three files: pipelines, their modules, and both in part."""
    first, second, third = (foz.Writer() for _ in range(3))
    first.compute(0x10, 0x20)
    first.module(CODE, 0x12, crc=1)  # damaged here, whole in the third file
    second.module(CODE, 0x10)
    third.compute(0x12, 0x21)
    third.module(CODE, 0x12)
    return first.bytes(), second.bytes(), third.bytes()


def mesa():
    """A shader cache of Mesa in a single file: digests of 20 bytes instead of tags and hashes."""
    key = b"0b9a5c1d2e3f405162738495a6b7c8d9e0f1a2b3"
    body = zlib.compress(b"a binary")
    return foz.magic() + key + struct.pack("<IIII", len(body), 2, 0, 8) + body


def all_forms():
    whole = kinds()
    first, second, third = split()
    last = whole.rfind(b"%024x" % foz.COMPUTE)
    cut = whole[:last] + foz.entry(foz.COMPUTE, 0x99, b"x", deflate=False, stored=0xffffffff)
    return {
        "kinds.foz": whole,
        "reasons.foz": reasons(),
        "loops.foz": loops(),
        "payloads.foz": payloads(),
        "split.foz": first,
        "split.2.foz": second,
        "split.10.foz": third,
        "other.split.1.foz": b"belongs to another capture",
        "mesa.foz": mesa(),
        "empty.foz": b"",
        "start.foz": foz.magic(),
        "old.foz": foz.magic(4),
        "new.foz": foz.magic(7),
        "text.foz": b"#version 450\nvoid main() {}\n",
        "cut.foz": whole[:-7],
        "cut_header.foz": whole + b"0000",
        "long.foz": cut,
        "flipped.foz": whole[:last + 3] + b"\xff" + whole[last + 4:],
    }


def main():
    for name, contents in all_forms().items():
        with open(os.path.join(sys.argv[1], name), "wb") as file:
            file.write(contents)


if __name__ == "__main__":
    main()
