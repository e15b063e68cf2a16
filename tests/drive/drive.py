#!/usr/bin/env python3
"""Makes a job (inputs and dispatch) for a compute module, for lavapipe and for simulators.

    drive.py [--recipe N] [--seed N] [--groups X,Y,Z] MODULE.spv > job.json
    drive.py --count MODULE.spv > job.json      # the first recipe whose drive counts

The job format is that of `run-peer exec`. Data is made from the types in the module: integers are
small, because most are sizes and indices; floats are moderate, so that results stay finite. A
recipe fixes the distributions; one module in need of multiples of 32 and another in need of 1 are
served by different recipes.
"""

import argparse
import json
import os
import random
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mutate  # noqa: E402
import peer  # noqa: E402
from spirv_module import Module, Unsupported  # noqa: E402

RUNTIME_BYTES = 16384   # of an unsized array
MAX_BLOCK = 1 << 22

# Distributions: ints of push constants and uniform blocks ("local": sizes of the workgroup), ints
# of storage buffers, floats; "bits": share of the ints that are bit patterns of floats, for modules
# that keep floats in integers; "groups": dispatch, if not DEFAULT_GROUPS.
DEFAULT_GROUPS = (2, 1, 1)
RECIPES = [
    {"param": [1, 2, 3, 4, 5, 8], "int": range(0, 8), "float": (-4.0, 4.0)},
    {"param": [32], "int": range(0, 32), "float": (0.125, 2.0)},
    {"param": [1], "int": [0, 1], "float": (0.0, 1.0)},
    {"param": [8, 16], "int": [0, 1, 2, 3, 5, 9, 17, 100, -1, -7], "float": (-2.0, 2.0)},
    {"param": [64, 128, 256], "int": range(0, 256), "float": (0.01, 10.0)},
    {"param": [0, 1, 2], "int": range(0, 1 << 20), "float": (-100.0, 100.0)},
    {"param": [1, 2, 3], "int": range(0, 64), "float": (0.5, 4.0), "bits": 1.0},
    {"param": [4], "int": range(1, 5), "float": (0.5, 4.0), "groups": (1, 1, 1)},
    {"param": "local", "int": range(1, 17), "float": (0.5, 2.0), "groups": (4, 2, 1)},
    {"param": [2, 3], "int": range(1, 4), "float": (-1.0, 1.0), "bits": 0.5, "groups": (2, 2, 2)},
    {"param": [1, 2, 4], "int": [1, 2, -1, -2, 0x7fffffff, -0x80000000, 0x12345678],
     "float": (-1000.0, 1000.0), "groups": (3, 1, 1)},
    {"param": [16, 17], "int": [1], "float": (1.0, 2.0), "groups": (8, 1, 1)},
]

IMAGE_FORMATS = {0: None, 1: "rgba32f", 2: "rgba16f", 3: "r32f", 4: "rgba8", 5: "rgba8_snorm",
                 6: "rg32f", 7: "rg16f", 8: "r11g11b10f", 9: "r16f", 10: "rgba16", 11: "rgb10a2",
                 13: "rg8", 14: "r16", 15: "r8", 21: "rgba32i", 22: "rgba16i", 23: "rgba8i",
                 24: "r32i", 25: "rg32i", 29: "r8i", 28: "r16i", 30: "rgba32ui", 31: "rgba16ui",
                 32: "rgba8ui", 33: "r32ui", 35: "rg32ui", 38: "r16ui", 39: "r8ui"}
TEXEL_BYTES = {"rgba32f": 16, "rgba16f": 8, "r32f": 4, "rgba8": 4, "rgba8_snorm": 4, "rg32f": 8,
               "rg16f": 4, "r11g11b10f": 4, "r16f": 2, "rgba16": 8, "rgb10a2": 4, "rg8": 2,
               "r16": 2, "r8": 1, "rgba32i": 16, "rgba16i": 8, "rgba8i": 4, "r32i": 4, "rg32i": 8,
               "r8i": 1, "r16i": 2, "rgba32ui": 16, "rgba16ui": 8, "rgba8ui": 4, "r32ui": 4,
               "rg32ui": 8, "r16ui": 2, "r8ui": 1}
EDGE = 8   # of images


class Maker:
    """Makes one job."""

    def __init__(self, module, recipe, seed):
        self.module = module
        self.recipe = RECIPES[recipe % len(RECIPES)]
        self.random = random.Random(seed * 1000 + recipe)
        self.extra = []       # buffers reached by address

    def scalar(self, kind, bits, param):
        if kind == "f":
            low, high = self.recipe["float"]
            v = low + (high - low) * self.random.random()
            v = round(v * 64) / 64 if self.random.random() < 0.75 else v
            return struct.pack({16: "<e", 32: "<f", 64: "<d"}[bits], v)
        if kind == "b":
            return struct.pack("<I", self.random.randint(0, 1))
        if bits == 32 and self.random.random() < self.recipe.get("bits", 0.0):
            return self.scalar("f", 32, param)
        values = self.recipe["param" if param else "int"]
        if values == "local":
            x, y, z = self.module.local_size()
            values = [x, x * y * z, 2 * x]
        v = self.random.choice(values)
        return (v & ((1 << bits) - 1)).to_bytes(bits // 8, "little")

    def block(self, type_id, param):
        """DATA of a block: hex, interrupted by addresses."""
        size = self.module.size(type_id)
        if size > MAX_BLOCK:
            raise Unsupported("a block of %d bytes" % size)
        leaves = list(self.module.leaves(type_id, RUNTIME_BYTES))
        end = max([size] + [o + bits // 8 for o, _, bits, _ in leaves])
        data, pointers = bytearray((end + 15) // 16 * 16), []
        for offset, kind, bits, pointee in leaves:
            if kind == "p":
                pointers.append((offset, pointee))
            else:
                data[offset:offset + bits // 8] = self.scalar(kind, bits, param)
        if not pointers:
            return {"hex": data.hex()}
        parts, at = [], 0
        if len(pointers) > 64:
            raise Unsupported("more than 64 addresses in a block")
        for offset, pointee in sorted(pointers):
            if offset > at:
                parts.append({"hex": data[at:offset].hex()})
            parts.append({"address": self.pointee(pointee)})
            at = offset + 8
        return parts + [{"hex": data[at:].hex()}]

    def pointee(self, type_id):
        if len(self.extra) > 64:
            raise Unsupported("more than 64 buffers behind addresses")
        name = "buffer%d" % len(self.extra)
        entry = {"name": name}
        self.extra.append(entry)
        # A pointer to a scalar is taken to be one to an array.
        op = self.module.types[type_id][0]
        if op == 30:
            entry["data"] = self.block(type_id, False)
        else:
            kind, bits = next((k, b) for _, k, b, _ in self.module.leaves(type_id, 64))
            if kind == "p":
                raise Unsupported("address of addresses")
            entry["data"] = {"hex": b"".join(
                self.scalar(kind, bits, False) for _ in range(RUNTIME_BYTES * 8 // bits)).hex()}
        return name

    def image(self, r):
        image = r.image
        sampled = self.module.types[image[0]]
        fmt = IMAGE_FORMATS.get(image[6]) if image[6] else None
        if image[6] and fmt is None:
            raise Unsupported("image format %d" % image[6])
        if fmt is None:
            fmt = "rgba32f" if sampled[0] == 22 else "rgba32i" if sampled[1][1] else "rgba32ui"
        if image[4]:
            raise Unsupported("multisample image")
        dim = {0: "1d", 1: "2d", 2: "3d", 3: "cube"}.get(image[1])
        if r.kind == "texel_buffer":
            n = 1024
            return {"format": fmt, "data": self.texels(fmt, n)}
        if dim is None:
            raise Unsupported("image dimension %d" % image[1])
        layers = 6 if dim == "cube" else 1
        entry = {"format": fmt, "width": EDGE, "height": 1 if dim == "1d" else EDGE}
        depth = EDGE if dim == "3d" else 1
        if depth > 1:
            entry["depth"] = depth
        if image[3]:
            layers *= 2
            entry["layers"] = layers
            dim += "_array"
        entry["dim"] = dim
        entry["data"] = self.texels(fmt, EDGE * entry["height"] * depth * layers)
        return entry

    def texels(self, fmt, count):
        n = TEXEL_BYTES[fmt] * count
        if fmt.endswith("32f"):
            return {"f32": [round(self.random.random() * 64) / 32 for _ in range(n // 4)]}
        if fmt.endswith("16f"):
            return {"f16": [round(self.random.random() * 64) / 32 for _ in range(n // 2)]}
        if fmt.endswith("i"):
            size = {"8": 1, "6": 2, "2": 4}[fmt.rstrip("ui")[-1]]
            return {"hex": b"".join(self.random.randint(0, 7).to_bytes(size, "little")
                                    for _ in range(n // size)).hex()}
        return {"hex": self.random.randbytes(n).hex()}

    def job(self, path, groups):
        m = self.module
        job = {"shader": os.path.abspath(path), "entry": m.entry_name, "dispatch": groups}
        if m.specialised:
            job["spec"] = {str(k): {"u32": v} for k, v in sorted(m.specialised.items())}
        push = m.push_type()
        if push is not None:
            job["push"] = self.block(push, True)
        job["resources"] = []
        for (set_, binding), aliases in sorted(m.resources().items()):
            r = max(aliases, key=lambda a: m.size(a.type) if a.kind == "buffer" else 0)
            entry = {"set": set_, "binding": binding}
            if r.kind == "buffer":
                writable = any(a.writable for a in aliases)
                entry["data"] = self.block(r.type, not writable)
                entry["as"] = "hex"
            elif r.kind == "sampler":
                entry.update(filter="nearest", address="clamp")
            else:
                entry.update(self.image(r))
                if r.kind == "combined":
                    entry.update(filter="nearest", address="clamp")
                if r.writable:
                    entry["as"] = "hex"
            job["resources"].append(entry)
        for e in self.extra:
            e["as"] = "hex"
        job["resources"] += self.extra
        return job

    def leaf_types(self):
        """(set, binding) -> list of (offset, kind, bits), for comparing outputs."""
        types = {}
        for key, aliases in self.module.resources().items():
            r = max(aliases, key=lambda a: self.module.size(a.type) if a.kind == "buffer" else 0)
            if r.kind == "buffer":
                types[key] = [(o, k, b) for o, k, b, _ in self.module.leaves(r.type, RUNTIME_BYTES)]
        return types


def make_job(path, recipe=0, seed=1, groups=None, module=None):
    """A job and the types of its buffers' contents. Raises Unsupported."""
    groups = groups or RECIPES[recipe % len(RECIPES)].get("groups", DEFAULT_GROUPS)
    maker = Maker(module or Module.load(path), recipe, seed)
    return maker.job(path, list(groups)), maker.leaf_types()


def initial(resource):
    """Bytes that a resource of a job starts with, where they are given as hex or floats."""
    data = resource.get("data", {})
    if "hex" in data:
        return bytes.fromhex(data["hex"])
    for key, code in (("f32", "f"), ("f16", "e")):
        if key in data:
            return struct.pack("<%d%s" % (len(data[key]), code), *data[key])
    return b""


def writes_something(job, outputs):
    """Does the run change any buffer or image?"""
    start = {(r.get("set", 0), r["binding"], r.get("index", 0)): initial(r)
             for r in job["resources"] if "binding" in r}
    return any(not isinstance(k, tuple) or start.get(k) != v for k, v in outputs.items())


def counts(job, result, module, folder, run_many, rng, tries):
    """Does changing one arithmetic operation change an output of the job? Returns the job with the
    mutant that does, or None. Mutants are tried a few at a time."""
    base, found = peer.outputs(result), mutate.plans(module)
    chosen = mutate.in_order(module, found, rng)[:tries]
    for start in range(0, len(chosen), 6):
        jobs = []
        for site in chosen[start:start + 6]:
            mutant = os.path.join(folder, "mutant%d.spv" % site)
            mutate.write(module.words, site, found[site], mutant)
            jobs.append({**job, "shader": mutant})
        for other, got in zip(jobs, run_many(jobs)):
            if got.get("ok") and peer.outputs(got) != base:
                return other
    return None


def counted_drive(path, folder, seed=1, groups=None, timeout=30, accept=None, scout=None,
                  doubt=None, specialise=False):
    """The first recipe whose drive runs on lavapipe and counts: (job, types, lavapipe's result,
    recipe), else (None, None, reason, None). `accept`, given a job, may return a reason for which
    it is not worth trying (say, that it never ends), to save time. `scout`, given a list of jobs,
    runs them elsewhere: starting lavapipe takes long, so that recipe and mutation are looked for
    there, and lavapipe only has to confirm what was found. `doubt`, given a job that counts and
    its result, tells whether a better defined one is wanted; if there is none, the first is taken.
    With `specialise`, jobs may have a `spec`: see Module._shared_spec_ids.
    """
    module = Module.load(path, specialise=specialise)
    reason, slow, doubtful = "no recipe ran", 0, None
    if not mutate.plans(module):
        return None, None, "no arithmetic", None

    def lavapipe(jobs):
        return peer.run_many(jobs, folder, timeout)

    run_many, tries = (scout, 48) if scout else (lavapipe, 6)
    reasons = []

    def confirmed(job, types, other, recipe):
        results = lavapipe([job, other])
        for r in results:
            if not r.get("ok"):
                reasons.append("lavapipe: " + str(r.get("error"))[:120])
                return None
        if peer.outputs(results[0]) == peer.outputs(results[1]):
            reasons.append("no changed operation changes an output")
            return None
        return job, types, results[0], recipe

    for recipe in range(len(RECIPES)):
        if slow > 2:
            break
        job, types = make_job(path, recipe, seed, groups, module)
        reason = accept(job) if accept else None
        if reason:
            slow += 1
            continue
        result = run_many([job])[0]
        if not result.get("ok"):
            reason = str(result.get("error"))[:120]
            reason = reason if scout else "lavapipe: " + reason
            slow += 3 * ("time" in reason and not scout)
            continue
        if not scout and not writes_something(job, peer.outputs(result)):
            reason = "nothing is written"
            continue
        reason = "no changed operation changes an output"
        rng = random.Random(seed)
        other = counts(job, result, module, folder, run_many, rng, tries)
        if other is None:
            slow += not scout
            continue
        if not scout:
            return job, types, result, recipe
        if doubt and doubt(job, result):
            doubtful = doubtful or (job, types, other, recipe)
            continue
        found = confirmed(job, types, other, recipe)
        if found:
            return found
        slow += 3 if "time" in reasons[-1] else 1
    found = confirmed(*doubtful) if doubtful else None
    return found or (None, None, (reasons or [reason])[-1], None)


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("--recipe", type=int, default=0)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--groups", help="X,Y,Z; by default the recipe's")
    p.add_argument("--count", action="store_true", help="look for a recipe whose drive counts")
    p.add_argument("module")
    a = p.parse_args()
    groups = [int(x) for x in a.groups.split(",")] if a.groups else None
    try:
        if a.count:
            import tempfile
            with tempfile.TemporaryDirectory() as folder:
                job, _, result, recipe = counted_drive(a.module, folder, a.seed, groups)
            if job is None:
                sys.exit("%s: does not count: %s" % (a.module, result))
            print("recipe %d" % recipe, file=sys.stderr)
        else:
            job, _ = make_job(a.module, a.recipe, a.seed, groups)
    except Unsupported as e:
        sys.exit("%s: %s" % (a.module, e))
    json.dump(job, sys.stdout)
    print()


if __name__ == "__main__":
    main()
