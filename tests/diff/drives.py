"""Drives of modules for the judges: found with the interpreter as scout, cached with lavapipe's results.

The key of a cache entry holds the module's bytes and the seed, so a changed module or another seed starts a
new search. A drive of a later seed begins with the recipe that served the first.
"""

import hashlib
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "drive"))
import drive  # noqa: E402
import peer  # noqa: E402
from spirv_module import Unsupported  # noqa: E402

MAX_STEPS = 1000000000
SCOUT_STEPS = 20000000   # lane steps of a run while looking for a drive
# 1, 2: one seed; races between instructions of one subgroup were not seen. 3: samplers that functions compare
# by did not compare.
CACHE_FORM = 4
TIMEOUT = 120            # seconds for one run of the interpreter
# For graphics stages: Vulkan leaves open whether subnormals are flushed; there lavapipe flushes
# them as the hardware does (in compute shaders it keeps them).
FLUSH = ("--flush",)


def write_job(job, folder, name):
    path = os.path.join(folder, name + ".json")
    with open(path, "w") as f:
        json.dump(job, f)
    return path


def returned(job):
    """Returns the outputs that lavapipe must return."""
    return {(r.get("set", 0), r["binding"], r.get("index", 0)) if "binding" in r
            else (r["name"], 0, 0) for r in job["resources"] if "as" in r}


class Interpreter:
    """mir_run, kept running. `base`: options of all runs."""

    def __init__(self, pool, mir_run, base=()):
        self.pool, self.mir_run, self.base = pool, mir_run, list(base)

    def run(self, job_path, options=()):
        words = ["--max-steps=%d" % MAX_STEPS, *self.base, *options, job_path]
        return self.pool.ask(self.mir_run, words, TIMEOUT)

    def outputs(self, job_path, options):
        """Returns the outputs of a run, or None if it failed."""
        result = self.run(job_path, options)
        return peer.outputs(result) if result["ok"] else None

    def scout(self, folder):
        """Returns `scout` and `doubt` for drive.counted_drive, both by the interpreter. A drive is in doubt if
        results are undefined, accesses race or leave private or shared memory, or if the order of workgroups
        matters."""

        def scout(jobs):
            return [self.run(write_job(job, folder, "scout%d" % k),
                             ["--max-steps=%d" % SCOUT_STEPS]) for k, job in enumerate(jobs)]

        def doubt(job, result):
            if result.get("outside_local_accesses") or result.get("undefined_results"):
                return True
            path = write_job(job, folder, "doubt")
            for options in (["--opposite"], ["--races"]):   # --races: more is known to be undefined
                other = self.run(path, options)
                if (not other["ok"] or other["races"] or other["undefined_results"]
                        or peer.outputs(other) != peer.outputs(result)):
                    return True
            return False

        return scout, doubt


class Remembering:
    """An Interpreter that answers from memory what it has run before: for comparisons of several programs on the jobs of
    one module, whose files do not change meanwhile."""

    def __init__(self, interpreter):
        self.interpreter, self.results = interpreter, {}

    def run(self, job_path, options=()):
        with open(job_path, "rb") as f:
            key = f.read(), tuple(options)
        if key not in self.results:
            self.results[key] = self.interpreter.run(job_path, options)
        return self.results[key]


def read_drive(entry, path, timeout):
    """Returns the drive in a cache's file, or None: also if lavapipe took too long and has more time now."""
    if not os.path.exists(entry):
        return None
    with open(entry) as f:
        d = json.load(f)
    if d.get("form", 1) != CACHE_FORM:
        return None
    if not d["want"] and "time" in d["reason"] and timeout > d["timeout"]:
        return None
    if d.get("job") is None:
        return drive.Drive(reason=d["reason"])
    d["job"]["shader"] = os.path.abspath(path)
    want = d["want"] and {tuple(k): bytes.fromhex(v) for k, v in d["want"]}
    return drive.Drive(d["job"], {tuple(k): [tuple(x) for x in v] for k, v in d["types"]}, want,
                       recipe=d["recipe"], by_moves=d["by_moves"], reason=d["reason"])


def write_drive(entry, found, timeout):
    """Writes the entry atomically: a run may be stopped at any time."""
    with open(entry + ".new", "w") as f:
        json.dump({"form": CACHE_FORM, "reason": found.reason, "job": found.job,
                   "timeout": timeout,
                   "recipe": found.recipe, "by_moves": found.by_moves,
                   "types": found.types and [[list(k), v] for k, v in found.types.items()],
                   "want": found.result and [[list(k), v.hex()] for k, v in found.result.items()]}, f)
    os.replace(entry + ".new", entry)


def cached_drive(path, folder, cache, seed, timeout, interpreter, first_recipe=None, no_lavapipe=False,
                 groups=None):
    """Returns a drive.Drive whose `result` holds lavapipe's outputs, if lavapipe could run it. Without lavapipe,
    only those in the cache; others are the interpreter's alone, in entries of their own. `groups`: workgroups
    of the dispatch instead of the recipe's, with entries of their own."""
    entry = None
    if cache:
        of_groups = ".groups" + "x".join(map(str, groups)) if groups else ""
        with open(path, "rb") as f:
            name = "%s.seed%d%s.json" % (hashlib.sha256(f.read()).hexdigest()[:24], seed, of_groups)
        entry = os.path.join(cache, name)
        found = read_drive(entry, path, timeout)
        if found:
            return found
        if no_lavapipe:
            entry = entry[:-len("json")] + "alone.json"
            found = read_drive(entry, path, timeout)
            if found:
                return found
    scout, doubt = interpreter.scout(folder)
    try:
        found = drive.counted_drive(path, folder, seed, groups, timeout=timeout, scout=scout, doubt=doubt,
                                    specialise=True, first_recipe=first_recipe,
                                    lavapipe=not no_lavapipe)
    except Unsupported as e:
        found = drive.Drive(reason="drive: %s" % e)
    if found.result:
        found.result = peer.outputs(found.result)
    if entry:
        write_drive(entry, found, timeout)
    return found


def drives_of(path, folder, cache, seeds, timeout, interpreter, no_lavapipe=False, groups=None):
    """Returns one drive for each seed. If the first seed has none, the others are not looked for."""
    found = []
    for seed in seeds:
        recipe = found[0].recipe if found else None
        found.append(cached_drive(path, folder, cache, seed, timeout, interpreter, recipe,
                                  no_lavapipe, groups))
        if found[0].job is None:
            break
    return found
