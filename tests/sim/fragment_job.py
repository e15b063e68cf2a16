"""Makes a job (inputs, resources, triangles) for a fragment module, in the format of `run-peer exec`.

Resources come from tests/drive as for compute modules. Vertices lie on multiples of 1/16 pixel and have a
w of few bits, so that every rasteriser gets the same triangle.
"""

import os
import random
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "drive"))
import drive  # noqa: E402
from spirv_module import GLCOMPUTE, OP, STORAGE, Module, Unsupported  # noqa: E402

FRAGMENT = 4
OUTPUT = 3   # storage class
LOCATION, COMPONENT, BUILTIN, PATCH = 30, 31, 11, 15
POINT_COORD = 16
DISTANCES = {"clip_distances": 3, "cull_distances": 4}   # keys of a draw -> built-in
CHOSEN = {"layers": 9, "viewports": 10}   # keys of a draw -> built-in
# Recipes of tests/drive in the order in which they are tried: positive floats first, because pow,
# log and sqrt are undefined for negative ones.
ORDER = [1, 2, 4, 0, 3]
MIPMAPPED = 3   # the first of these with images of several levels
SIZE = 16   # pixels, width and height

# Triangles in pixels: (x, y, z, w) of each vertex. Several shapes: one that covers all, one with slopes,
# two that overlap and face both ways.
SCENES = [
    [[(0, 0, 0.25, 1), (2 * SIZE, 0, 0.5, 1), (0, 2 * SIZE, 0.75, 1)]],
    [[(1, 2.5, 0.25, 1), (15.25, 4.0625, 0.625, 2), (6.5, 14.75, 0.875, 1.5)]],
    [[(0.5, 0.25, 0.125, 1), (3.75, 15.5, 0.5, 0.5), (14, 1.5, 0.75, 2)],
     [(2, 3, 0.25, 1), (15.5, 8.125, 0.5, 1), (3.25, 14.5, 0.75, 4)]],
]

# Points of modules that read PointCoord: their size, and (x, y, z, w) of each. No pixel's centre lies on an
# edge.
POINTS = [
    (7.25, [(5.5625, 6.3125, 0.25, 1), (11.0625, 9.4375, 0.5, 2)]),
    (4.5, [(3.8125, 4.5625, 0.5, 1), (12.1875, 4.0625, 0.25, 1.5), (9.0625, 11.4375, 0.75, 0.5)]),
    (13.75, [(8.0625, 8.4375, 0.125, 4)]),
]


class FragmentModule(Module):
    """A module and its fragment entry point."""

    MODEL = FRAGMENT

    @classmethod
    def load(cls, path, entry=None, specialise=False):
        with open(path, "rb") as f:
            return cls(f.read(), entry, specialise)

    def _parse(self):
        super()._parse()
        self.interfaces = {}
        for i in self.instructions():
            if i.op != OP["EntryPoint"]:
                continue
            end = next(k for k in range(2, len(i.words))
                       if any((i.words[k] >> s) & 0xff == 0 for s in (0, 8, 16, 24)))
            self.interfaces[i.words[1]] = set(i.words[end + 1:])
        # The base class looks for a compute entry point; here that is the one of our stage.
        self.entries = [(GLCOMPUTE if model == self.MODEL else None, function, name)
                        for model, function, name in self.entries]

    def _locations(self, t, location, component):
        """Yields (location, component, kind, count) of an input of this type."""
        op, w = self.types[t]
        if op == OP["TypeVector"]:
            for _, _, kind, _ in self._locations(w[0], location, component):
                yield location, component, kind, w[1]
        elif op in (OP["TypeMatrix"], OP["TypeArray"]):
            count = w[1] if op == OP["TypeMatrix"] else self.constants[w[1]]
            for k in range(count):
                found = list(self._locations(w[0], location, component))
                yield from found
                location = 1 + max(l for l, _, _, _ in found)
        elif op == OP["TypeStruct"]:
            for m, member in enumerate(w):
                d = self.members.get((t, m), {})
                if BUILTIN in d:
                    continue
                location = d.get(LOCATION, location)
                found = list(self._locations(member, location, d.get(COMPONENT, 0)))
                yield from found
                location = 1 + max(l for l, _, _, _ in found)
        elif op in (OP["TypeInt"], OP["TypeFloat"]) and w[0] <= 32:
            kind = "f32" if op == OP["TypeFloat"] else "i32" if w[1] else "u32"
            yield location, component, kind, 1
        else:
            raise Unsupported("an input of type %d" % op)

    def inputs(self):
        return self._interface(STORAGE["Input"])

    def outputs(self):
        """Returns the outputs with locations, without built-ins."""
        return self._interface(OUTPUT)

    def written_components(self):
        """Returns location -> bits of the render target's components that the module declares; others are undefined."""
        found = {}
        for location, component, _, count in self.outputs():
            found[location] = found.get(location, 0) | ((1 << count) - 1) << component
        return found

    def _inputs_of(self, builtin):
        """Returns the types of the input variables with this built-in."""
        return [self.types[pointer][1][1] for id_, pointer, storage in self.variables
                if storage == STORAGE["Input"] and self.decorations.get(id_, {}).get(BUILTIN) == builtin and
                id_ in self.interfaces[self.entry_function]]

    def reads_builtin(self, builtin):
        return bool(self._inputs_of(builtin))

    def elements_of(self, builtin):
        """Returns the length of the module's array of the built-in; 0: it reads none."""
        return max([self.constants[self.types[t][1][1]] for t in self._inputs_of(builtin)], default=0)

    def _interface(self, wanted):
        found = []
        for id_, pointer, storage in self.variables:
            d = self.decorations.get(id_, {})
            if storage != wanted or id_ not in self.interfaces[self.entry_function]:
                continue
            if BUILTIN in d:
                continue
            found += self._locations(self.types[pointer][1][1], d.get(LOCATION, 0),
                                     d.get(COMPONENT, 0))
        return found


def value(rng, kind, recipe):
    if kind == "f32":
        low, high = recipe["float"]
        v = low + (high - low) * rng.random()
        return struct.unpack("<f", struct.pack("<f", round(v * 64) / 64))[0]
    v = rng.choice(recipe["int"])
    return v & 0xffffffff if kind == "u32" else (v + (1 << 31)) % (1 << 32) - (1 << 31)


def positions(scene):
    """Returns the positions in clip space: exact, since all are multiples of powers of two."""
    return [[(2 * x / SIZE - 1) * w, (2 * y / SIZE - 1) * w, z * w, w]
            for primitive in scene for x, y, z, w in primitive]


def one_level(image):
    """Returns the image without its smaller levels: lavapipe's levels of detail are approximate."""
    levels = image.pop("levels", 1)
    if levels == 1:
        return
    sizes = [max(1, image["width"] >> k) * max(1, image["height"] >> k) *
             max(1, image.get("depth", 1) >> k) for k in range(levels)]
    digits = image["data"]["hex"]
    image["data"] = {"hex": digits[:len(digits) * sizes[0] // sum(sizes)]}


def make_job(module, path, number=0, seed=1):
    """Returns a job by the number-th recipe, and the types of its buffers' contents. Raises Unsupported."""
    recipe = ORDER[number]
    maker = drive.Maker(module, recipe, seed)
    job = maker.job(path, [1, 1, 1])
    del job["dispatch"]
    if number < MIPMAPPED:
        for r in job["resources"]:
            one_level(r)
    rng = random.Random(seed * 1000 + recipe)
    of_points = module.reads_builtin(POINT_COORD)
    if of_points:
        size, points = POINTS[number % len(POINTS)]
        scene = [[p] for p in points]
    else:
        scene = SCENES[number % len(SCENES)]
    count = sum(len(primitive) for primitive in scene)
    numbers = drive.recipe_of(recipe)
    draw = job["draw"] = {
        "width": SIZE, "height": SIZE, "positions": positions(scene),
        "inputs": [{"location": l, "component": c, kind: [value(rng, kind, numbers)
                                                          for _ in range(n * count)]}
                   for l, c, kind, n in module.inputs()]}
    if of_points:
        draw.update(topology="point_list", point_size=size)
    for key, builtin in DISTANCES.items():
        each = module.elements_of(builtin)
        if each:   # above 0: nothing is clipped or culled
            draw[key] = [rng.randrange(64, 256) / 64 for _ in range(each * count)]
    for key, builtin in CHOSEN.items():
        if module.reads_builtin(builtin):
            draw[key] = [(k // len(scene[0]) * 2 + builtin) % 16 for k in range(count)]
    return job, maker.leaf_types()


def nudged(job, seed):
    """Returns the job for the simulator with every float input, distance and weight changed in its last bits:
    outputs that react to that cannot be compared exactly, since rasterisers differ there."""
    rng = random.Random(seed)

    def moved(values):
        return [v * (1 + rng.choice([-1, 1]) * 2.0 ** -21) for v in values]

    draw = dict(job["draw"], jitter=seed + 1)
    draw["inputs"] = [dict(i, f32=moved(i["f32"])) if "f32" in i else i for i in draw["inputs"]]
    draw.update((key, moved(draw[key])) for key in DISTANCES if key in draw)
    return dict(job, draw=draw)
