"""Judges vertex programs of gfx1030 that cull, by the interpreter, on draws of meshes (tests/drive/meshes.py).

A program runs twice: told to leave out nothing, and told to leave out back faces, small primitives and what lies
outside. Each time the outputs of the corners of primitives that were exported must be the interpreter's. A primitive
that is left out must cover no sample in the simulator's rasteriser, drawn from the interpreter's positions: those of
its own run, or of one with random rounding (excuses.py), unless random undefined results move one of its corners, or
its exact corners are those of a back face (the rasteriser snaps them to its grid first; programs, RADV's too, do
not), or one distance to clip or to cull by is negative at all its corners. The numbers of primitives by these reasons are told.
"""

import collections
import functools
import glob
import json
import os
import struct

import drives
import excuses
import lavapipe_vertex
import meshes
import sim_interp

REQUEST = 0xf800000e   # back faces, front ones clockwise; small; one sample (core/amd/abi/vertex.h, CullingSetting)
DIGITS = 32   # of a position
COVERS = "is left out though it covers samples"


def positions(run):
    """Returns the positions of an interpreter's result as hexadecimal dwords x, y, z, w of each invocation, or None if
    the program stores no component. Components that it does not store are those of (0, 0, 0, 1)."""
    found = lavapipe_vertex.own_scalars(run)
    columns = [found.get(("out", "position.%d" % c)) for c in range(4)]
    some = next((c for c in columns if c is not None), None)
    if some is None:
        return None
    n = len(some) // 4
    columns = [c if c is not None else b"\0\0\x80\x3f" * n if k == 3 else bytes(4 * n) for k, c in enumerate(columns)]
    return b"".join(c[4 * i:4 * i + 4] for i in range(n) for c in columns).hex()


def moved(mine, others):
    """Returns a 1 for each invocation whose position in `mine` is another one in any of `others`, else a 0."""
    return "".join("1" if any(o[k:k + DIGITS] != mine[k:k + DIGITS] for o in others) else "0"
                   for k in range(0, len(mine), DIGITS))


def outside(run, others):
    """Returns, for each distance to clip or to cull by, a 1 for each invocation in which it is negative, or another
    number in any of `others`, else a 0."""
    mine, more = lavapipe_vertex.own_scalars(run), [lavapipe_vertex.own_scalars(o) for o in others]
    marks = []
    for place in sorted(p for p in mine if p[1].startswith(("clip_distance.", "cull_distance."))):
        data = mine[place]
        values = struct.unpack("<%df" % (len(data) // 4), data)
        marks.append("".join(
            "1" if value < 0 or any(o.get(place, data)[4 * i:4 * i + 4] != data[4 * i:4 * i + 4] for o in more) else "0"
            for i, value in enumerate(values)))
    return marks


def bins_of(folders):
    """Returns (module's path, entry point, width, culls) -> path without ".bin" of programs in folders of dumps."""
    found = {}
    for path in sorted(p for folder in folders for p in glob.glob(os.path.join(folder, "*.launch.json"))):
        with open(path) as f:
            record = json.load(f)
        if record["stage"] == "vertex":
            culls = any(s["what"] == "ngg_culling" for s in record["amd"]["user_sgprs"])
            key = os.path.abspath(record["file"]), record["entry_point"], record["dispatch_width"], culls
            found[key] = path[:-len(".launch.json")]
    return found


class Culling:
    """Compiles modules for culling and runs them; counts outcomes of all."""

    def __init__(self, a):
        self.a = a
        self.bins = bins_of(a.bins or [])
        self.outcomes = collections.Counter()
        self.primitives = self.left_out = 0
        self.by_reason = collections.Counter()

    def compile(self, path, module, rates, folder):
        """Returns (files by width, "" or how the compiler failed). No files: the module may not cull."""
        if self.a.bins:
            return self.of_bins(path, module, True), ""
        own = os.path.join(folder, "culling%s" % "_".join(map(str, rates)))
        os.makedirs(own, exist_ok=True)
        options = ["--culling=on", "--ngg-group=%d" % self.a.ngg_group]
        widths, status, cause = sim_interp.compile_module(self.a, path, module, own, rates, options)
        self.outcomes[status + ": " + cause.split(": ")[-1] if status else "compiled"] += 1
        return widths, "culling: " + cause if status == "broken" else ""

    def of_bins(self, path, module, culls):
        """Returns the files by width of another compiler's programs of the module's entry point, that cull or do not."""
        return {width: stem for (file, entry, width, has_culling), stem in self.bins.items()
                if (file, entry, has_culling) == (os.path.abspath(path), module.entry_name, culls)}

    def plain_bins(self, path, module):
        """Returns (files by width, status, cause) of programs that do not cull: none if there are only those that do."""
        widths = self.of_bins(path, module, False)
        return widths, *(("", "") if widths or self.of_bins(path, module, True) else ("refused", "no program in --bins"))

    def runs_of(self, interpreter, stem, drive, options, tolerance, folder):
        """Returns [(name, run)] of a binary, as sim_graphics.runs_of."""
        job, assembly = meshes.split(drive.job)
        job_path = drives.write_job(job, folder, "draw")
        return [(" told to leave out nothing", functools.partial(sim_interp.simulate, self.a, stem, job_path, assembly)),
                (" culling", functools.partial(self.cull, interpreter, stem, job_path, assembly, options, tolerance, folder))]

    def positions(self, interpreter, job_path, options, tolerance, more, folder):
        """Returns the path of the interpreter's positions, with those of its other runs if `more`; None without any."""
        def run_all(others):
            runs = [interpreter.run(job_path, [*options, *o]) for o in others]
            return [r for r in runs if r["ok"]]

        def of_runs(runs):
            return [p for p in map(positions, runs) if p]

        own = run_all([[]])
        sets = of_runs(own)
        if not sets:
            return None
        undefined = "0" * (len(sets[0]) // DIGITS)
        others = []
        if more:
            others = run_all([[o] for o in excuses.RUNS["undefined"]])
            undefined = moved(sets[0], of_runs(others))
            sets += of_runs(run_all([[*tolerance.loose, o] for o in excuses.RUNS["unstable"]]))
        path = os.path.join(folder, "positions.json")
        with open(path, "w") as f:
            json.dump({"sets": sets, "undefined": undefined, "outside": outside(own[0], others)}, f)
        return path

    def cull(self, interpreter, stem, job_path, assembly, options, tolerance, folder):
        """Returns the result of a run that leaves out primitives."""
        for more in (False, True):
            path = self.positions(interpreter, job_path, options, tolerance, more, folder)
            judged = ["--clip-positions=" + path] if path else []
            got = sim_interp.simulate(self.a, stem, job_path, ["--ngg-culling=%d" % REQUEST, *assembly, *judged])
            if got["ok"] or COVERS not in got["error"]:
                break
        if got["ok"]:
            self.primitives += got["primitives"]
            self.left_out += got["left_out"]
            by = got.get("left_out_by")
            if by:
                last = ["undefined", "snapping", *["a distance"] * (len(by) - 2 - got["sets"])]
                reasons = ["its position", *["rounding"] * (got["sets"] - 1), *last]
                self.by_reason.update({r: 0 for r in reasons})
                for reason, count in zip(reasons, by):
                    self.by_reason[reason] += count
        return got

    def print_counts(self):
        for outcome, count in self.outcomes.most_common():
            print("%5d  compiled for culling: %s" % (count, outcome))
        print("primitives of runs that cull %d, left out %d%s" % (
            self.primitives, self.left_out, "".join(", %s %d" % kv for kv in sorted(self.by_reason.items()))))
