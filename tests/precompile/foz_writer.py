"""Writes Fossilize captures, right ones and wrong ones.

Written from the format's description, apart from the reader in client/capture and sharing nothing
with it, so that a mistake in one is not made in the other as well.

  writer = Writer()
  module = writer.module(code)                  # returns the hash
  writer.compute(module, entry="main")
  open("a.foz", "wb").write(writer.bytes())
"""

import base64
import json
import struct
import zlib

APPLICATION, SAMPLER, SET_LAYOUT, LAYOUT, MODULE, RENDER_PASS, GRAPHICS, COMPUTE, LINK, RAY = range(10)

VERTEX, CONTROL, EVALUATION, GEOMETRY, FRAGMENT, COMPUTE_STAGE = 1, 2, 4, 8, 16, 32
TASK, MESH, RAY_GENERATION = 64, 128, 256


def magic(version=6):
    return b"\x81FOSSILIZEDB" + bytes([0, 0, 0, version])


def entry(tag, hash64, payload, deflate=False, checksum=True, stored=None, inflated=None, crc=None,
          compression=None):
    """Returns the bytes of an entry; the last four arguments make wrong ones."""
    body = zlib.compress(payload) if deflate else payload
    if crc is None:
        crc = zlib.crc32(body) if checksum else 0
    numbers = struct.pack(
        "<IIII",
        len(body) if stored is None else stored,
        (2 if deflate else 1) if compression is None else compression,
        crc,
        len(payload) if inflated is None else inflated)
    return b"%024x%016x" % (tag, hash64) + numbers + body


def varints(code):
    out = bytearray()
    for (word,) in struct.iter_unpack("<I", code):
        while word >= 128:
            out.append(word & 127 | 128)
            word >>= 7
        out.append(word)
    return bytes(out)


def document(section, hash64, value):
    return json.dumps({"version": 6, section: {"%016x" % hash64: value}},
                      separators=(",", ":")).encode()


def module_payload(hash64, code, as_base64=False):
    if as_base64:
        text = base64.b64encode(code).decode()
        return document("shaderModules", hash64, {"flags": 0, "codeSize": len(code), "code": text})
    packed = varints(code)
    value = {"varintOffset": 0, "varintSize": len(packed), "codeSize": len(code), "flags": 0}
    return document("shaderModules", hash64, value) + b"\0" + packed


def stage(bit, module, name="main", spec=None, subgroup_size=None, flags=0, identifier=False,
          next_structs=()):
    """`spec`: (id, bytes) pairs."""
    value = {"flags": flags, "stage": bit, "module": "%016x" % module, "name": name}
    if spec is not None:
        data, entries = b"", []
        for constant, bits in spec:
            entries.append({"offset": len(data), "size": len(bits), "constantID": constant})
            data += bits
        value["specializationInfo"] = {
            "dataSize": len(data),
            "data": base64.b64encode(data).decode(),
            "mapEntries": entries}
    chain = list(next_structs)
    if subgroup_size is not None:
        chain.append({"sType": 1000225001, "requiredSubgroupSize": subgroup_size})
    if identifier:
        chain.append({"sType": 1000462002, "identifierSize": 4, "identifier": [1, 2, 3, 4]})
    if chain:
        value["pNext"] = chain
    return value


class Writer:
    """Collects entries; each kind of resource has its own method, which returns the hash."""

    def __init__(self, version=6, deflate=True, checksum=True):
        self.start = magic(version)
        self.deflate = deflate
        self.checksum = checksum
        self.entries = []
        self.next_hash = 0x1000

    def bytes(self):
        return self.start + b"".join(self.entries)

    def new_hash(self):
        self.next_hash += 1
        return self.next_hash

    def add(self, tag, hash64, payload, **wrong):
        wrong.setdefault("deflate", self.deflate)
        wrong.setdefault("checksum", self.checksum)
        self.entries.append(entry(tag, hash64, payload, **wrong))
        return hash64

    def module(self, code, hash64=None, as_base64=False, **wrong):
        hash64 = hash64 or self.new_hash()
        return self.add(MODULE, hash64, module_payload(hash64, code, as_base64), **wrong)

    def compute(self, module, hash64=None, flags=0, chain=(), base="0" * 16, **of_stage):
        hash64 = hash64 or self.new_hash()
        value = {"flags": flags, "layout": "0" * 16, "basePipelineHandle": base,
                 "basePipelineIndex": -1, "stage": stage(COMPUTE_STAGE, module, **of_stage)}
        if chain:
            value["pNext"] = list(chain)
        return self.add(COMPUTE, hash64, document("computePipelines", hash64, value))

    def render_pass(self, formats, samples=1, view_mask=0, second=False, unused=(), hash64=None):
        """One subpass with a colour attachment for each format; `unused`: indices left unused."""
        hash64 = hash64 or self.new_hash()
        attachments = [{"flags": 0, "format": f, "samples": samples} for f in formats]
        colors = [{"attachment": 0xffffffff if i in unused else i, "layout": 2}
                  for i in range(len(formats))]
        subpass = {"flags": 0, "pipelineBindPoint": 0, "colorAttachments": colors}
        value = {"flags": 0, "attachments": attachments, "subpasses": [subpass]}
        if second:
            subpass["viewMask"] = view_mask
        elif view_mask:
            value["pNext"] = [{"sType": 1000053000, "viewMasks": [view_mask]}]
        section = "renderPasses2" if second else "renderPasses"
        return self.add(RENDER_PASS, hash64, document(section, hash64, value))

    def graphics(self, stages, render_pass=0, formats=None, hash64=None, samples=1, masks=(),
                 dynamic=(), dual_source=False, discard=False, flags=0, chain=(), view_mask=0,
                 multisample=None, subpass=0, locations=None):
        """`formats`: of dynamic rendering, with render_pass 0."""
        hash64 = hash64 or self.new_hash()
        value = {
            "flags": flags, "basePipelineHandle": "0" * 16, "basePipelineIndex": -1,
            "layout": "0" * 16, "renderPass": "%016x" % render_pass, "subpass": subpass,
            "rasterizationState": {"flags": 0, "rasterizerDiscardEnable": int(discard)},
            "multisampleState": {"flags": 0, "rasterizationSamples": samples,
                                 "sampleShadingEnable": 0, "minSampleShading": 0.0,
                                 "alphaToOneEnable": 0, "alphaToCoverageEnable": 0,
                                 **(multisample or {})},
            "stages": list(stages)}
        if dynamic:
            value["dynamicState"] = {"flags": 0, "dynamicState": list(dynamic)}
        if masks or dual_source:
            factor = 15 if dual_source else 1
            value["colorBlendState"] = {"flags": 0, "attachments": [
                {"srcColorBlendFactor": 1, "dstColorBlendFactor": factor, "srcAlphaBlendFactor": 1,
                 "dstAlphaBlendFactor": 0, "colorWriteMask": mask, "blendEnable": int(dual_source)}
                for mask in (masks or [15])]}
        structs = list(chain)
        if formats is not None:
            structs.append({"sType": 1000044002, "viewMask": view_mask,
                            "depthAttachmentFormat": 0, "stencilAttachmentFormat": 0,
                            "colorAttachmentFormats": list(formats)})
        if locations is not None:
            structs.append({"sType": 1000232001, "colorAttachmentCount": len(locations),
                            "colorAttachmentLocations": list(locations)})
        if structs:
            value["pNext"] = structs
        return self.add(GRAPHICS, hash64, document("graphicsPipelines", hash64, value))

    def ray_tracing(self, stages, hash64=None):
        hash64 = hash64 or self.new_hash()
        value = {"flags": 0, "layout": "0" * 16, "basePipelineHandle": "0" * 16,
                 "basePipelineIndex": -1, "maxPipelineRayRecursionDepth": 1,
                 "stages": list(stages), "groups": []}
        return self.add(RAY, hash64, document("raytracingPipelines", hash64, value))
