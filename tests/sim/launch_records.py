"""Reads launch records for the scripts here (tests/peer/README.md, "Launch records")."""

import glob
import json
import os


def of_stage(folder, stage):
    """Yields the path and contents of each launch record of a stage in a folder, in order of names."""
    for path in sorted(glob.glob(os.path.join(folder, "*.launch.json"))):
        with open(path) as f:
            record = json.load(f)
        if record["stage"] == stage:
            yield path, record


def reads_descriptors(record):
    """Tells whether the program reads descriptors from memory. Mesa's records list that memory whether or not it does,
    and say so in the driver's words; Kiln's list it only then."""
    messages = record.get("messages")
    return messages["reads_descriptors"] if messages else bool(record.get("descriptor_memory"))


def kinds_in_table(record):
    """Returns the kinds of resources that the binding table has."""
    resources = record["resources"]
    return {resources[e.get("resource", 0)]["kind"] for e in record["intel"]["binding_table"] if e["what"] == "resource"}
