"""Checks the arrows between rooms in the build graph, and draws the rooms.

layers.py GRAPH                 checks; ends with 1 and a line per wrong arrow
layers.py GRAPH --picture README checks also that README holds the picture that is drawn now
layers.py GRAPH --ascii | --dot draws

GRAPH is the output of `bazel query --output=graph --nograph:factored` for the shipped targets, with every
library that one of them links. A room is a folder with all folders in it that are no rooms themselves.
Visibility in BUILD files says which folders may use a room; this check reads which ones do, and so also
finds an arrow for which a BUILD file was widened.
"""

import re
import sys

# Room -> the rooms that it may use. Rooms that are not listed may not be used, and every folder
# must be in a room. Highest first: a room uses only rooms below it.
ALLOWED = {
    "client": {"server/worker", "server/key", "server/manual", "proto", "core/driver", "core/target", "core/out", "core/base", "core/sim/scene"},
    "server": {"server/worker", "server/key", "server/manual", "proto", "core/out", "core/base"},
    "server/worker": {"proto", "core/driver", "core/target", "core/front", "core/out", "core/base"},
    "server/key": {"proto", "core/base"},
    "server/manual": set(),
    "proto": {"core/out", "core/base"},
    "core/driver": {"core/front", "core/amd/pipeline", "core/intel/pipeline", "core/target", "core/mid", "core/mir",
                    "core/out", "core/base"},
    # Its row hands the simulator to the driver.
    "core/intel/pipeline": {"core/intel/" + room for room in (
        "select", "messages", "optimise", "emit", "swsb", "waits", "perf", "abi", "lir", "device",
        "isa")} | {
            "core/sim/eu", "core/target", "core/mid", "core/lir", "core/mir", "core/out", "core/base"},
    "core/amd/pipeline": {"core/amd/" + room for room in ("select", "cull", "optimise", "emit", "waits", "perf", "abi", "lir", "device", "isa")} | {
        "core/sim/rdna2", "core/sim/scene", "core/target", "core/mid", "core/lir", "core/mir", "core/out", "core/base"},
    "core/amd/select": {"core/amd/abi", "core/amd/cull", "core/amd/device", "core/amd/lir", "core/amd/isa", "core/mid", "core/lir", "core/mir", "core/base"},
    "core/amd/cull": {"core/amd/abi", "core/mid", "core/mir", "core/base"},
    "core/amd/optimise": {"core/amd/emit", "core/amd/lir", "core/amd/isa", "core/lir", "core/base"},
    "core/amd/waits": {"core/amd/emit", "core/amd/isa", "core/base"},
    "core/amd/emit": {"core/amd/lir", "core/amd/isa", "core/lir", "core/base"},
    "core/amd/lir": {"core/amd/perf", "core/amd/isa", "core/lir", "core/base"},
    "core/amd/abi": {"core/mir", "core/out", "core/target", "core/base"},
    "core/intel/select": {"core/intel/abi", "core/intel/lir", "core/intel/isa", "core/mid",
                          "core/lir", "core/mir", "core/base"},
    "core/intel/messages": {"core/intel/lir", "core/intel/device", "core/intel/isa", "core/lir", "core/base"},
    "core/intel/optimise": {"core/intel/lir", "core/intel/isa", "core/lir", "core/base"},
    "core/intel/emit": {"core/intel/abi", "core/intel/lir", "core/intel/device", "core/intel/isa", "core/intel/perf",
                        "core/lir", "core/mir", "core/base"},
    "core/intel/swsb": {"core/intel/isa", "core/base"},
    "core/intel/waits": {"core/intel/isa", "core/base"},
    "core/intel/lir": {"core/intel/perf", "core/intel/device", "core/intel/isa", "core/lir", "core/mir", "core/base"},
    "core/intel/perf": {"core/intel/device", "core/intel/isa", "core/base"},
    "core/intel/abi": {"core/intel/device", "core/mir", "core/out", "core/target", "core/base"},
    "core/intel/device": {"core/intel/isa"},
    "core/target": {"core/sim/scene", "core/mid", "core/mir", "core/out", "core/base"},
    "core/front": {"core/mir", "core/base"},
    "core/mid": {"core/mir", "core/base"},
    "core/oracle": {"core/mir", "core/base"},
    "core/sim/eu": {"core/sim/scene", "core/intel/isa", "core/out", "core/base"},
    "core/sim/scene": {"core/out", "core/base"},
    "core/intel/isa": {"core/base"},
    "core/sim/rdna2": {"core/sim/scene", "core/amd/isa", "core/out", "core/base"},
    "core/amd/perf": {"core/amd/isa", "core/base"},
    "core/amd/device": set(),
    "core/amd/isa": set(),
    "core/lir": {"core/base"},
    "core/mir": {"core/base"},
    "core/out": {"core/base"},
    "core/base": set(),
}

# For tests alone: shipped programs link none of these, whichever room may use them.
UNSHIPPED = {"core/oracle", "tests"}

# Arrows of ALLOWED that should not exist, with the reason why they do. An arrow that is listed here
# and no longer exists is an error too.
TO_BE_STRUCK_OFF = {}

# Folders that say how the build is made; they are no part of a program.
IGNORED = {"deploy/bazel"}

EDGE = re.compile(r'"//([^:"]*):[^"]*" -> "//([^:"]*):[^"]*"')


def room_of(folder):
    """Returns the innermost room that the folder lies in; None for one in no room."""
    while folder:
        if folder in ALLOWED or folder in UNSHIPPED:
            return folder
        folder = folder.rpartition("/")[0]
    return None


def arrows_of(graph):
    """Returns {(room, room): (folder, folder)}, with one pair of folders for each; raises on no edges."""
    arrows = {}
    for user, used in EDGE.findall(graph):
        if user in IGNORED or used in IGNORED:
            continue
        pair = (room_of(user) or user, room_of(used) or used)
        if pair[0] != pair[1]:
            arrows.setdefault(pair, (user, used))
    if not arrows:
        raise ValueError("no arrows: not a graph of this build")
    return arrows


def wrong_arrows(arrows, struck_off=None):
    struck_off = TO_BE_STRUCK_OFF if struck_off is None else struck_off
    wrong = []
    for (user, used), example in sorted(arrows.items()):
        place = " (%s -> %s)" % example
        if used in UNSHIPPED or user in UNSHIPPED:
            wrong.append("what ships uses %s, which is for tests%s" % (used, place))
        elif user not in ALLOWED or used not in ALLOWED:
            wrong.append("a folder is in no room%s" % place)
        elif used not in ALLOWED[user]:
            wrong.append("%s may not use %s%s" % (user, used, place))
    for user, used in sorted(struck_off):
        if (user, used) not in arrows:
            wrong.append("%s -> %s is gone: strike it off TO_BE_STRUCK_OFF and ALLOWED" % (user, used))
    return wrong


def uses_of(arrows):
    uses = {}
    for user, used in arrows:
        uses.setdefault(user, set()).add(used)
        uses.setdefault(used, set())
    return uses


def reach(uses, room):
    """Returns all rooms that `room` uses, directly or not."""
    seen, left = set(), list(uses[room])
    while left:
        at = left.pop()
        if at not in seen:
            seen.add(at)
            left += uses[at]
    return seen


def direct(uses, room):
    """Returns the arrows of `room` that no longer path replaces."""
    return sorted(used for used in uses[room]
                  if not any(used in reach(uses, other) for other in uses[room] if other != used))


def ascii_picture(arrows):
    """Returns rooms by height, each above all that it uses; without arrows that a longer path replaces."""
    uses = uses_of(arrows)
    heights = {}
    for room in sorted(uses, key=lambda r: len(reach(uses, r))):
        heights[room] = 1 + max((heights[used] for used in uses[room]), default=-1)
    lines, last = [], None
    for room in sorted(uses, key=lambda r: (-heights[r], r)):
        height = "%2d" % heights[room] if heights[room] != last else "  "
        last = heights[room]
        lines.append(("    %s  %-20s -> %s" % (height, room, " ".join(direct(uses, room)) or "-")))
    return "\n".join(lines) + "\n"


def dot_picture(arrows):
    uses = uses_of(arrows)
    lines = ['  "%s" -> "%s";' % (room, used) for room in sorted(uses) for used in direct(uses, room)]
    return "digraph layers {\n" + "\n".join(lines) + "\n}\n"


def main(arguments):
    with open(arguments[0], encoding="utf-8") as file:
        arrows = arrows_of(file.read())
    wrong = wrong_arrows(arrows)
    for line in wrong:
        print(line)
    if wrong:
        return 1
    if "--ascii" in arguments:
        print(ascii_picture(arrows), end="")
    if "--dot" in arguments:
        print(dot_picture(arrows), end="")
    if "--picture" in arguments:
        readme = arguments[arguments.index("--picture") + 1]
        with open(readme, encoding="utf-8") as file:
            if ascii_picture(arrows) not in file.read():
                print("%s does not hold this picture:\n%s" % (readme, ascii_picture(arrows)))
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
