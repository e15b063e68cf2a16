"""Runs jobs on lavapipe through tests/peer/run-peer. PEER_BUILD names the folder with its builds."""

import json
import os
import subprocess

RUN_PEER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "peer", "run-peer")


def run(job, folder, timeout=60):
    """The result of one job: {"ok": true, ...} or {"ok": false, "error": ...}."""
    path = os.path.join(folder, "job.json")
    with open(path, "w") as f:
        json.dump(job, f)
    try:
        p = subprocess.run([RUN_PEER, "exec", "--timeout", str(timeout), path],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout + 10)
    except subprocess.TimeoutExpired:
        return {"ok": False, "error": "timeout"}
    lines = p.stdout.decode(errors="replace").strip().splitlines()
    if not lines:
        return {"ok": False, "error": "exit %d: %s" % (p.returncode,
                                                       p.stderr.decode(errors="replace")[-200:])}
    try:
        return json.loads(lines[-1])
    except ValueError:
        return {"ok": False, "error": "unreadable output"}


def outputs(result):
    """(set, binding, index) or name -> bytes of everything returned as hex."""
    found = {}
    for r in result.get("resources", result.get("outputs", [])):
        key = (r["name"] if "binding" not in r
               else (r.get("set", 0), r["binding"], r.get("index", 0)))
        data = r.get("hex", r.get("data"))
        if isinstance(data, str):
            found[key] = bytes.fromhex(data)
    return found
