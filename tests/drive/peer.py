"""Runs jobs on lavapipe through tests/peer/run-peer. PEER_BUILD names the folder with its builds."""

import json
import os
import subprocess

RUN_PEER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "peer", "run-peer")


def run_many(jobs, folder, timeout=60):
    """Results of jobs, in order: {"ok": true, ...} or {"ok": false, "error": ...}. `timeout`: seconds of
    processor time for each. One process runs
    them all (starting lavapipe takes longer than a small job); if it dies, the rest fails."""
    paths = []
    for k, job in enumerate(jobs):
        paths.append(os.path.join(folder, "job%d.json" % k))
        with open(paths[-1], "w") as f:
            json.dump(job, f)
    lines, error = [], "no output"
    try:
        p = subprocess.run([RUN_PEER, "exec", "--timeout", str(timeout), *paths],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           timeout=10 * timeout * len(jobs) + 10)
        lines = p.stdout.decode(errors="replace").strip().splitlines()
        error = "exit %d: %s" % (p.returncode, p.stderr.decode(errors="replace")[-200:])
    except subprocess.TimeoutExpired as e:
        lines, error = (e.stdout or b"").decode(errors="replace").splitlines(), "timeout"
    results = []
    for line in lines[:len(jobs)]:
        try:
            results.append(json.loads(line))
        except ValueError:
            results.append({"ok": False, "error": "unreadable output"})
    return results + [{"ok": False, "error": error}] * (len(jobs) - len(results))


def run(job, folder, timeout=60):
    """The result of one job."""
    return run_many([job], folder, timeout)[0]


def key_of(output):
    """Returns (set, binding, index) of an output; buffers reached by address have the key (name, 0, 0)."""
    if "binding" not in output:
        return output["name"], 0, 0
    return output.get("set", 0), output["binding"], output.get("index", 0)


def outputs(result):
    """Returns key_of -> bytes of everything returned as hex."""
    found = {}
    for r in result.get("resources", result.get("outputs", [])):
        key = key_of(r)
        data = r.get("hex", r.get("data"))
        if isinstance(data, str):
            found[key] = bytes.fromhex(data)
    return found
