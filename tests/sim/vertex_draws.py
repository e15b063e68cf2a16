"""Makes a job (attributes, resources, a draw) for a vertex module, in the format of `run-peer exec`.

Resources come from tests/drive as for compute modules. Draws are of three kinds: plain, indexed with an
offset, instanced from a first vertex and instance on. Their numbers of vertices are not multiples of
eight, so that the last thread has lanes off.
"""

import random
import struct

import fragment_job
from fragment_job import drive
from spirv_module import Unsupported

VERTEX = 0
ORDER = fragment_job.ORDER
MIPMAPPED = fragment_job.MIPMAPPED
DRAWS = [
    {"count": 11},
    {"indices": [3, 0, 7, 7, 1, 12, 5, 9, 2, 4, 0, 8, 6], "vertex_offset": 2},
    {"count": 5, "first_vertex": 2, "instances": 4, "first_instance": 1},
]


class VertexModule(fragment_job.FragmentModule):
    """A module and its vertex entry point."""

    MODEL = VERTEX


def elements(draw):
    """Returns the numbers of vertices and instances that the attributes need."""
    offset = draw.get("vertex_offset", draw.get("first_vertex", 0))
    return (offset + (max(draw["indices"]) + 1 if "indices" in draw else draw["count"]),
            draw.get("first_instance", 0) + draw.get("instances", 1))


def attributes(module):
    """Returns location -> (kind, components): inputs that share a location are one list."""
    found = {}
    for location, component, kind, n in module.inputs():
        other, most = found.get(location, (kind, 0))
        if other != kind:
            raise Unsupported("inputs of different types at location %d" % location)
        found[location] = kind, max(most, component + n)
    return found


def make_job(module, path, number=0, seed=1, draws=DRAWS, instanced=0.2):
    """Returns a job by the number-th recipe, and the types of its buffers' contents. Raises Unsupported. `draws`: their
    kinds; `instanced`: the part of attributes that advance by instance."""
    recipe = ORDER[number]
    maker = drive.Maker(module, recipe, seed)
    job = maker.job(path, [1, 1, 1])
    del job["dispatch"]
    if number < MIPMAPPED:
        for r in job["resources"]:
            fragment_job.one_level(r)
    rng = random.Random(seed * 1000 + recipe)
    draw = dict(draws[(number + rng.randrange(len(draws))) % len(draws)])
    vertices, instances = elements(draw)
    numbers = drive.recipe_of(recipe)
    draw["inputs"] = []
    for location, (kind, n) in sorted(attributes(module).items()):
        entry = {"location": location}
        per_instance = rng.random() < instanced
        if per_instance:
            entry["rate"] = "instance"
        count = n * (instances if per_instance else vertices)
        entry[kind] = [fragment_job.value(rng, kind, numbers) for _ in range(count)]
        draw["inputs"].append(entry)
    job["vertices"] = draw
    return job, maker.leaf_types()


def nudged(job, types, seed, size):
    """Returns the job with every float of attributes and buffers changed by up to `size` of itself: outputs that
    react to that more than slightly are not exact on any implementation, since Vulkan lets products and sums be
    rounded. `types`: as of make_job."""
    rng = random.Random(seed)
    inputs = []
    for i in job["vertices"]["inputs"]:
        if "f32" in i:
            i = dict(i, f32=[v * (1 + rng.uniform(-1, 1) * size) for v in i["f32"]])
        inputs.append(i)
    resources = [_nudged_buffer(r, types, rng, size) for r in job["resources"]]
    return dict(job, resources=resources, vertices=dict(job["vertices"], inputs=inputs))


def _nudged_buffer(resource, types, rng, size):
    data = resource.get("data")
    floats = [o for o, kind, bits in types.get((resource.get("set", 0), resource.get("binding")), [])
              if kind == "f" and bits == 32]
    if "format" in resource or not floats or not isinstance(data, dict) or "hex" not in data:
        return resource
    changed = bytearray(bytes.fromhex(data["hex"]))
    for o in floats:
        if o + 4 <= len(changed):
            v, = struct.unpack_from("<f", changed, o)
            struct.pack_into("<f", changed, o, v * (1 + rng.uniform(-1, 1) * size))
    return dict(resource, data={"hex": changed.hex()})
