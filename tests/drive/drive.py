#!/usr/bin/env python3
"""Makes a job (inputs and dispatch) for a compute module, for lavapipe and for simulators.

    drive.py [--recipe N] [--seed N] [--groups X,Y,Z] MODULE.spv > job.json
    drive.py --count MODULE.spv > job.json      # the first recipe whose drive counts

The job format is that of `run-peer exec`. Data is made from the types in the module: integers are
small, because most are sizes and indices; floats are moderate, so that results stay finite. A
recipe fixes the distributions; a module that needs multiples of 32 and one that needs 1 get
different recipes.
"""

import argparse
import dataclasses
import json
import os
import random
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mutate  # noqa: E402
import peer  # noqa: E402
import texels  # noqa: E402
from spirv_module import Module, Unsupported  # noqa: E402

RUNTIME_BYTES = 16384   # bytes of an unsized array
MAX_BLOCK = 1 << 22
NOTHING_CHANGES = "no changed operation changes an output"
NOTHING_WRITTEN = "nothing is written"

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

# Drawn recipes follow those of the table, for modules that write nothing with the latter because
# they need sizes of different magnitude together.
DRAWN = 32
MAGNITUDES = [0, 1, 1, 2, 3, 4, 8, 16, 32, 64, 128, 256]


def recipe_of(number):
    """Returns the recipe of a number: the same for each call with this number."""
    if number < len(RECIPES):
        return RECIPES[number]
    rng = random.Random(number)
    return {"param": [rng.choice(MAGNITUDES) for _ in range(rng.randint(2, 6))],
            "int": range(0, rng.choice([2, 4, 8, 16, 64])), "float": (0.25, 2.0),
            "groups": rng.choice([(1, 1, 1), (2, 1, 1), (4, 2, 1), (2, 2, 2)])}


# Formats for sampled images, by the type of their components.
SAMPLED_FORMATS = {"f": ["rgba32f", "rgba16f", "rgba8", "rg32f", "r11g11b10f", "rgb10a2", "r16"],
                   "i": ["rgba32i", "rgba16i", "r8i"], "u": ["rgba32ui", "rgba8ui", "rg16ui"]}
EDGE = 8           # of images
MAX_LIST = 3       # nodes of one type in a chain
MAX_ELEMENTS = 4   # elements of an array of descriptors; the rest repeat the first


class Maker:
    """Makes one job."""

    def __init__(self, module, recipe, seed):
        self.module = module
        self.recipe = recipe_of(recipe)
        self.random = random.Random(seed * 1000 + recipe)
        self.extra = []       # buffers reached by address
        self.extra_types = {}  # (name, 0) -> leaves
        self.behind = []      # types of the buffers that lead to the one being made
        self.formats = {}     # (set, binding) of written images -> format, bytes

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
        """Returns the DATA of a block: hex, interrupted by addresses."""
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
            if self.behind.count(pointee) >= MAX_LIST:
                continue  # null: lists and trees end
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
        # Takes a pointer to a scalar as a pointer to an array.
        op = self.module.types[type_id][0]
        if op == 30:
            self.behind.append(type_id)
            entry["data"] = self.block(type_id, False)
            self.behind.pop()
            self.extra_types[name, 0] = [(o, k, b) for o, k, b, _ in
                                         self.module.leaves(type_id, RUNTIME_BYTES)]
        else:
            kind, bits = next((k, b) for _, k, b, _ in self.module.leaves(type_id, 64))
            if kind == "p":
                raise Unsupported("address of addresses")
            entry["data"] = {"hex": b"".join(
                self.scalar(kind, bits, False) for _ in range(RUNTIME_BYTES * 8 // bits)).hex()}
            self.extra_types[name, 0] = [(o, kind, bits)
                                         for o in range(0, RUNTIME_BYTES, bits // 8)]
        return name

    def image_format(self, r):
        image, sampled = r.image, self.module.types[r.image[0]]
        if image[5] == 2 and image[6]:
            if image[6] not in texels.STORAGE:
                raise Unsupported("image format %d" % image[6])
            return texels.STORAGE[image[6]]
        kind = "f" if sampled[0] == 22 else "i" if sampled[1][1] else "u"
        # Without a format any may be bound; images of comparing samplers hold depths.
        if image[5] == 2 or r.kind == "texel_buffer":
            return SAMPLED_FORMATS[kind][0]
        return "d32f" if image[2] == 1 else self.random.choice(SAMPLED_FORMATS[kind])

    def image(self, r):
        image, fmt = r.image, self.image_format(r)
        if image[4]:
            raise Unsupported("multisample image")
        if r.kind == "texel_buffer":
            return {"format": fmt, "data": {"hex": texels.data(fmt, 1024, self.random).hex()}}
        dim = {0: "1d", 1: "2d", 2: "3d", 3: "cube"}.get(image[1])
        if dim is None:
            raise Unsupported("image dimension %d" % image[1])
        layers = (6 if dim == "cube" else 1) * (2 if image[3] else 1)
        size = [EDGE, 1 if dim == "1d" else EDGE, EDGE if dim == "3d" else 1]
        entry = {"format": fmt, "width": size[0], "height": size[1]}
        if size[2] > 1:
            entry["depth"] = size[2]
        if image[3]:
            entry["layers"] = layers
            dim += "_array"
        entry["dim"] = dim
        levels = 1 if image[5] == 2 else self.random.choice([1, 3])
        if levels > 1:
            entry["levels"] = levels
        count = sum(layers * max(1, size[0] >> k) * max(1, size[1] >> k) * max(1, size[2] >> k)
                    for k in range(levels))
        entry["data"] = {"hex": texels.data(fmt, count, self.random).hex()}
        return entry

    def sampler(self, compares, integers):
        """Returns a sampler with a filter that the image allows; addresses go beyond the image's edges."""
        linear = not integers and self.random.random() < 0.5
        entry = {"filter": "linear" if linear else "nearest",
                 "mipmap": self.random.choice(["nearest", "linear"]) if not integers else "nearest",
                 "address": self.random.choice(["clamp", "repeat", "mirror", "border"]),
                 "border": self.random.choice(["transparent", "black", "white"])}
        if compares:
            entry["compare"] = self.random.choice(["less_equal", "greater", "less"])
        return entry

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
            r = max(aliases, key=lambda a: m.size(a.type) if a.kind == "buffer"
                    else -1 if a.kind == "sampler" else 0)
            entry = {"set": set_, "binding": binding}
            for index in range(min(r.count, MAX_ELEMENTS)):
                made = dict(entry, index=index) if index else dict(entry)
                self.fill(made, r, aliases)
                job["resources"].append(made)
        for e in self.extra:
            e["as"] = "hex"
        job["resources"] += self.extra
        return job

    def fill(self, entry, r, aliases):
        if r.kind == "buffer":
            writable = any(a.writable for a in aliases)
            entry["data"] = self.block(r.type, not writable)
            entry["as"] = "hex"
        elif r.kind == "sampler":
            # Integers are not filtered: a module that samples integers has no linear samplers.
            integers = any(a.image and self.module.types[a.image[0]][0] != 22
                           for all_ in self.module.resources().values() for a in all_)
            entry.update(self.sampler(self.compares(r), integers))
        else:
            entry.update(self.image(r))
            # An image and a sampler at one binding are a combined one (HLSL).
            if r.kind == "combined" or any(a.kind == "sampler" for a in aliases):
                integers = self.module.types[r.image[0]][0] != 22
                entry.update(self.sampler(self.compares(r), integers))
            if r.writable:
                entry["as"] = "hex"
                self.formats[(r.set, r.binding)] = (entry["format"], len(entry["data"]["hex"]) // 2)

    def compares(self, r):
        return (r.set, r.binding) in self.module.compared()

    def leaf_types(self):
        """Returns (set, binding) -> list of (offset, kind, bits), for comparing outputs. Images have the formats
        that `job` has chosen."""
        types = {}
        for key, aliases in self.module.resources().items():
            r = max(aliases, key=lambda a: self.module.size(a.type) if a.kind == "buffer" else 0)
            if r.kind == "buffer":
                types[key] = [(o, k, b) for o, k, b, _ in self.module.leaves(r.type, RUNTIME_BYTES)]
            elif key in self.formats:
                types[key] = texels.leaves(*self.formats[key])
        return {**types, **self.extra_types}


def make_job(path, recipe=0, seed=1, groups=None, module=None):
    """A job and the types of its buffers' contents. Raises Unsupported."""
    groups = groups or recipe_of(recipe).get("groups", DEFAULT_GROUPS)
    maker = Maker(module or Module.load(path), recipe, seed)
    job = maker.job(path, list(groups))
    return job, maker.leaf_types()


def initial(resource):
    """Returns a resource's initial bytes, if the job gives them as hex."""
    data = resource.get("data", {})
    return bytes.fromhex(data["hex"]) if "hex" in data else b""


def writes_something(job, outputs):
    """Returns True if the run changes any buffer or image."""
    start = {(r.get("set", 0), r["binding"], r.get("index", 0)) if "binding" in r
             else (r["name"], 0, 0): initial(r) for r in job["resources"]}
    return any(start.get(k) != v for k, v in outputs.items())


def without_addresses(outputs, types):
    """Outputs with addresses, which differ from run to run, set to 0."""
    result = {}
    for key, data in outputs.items():
        places = [o for o, kind, _ in types.get(key[:2], []) if kind == "p"]
        if places:
            data = bytearray(data)
            for o in places:
                data[o:o + 8] = bytes(len(data[o:o + 8]))
        result[key] = bytes(data)
    return result


def mutants(module, rng, tries, by_moves):
    """Returns (word index, replacement words) of the mutants to try, in order."""
    groups = mutate.moves(module) if by_moves else (mutate.plans(module),)
    return [(site, found[site]) for found in groups
            for site in mutate.in_order(module, found, rng)[:tries]]


def counts(job, types, result, module, folder, run_many, chosen):
    """Returns the job with the first mutant that changes an output, or None. Tries them a few at a time."""
    base = without_addresses(peer.outputs(result), types)
    for start in range(0, len(chosen), 6):
        jobs = []
        for site, new in chosen[start:start + 6]:
            mutant = os.path.join(folder, "mutant%d.spv" % site)
            mutate.write(module.words, site, new, mutant)
            jobs.append({**job, "shader": mutant})
        for other, got in zip(jobs, run_many(jobs)):
            if got.get("ok") and without_addresses(peer.outputs(got), types) != base:
                return other
    return None


@dataclasses.dataclass
class Drive:
    """The result of counted_drive. Without a job, `reason` says why there is none; with a job but without
    lavapipe's `result`, why lavapipe did not judge it."""
    job: dict = None
    types: dict = None
    result: dict = None
    recipe: int = None
    by_moves: bool = False   # no arithmetic reaches an output, but a move does (mutate.moves)
    reason: str = ""
    mutant: dict = None      # the job with the mutant that changes an output


class Search:
    """Looks for a drive of one module that counts. Arguments are those of counted_drive."""

    def __init__(self, path, module, folder, seed, groups, timeout, accept, scout, doubt,
                 first_recipe, lavapipe):
        self.asks_lavapipe = lavapipe
        self.path, self.module, self.folder = path, module, folder
        self.first_recipe = first_recipe
        self.seed, self.groups, self.timeout = seed, groups, timeout
        self.accept, self.scout, self.doubt = accept, scout, doubt
        self.slow = 0
        self.writes = False    # has any drive written anything?
        self.reason = "no recipe ran"
        self.unjudged = None   # the first drive that lavapipe failed on

    def lavapipe(self, jobs):
        return peer.run_many(jobs, self.folder, self.timeout)

    def confirmed(self, d):
        """The drive with lavapipe's result, if lavapipe tells job and mutant apart too."""
        if not self.asks_lavapipe:
            return dataclasses.replace(d, reason="lavapipe: not asked")
        results = self.lavapipe([d.job, d.mutant])
        failed = [r for r in results if not r.get("ok")]
        if failed:
            self.reason = "lavapipe: " + str(failed[0].get("error"))[:120]
            self.slow += 3 if "time" in self.reason else 1
            self.unjudged = self.unjudged or dataclasses.replace(d, reason=self.reason)
            return None
        first, second = (without_addresses(peer.outputs(r), d.types) for r in results)
        if first == second:
            self.reason = NOTHING_CHANGES
            self.slow += 1
            return None
        return dataclasses.replace(d, result=results[0])

    def candidate(self, recipe, by_moves):
        """A drive by this recipe that counts where mutants are looked for, or None."""
        job, types = make_job(self.path, recipe, self.seed, self.groups, self.module)
        refused = self.accept(job) if self.accept else None
        if refused:
            self.reason = refused
            self.slow += 1
            return None
        run_many, tries = (self.scout, 48) if self.scout else (self.lavapipe, 6)
        result = run_many([job])[0]
        if not result.get("ok"):
            error = str(result.get("error"))[:120]
            self.reason = error if self.scout else "lavapipe: " + error
            self.slow += 3 * ("time" in error and not self.scout)
            # Each such error costs the scout seconds: if the whole table gives them, drawn recipes
            # are not tried.
            self.slow += 0.2 * (self.scout is not None and "lane steps" in error)
            return None
        writes = writes_something(job, peer.outputs(result))
        self.writes |= writes
        if not self.scout and not writes:
            self.reason = NOTHING_WRITTEN
            return None
        chosen = mutants(self.module, random.Random(self.seed), tries, by_moves)
        mutant = counts(job, types, result, self.module, self.folder, run_many, chosen)
        if mutant is None:
            self.reason = NOTHING_CHANGES if writes else NOTHING_WRITTEN
            self.slow += not self.scout
            return None
        return Drive(job, types, result, recipe, by_moves, "", mutant)

    def draws(self):
        """Returns True if drawn recipes are worth trying."""
        return self.scout and not self.writes

    def run(self, by_moves):
        """The drive by the first recipe that serves, or None."""
        self.slow, doubtful = 0, None
        first = [] if self.first_recipe is None else [self.first_recipe]
        for recipe in first + [r for r in range(len(RECIPES) + DRAWN) if r not in first]:
            drawn = recipe >= len(RECIPES) and recipe not in first
            if self.slow > 2 or (drawn and not self.draws()):
                break
            found = self.candidate(recipe, by_moves)
            if found is None or not self.scout:
                if found:
                    return found
                continue
            if self.doubt and self.doubt(found.job, found.result):
                doubtful = doubtful or found
                continue
            found = self.confirmed(dataclasses.replace(found, result=None))
            if found:
                return found
        return self.confirmed(dataclasses.replace(doubtful, result=None)) if doubtful else None


def counted_drive(path, folder, seed=1, groups=None, timeout=30, accept=None, scout=None,
                  doubt=None, specialise=False, first_recipe=None, lavapipe=True):
    """Returns the Drive by the first recipe that runs on lavapipe and counts. `accept`, given a job, may
    return a reason why it is not worth trying (say, that it never ends), to save time. `scout`, given a
    list of jobs, runs them elsewhere: starting lavapipe takes long, so the scout looks for recipe and
    mutation, and lavapipe only confirms what was found. If lavapipe cannot (it takes too long or
    crashes), the drive has no `result`. `doubt`, given a job that counts and its result, returns True if
    a better defined one should be looked for; if there is none, the first is taken. With a scout, moves
    are changed where no changed arithmetic shows. With `specialise`, jobs may have a `spec`: see
    Module._shared_spec_ids. `first_recipe` is tried before the others. Without `lavapipe`, what the scout
    finds is not confirmed, and has no `result`.
    """
    module = Module.load(path, specialise=specialise)
    if not mutate.has_output(module):
        return Drive(reason="no output")
    search = Search(path, module, folder, seed, groups, timeout, accept, scout, doubt,
                    first_recipe, lavapipe)
    found = None
    if mutate.plans(module):
        found = search.run(by_moves=False)
    else:
        search.reason = "no arithmetic"
    if not found and not search.unjudged and scout:
        found = search.run(by_moves=True)
    return found or search.unjudged or Drive(reason=search.reason)


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
                found = counted_drive(a.module, folder, a.seed, groups)
            if found.job is None:
                sys.exit("%s: does not count: %s" % (a.module, found.reason))
            job = found.job
            print("recipe %d" % found.recipe, file=sys.stderr)
        else:
            job, _ = make_job(a.module, a.recipe, a.seed, groups)
    except Unsupported as e:
        sys.exit("%s: %s" % (a.module, e))
    json.dump(job, sys.stdout)
    print()


if __name__ == "__main__":
    main()
