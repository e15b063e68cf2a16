"""Writes a capture of any size, the same for the same seed.

  big_capture.py FILE [--pipelines=100000] [--modules=20000] [--seed=1]

Half of the pipelines are compute, half graphics; modules are distinct and small, with a few
arithmetic operations each. A few pipelines of each hundred are such that no stage, or not every
one, is compiled. Memory is bounded: entries are written as they are made.
"""

import argparse
import random
import struct

import foz_writer as foz
import spirv_writer as spirv

FORMATS = [37, 41, 44, 97]  # R8G8B8A8_UNORM, R8G8B8A8_UINT, B8G8R8A8_UNORM, R16G16B16A16_SFLOAT


class FileWriter(foz.Writer):
    """Writes entries at once; hashes are numbers that look like hashes, from the seed."""

    def __init__(self, file, seed):
        super().__init__()
        self.file = file
        self.rng = random.Random(seed)
        file.write(self.start)

    def add(self, tag, hash64, payload, **wrong):
        # Links of resources to the application are half of the entries of a real capture.
        self.file.write(foz.entry(foz.LINK, self.rng.getrandbits(63), b'{"version":6,"link":{}}'))
        self.file.write(foz.entry(tag, hash64, payload, deflate=len(payload) > 300))
        return hash64

    def new_hash(self):
        return self.rng.getrandbits(63) | 1


def compute_pipeline(writer, rng, kernels):
    number, module = rng.choice(kernels)
    spec = [(0, struct.pack("<I", rng.randrange(3)))] if number % 3 == 0 else None
    size = rng.choice([None, None, None, 16, 32])
    writer.compute(module, spec=spec, subgroup_size=size)


def graphics_pipeline(writer, rng, vertices, fragments, passes):
    vertex, fragment = rng.choice(vertices), rng.choice(fragments)
    stages = [foz.stage(foz.VERTEX, vertex), foz.stage(foz.FRAGMENT, fragment)]
    kind = rng.randrange(100)
    if kind == 0:
        writer.graphics(stages, formats=[37], dynamic=[1000455005])
    elif kind == 1:
        writer.graphics([], chain=[{"sType": 1000290000, "libraries": ["%016x" % vertex]}])
    elif kind == 2:
        stages.insert(1, foz.stage(foz.GEOMETRY, vertex))
        writer.graphics(stages, formats=[37])
    elif kind == 3:
        writer.graphics([stages[0], foz.stage(foz.FRAGMENT, 12345)], formats=[37])
    elif kind < 50:
        writer.graphics(stages, render_pass=rng.choice(passes))
    else:
        writer.graphics(stages, formats=[rng.choice([37, 97])], samples=rng.choice([1, 4]))


def write(path, pipelines, modules, seed):
    rng = random.Random(seed)
    with open(path, "wb") as file:
        writer = FileWriter(file, seed)
        kernels, vertices, fragments = [], [], []
        for i in range(modules):
            if i % 2 == 0:
                code = spirv.compute(i, steps=3 + i % 5, spec_id=0 if i % 3 == 0 else None)
                kernels.append((i, writer.module(code)))
            elif i % 4 == 1:
                vertices.append(writer.module(spirv.vertex(i, outputs=3, steps=1 + i % 3)))
            else:
                fragments.append(writer.module(spirv.fragment(i, 1 + i % 3, 1 + i % 4)))
        passes = [writer.render_pass([f], samples=1) for f in FORMATS if f != 41]
        for i in range(pipelines):
            if i % 2 == 0:
                compute_pipeline(writer, rng, kernels)
            else:
                graphics_pipeline(writer, rng, vertices, fragments, passes)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--pipelines", type=int, default=100000)
    parser.add_argument("--modules", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    write(arguments.file, arguments.pipelines, arguments.modules, arguments.seed)


if __name__ == "__main__":
    main()
