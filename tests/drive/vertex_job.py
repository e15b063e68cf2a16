"""Makes a job (attributes, resources, draw) for a vertex module, in the format of `run-peer exec`.

Resources come from drive.py as for compute modules. A draw has a few instances, some of its attributes
advance by instance, and half of the draws name their vertices by indices.
"""

import os
import random
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import drive  # noqa: E402
from spirv_module import GLCOMPUTE, OP, STORAGE, Module, Unsupported  # noqa: E402

VERTEX = 0
LOCATION, COMPONENT, BUILTIN = 30, 31, 11   # decorations
SUBGROUP = {*range(61, 69), 4423, 4431}     # capabilities: GroupNonUniform..., ballots and votes before 1.3
# Recipes of drive.py in the order in which they are tried: positive floats first, because pow, log
# and sqrt are undefined for negative ones. The first USUAL of them serve most modules; the others
# are for modules that divide by 0 or exceed array bounds with these.
ORDER = [1, 2, 4, 0, 3, 8, 7, 9, 5, 11, 6, 10]
USUAL = 5
DRAWS = [
    {"count": 13, "instances": 2},
    {"indices": [0, 2, 1, 5, 3, 4, 2, 7], "vertex_offset": 1, "instances": 3, "first_instance": 1},
    {"count": 3},
    {"count": 9, "first_vertex": 4, "instances": 2},
    {"indices": [3, 1, 0, 2], "instances": 2},
]


class VertexModule(Module):
    """A module and its vertex entry point."""

    @staticmethod
    def load(path, entry=None, specialise=False):
        with open(path, "rb") as f:
            return VertexModule(f.read(), entry, specialise)

    def _parse(self):
        super()._parse()
        self.interfaces = {}
        for i in self.instructions():
            if i.op != OP["EntryPoint"]:
                continue
            end = next(k for k in range(2, len(i.words))
                       if any((i.words[k] >> s) & 0xff == 0 for s in (0, 8, 16, 24)))
            self.interfaces[i.words[1]] = set(i.words[end + 1:])
        # The base class looks for a compute entry point; here that is the vertex one.
        self.entries = [(GLCOMPUTE if model == VERTEX else None, function, name)
                        for model, function, name in self.entries]

    def _places(self, t, location, component):
        """Yields (location, kind, components up to the last one) of an attribute of this type."""
        op, w = self.types[t]
        if op == OP["TypeVector"]:
            for _, kind, first in self._places(w[0], location, component):
                yield location, kind, first + w[1] - 1
        elif op in (OP["TypeMatrix"], OP["TypeArray"]):
            for k in range(w[1] if op == OP["TypeMatrix"] else self.constants[w[1]]):
                found = list(self._places(w[0], location, component))
                yield from found
                location = 1 + max(place for place, _, _ in found)
        elif op in (OP["TypeInt"], OP["TypeFloat"]) and w[0] == 32:
            yield (location, "f32" if op == OP["TypeFloat"] else "i32" if w[1] else "u32",
                   component + 1)
        else:
            raise Unsupported("an attribute of type %d" % op)

    def attributes(self):
        """Location -> (kind, components)."""
        found = {}
        for id_, pointer, storage in self.variables:
            d = self.decorations.get(id_, {})
            if (storage != STORAGE["Input"] or BUILTIN in d
                    or id_ not in self.interfaces[self.entry_function]):
                continue
            for location, kind, count in self._places(self.types[pointer][1][1], d.get(LOCATION, 0),
                                                      d.get(COMPONENT, 0)):
                found[location] = (kind, max(count, found.get(location, (kind, 0))[1]))
        return found

    def has_subgroups(self):
        return any(i.op == OP["Capability"] and i.words[0] in SUBGROUP for i in self.instructions())


def value(rng, kind, recipe):
    if kind == "f32":
        low, high = recipe["float"]
        v = low + (high - low) * rng.random()
        return struct.unpack("<f", struct.pack("<f", round(v * 64) / 64))[0]
    v = rng.choice(recipe["int"])
    return v & 0xffffffff if kind == "u32" else (v + (1 << 31)) % (1 << 32) - (1 << 31)


def rows(draw, rate):
    """Returns the number of vertices, or instances, that an attribute is read for: up to the last one drawn."""
    if rate == "instance":
        return draw.get("first_instance", 0) + draw.get("instances", 1)
    if "indices" in draw:
        return max(draw["indices"]) + draw.get("vertex_offset", 0) + 1
    return draw.get("first_vertex", 0) + draw["count"]


def make_job(module, path, number=0, seed=1, draws=DRAWS, instanced=0.25):
    """Returns a job by the number-th recipe, and the types of its buffers' contents. Raises Unsupported. `draws`: one
    of them is drawn, by recipe and seed; `instanced`: the part of attributes that advance by instance."""
    if module.has_subgroups():
        raise Unsupported("which vertices make a subgroup is the implementation's")
    recipe = ORDER[number]
    maker = drive.Maker(module, recipe, seed)
    job = maker.job(path, [1, 1, 1])
    del job["dispatch"]
    rng = random.Random(seed * 1000 + recipe)
    draw = dict(draws[(number + seed - 1) % len(draws)])
    numbers = drive.recipe_of(recipe)
    draw["inputs"] = []
    for location, (kind, count) in sorted(module.attributes().items()):
        rate = "instance" if rng.random() < instanced else "vertex"
        draw["inputs"].append({"location": location, "rate": rate,
                               kind: [value(rng, kind, numbers)
                                      for _ in range(count * rows(draw, rate))]})
    job["vertices"] = draw
    return job, maker.leaf_types()
