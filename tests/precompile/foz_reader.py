"""Lists the pipeline stages of whole captures: a judge of what the command should have rows for."""

import json
import struct
import sys
import zlib

PIPELINES = {6: ("graphics", "graphicsPipelines"), 7: ("compute", "computePipelines"),
             9: ("ray_tracing", "raytracingPipelines")}
STAGES = {1: "vertex", 2: "tessellation_control", 4: "tessellation_evaluation", 8: "geometry",
          16: "fragment", 32: "compute", 64: "task", 128: "mesh"}


def stages(path):
    """Yields (pipeline, number, stage, module) of every pipeline."""
    with open(path, "rb") as file:
        data = file.read()
    at, seen = 16, set()
    while at < len(data):
        tag, hash64 = int(data[at:at + 24], 16), data[at + 24:at + 40].decode()
        stored, form, _, _ = struct.unpack_from("<IIII", data, at + 40)
        body = data[at + 56:at + 56 + stored]
        at += 56 + stored
        if tag not in PIPELINES or (tag, hash64) in seen:
            continue
        seen.add((tag, hash64))
        kind, section = PIPELINES[tag]
        value = json.loads(zlib.decompress(body) if form == 2 else body)[section][hash64]
        for number, stage in enumerate(value.get("stages") or [value["stage"]]):
            yield "%s/%s" % (kind, hash64), number, STAGES[stage["stage"]], stage["module"]


if __name__ == "__main__":
    for row in stages(sys.argv[1]):
        print(*row)
