"""Words that only some rooms may use: targets, their makers and units, generations of the hardware,
simulators, bits of descriptors, names of statistics.

  words.py ROOT      prints each use in another room; exit status 1 if there is one

Tests may use them; comments may not, since the next target or generation would make them untrue.
"""
import os
import re
import sys

# A generation, or a device's name as text.
GENERATION = re.compile(r'\bk?Gen ?(7p5|7\.5|9|11|12)(?![0-9])|"tgl"')
MAY_NAME_GENERATIONS = (
    "core/intel/isa/",              # encodings, restrictions, messages, errata by generation
    "core/intel/device/",           # the table of devices
    "core/intel/pipeline/backend",  # the rows to which the driver's table of targets points
    "core/sim/eu/",                 # a simulator of one generation
    "core/out/",                    # defines the values that the records' names stand for
)
# A target, a maker of hardware, or a word that only its manuals use; and the rooms in which no
# target may show. Measurements of other compilers' code name no target: Mesa may be named.
TARGET = re.compile(
    r'\b(Intel|intel|AMD|amd|Radeon|RDNA ?[0-9]*|GCN|gfx[0-9]+|tgl|skl|hsw|k?Tgl\w*|'
    r'k?Gen ?(7p5|7\.5|9|11|12)|Tiger ?Lake|Skylake|Haswell|'
    r'EUs?|GRFs?|[SV]GPRs?|SIMD ?[0-9]*|SBIDs?|SWSB|URB|VUE|SLM|LDS|VCC|cr0|'
    r'[Ww]ave(32|64|fronts?))\b')
NEUTRAL = ("core/base/", "core/front/", "core/lir/", "core/mir/", "core/mid/", "core/oracle/",
           "core/target/", "core/driver/", "client/", "server/")
# Where such words belong all the same: the room, the part of a line that may have them, and why.
BELONGS = (
    ("core/driver/compile.h", r'^enum class Target\b.*', "the enumeration of targets"),
    ("core/driver/targets.cc", r'\bcore/\w+/pipeline/backend\.h|\b\w+::k\w+Backend\b',
     "the table of back ends"),
    ("core/lir/random_scalar_program.cc", r'\bVCC\b', "programs of the tests' scalar machine"),
    ("core/lir/testing_scalar_ops.def", r'\bVCC\b', "operations of the tests' scalar machine"),
    ("client/", r'--target=[a-z0-9,]+|out/\S+\.tgl\.[0-9]+\.', "commands that a user can copy"),
    ("server/config/", r'--target=[a-z0-9,]+', "a command that a user can copy"),
    ("client/", r'//.*"[^"]*"', "examples, in comments, of what a user reads or writes"),
)

# A device by name: code of the back end is given the device that it works for.
DEVICE_BY_NAME = re.compile(r'\bTgl\(\)|<Tgl>')
TAKES_DEVICES = "core/intel/"
MAY_NAME_DEVICES = (
    "core/intel/device/",           # the table of devices
    "core/intel/isa/",              # encodings by generation
    "core/intel/pipeline/backend.cc",  # the rows of the driver's table
)

# Code that composes or splits a descriptor's fields: only isa/messages may.
DESCRIPTOR = re.compile(r'\bdesc\b[^;]*(<<|>>|(?<![|])[|](?![|])|(?<!&)&(?!&))|(<<|>>)[^;]*\bdesc\b')
MAY_PACK_DESCRIPTORS = (
    "core/intel/isa/",
)

# Simulators judge what back ends make: a back end's row hands its own on, and nothing else uses one.
SIMULATOR = re.compile(r'#include "core/sim/(?!scene/)')
MAY_INCLUDE_SIMULATORS = re.compile(r'core/sim/|core/\w+/pipeline/simulate\.cc$')

# Statistics are rows that a back end declares; what is above the core takes them as data.
DECLARES_STATISTICS = re.compile(r'core/\w+/pipeline/statistics\.cc$|core/target/statistic_rows\.h$')
ROW = re.compile(r'(?:\.name = |\b\w+Row\(\s*)"([a-z0-9_]+)"')
TAKES_STATISTICS_AS_DATA = ("client/", "server/")
# Metrics over all targets have fixed names, and so has what they add up: one file says what that is.
ADDS_STATISTICS_UP = ("server/cache/result_tag.cc",)
# Other things that have the name of a statistic: (path, name).
HOMONYMS = (
    ("client/commands/run_command.cc", "instructions"),   # that the simulator executed
    ("client/trace/render_json.cc", "cycles"),            # of a wait, or a timeline
    ("client/trace/render_json.cc", "instructions"),      # of a timeline
    ("client/trace/render_text.cc", "cycles"),
    ("client/run/vertices.cc", "bytes"),                  # of outputs
    ("server/event_log.cc", "bytes"),                     # that an event is about
    ("server/request/request.cc", "bytes"),               # the unit of a bound
    ("server/metrics/rows_cache.cc", "bytes"),            # the unit of a metric
    ("server/metrics/rows_compiler.cc", "bytes"),
    ("server/metrics/rows_service.cc", "bytes"),
    ("server/rpc/ending.h", "bytes"),                     # of a request
)


def code_of(line):
    return line.split("//", 1)[0]


def is_test(path):
    return re.search(r'(_test|_fuzz|testing[a-z_]*)\.(cc|h)$|/testing/', path) is not None


def names_target(path, line, used):
    """Returns whether a word of a target stays without the parts that belong there; adds to `used`
    the rows of BELONGS that took one away."""
    for row in BELONGS:
        room, part, _ = row
        if path.startswith(room) and TARGET.search(line):
            line, count = re.subn(part, "", line)
            if count:
                used.add(row)
    return TARGET.search(line) is not None


def findings(path, text, used=None):
    """Returns the lines of the file `path`, below the root, with words that its room may not use."""
    used = set() if used is None else used
    if is_test(path):
        return []
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if path.startswith(NEUTRAL):
            if names_target(path, line, used):
                found.append("%s:%d: names a target: %s" % (path, number, line.strip()))
        elif GENERATION.search(line) and not path.startswith(MAY_NAME_GENERATIONS):
            found.append("%s:%d: names a generation: %s" % (path, number, line.strip()))
        if SIMULATOR.search(line) and not MAY_INCLUDE_SIMULATORS.match(path):
            found.append("%s:%d: uses a simulator: %s" % (path, number, line.strip()))
        if (DEVICE_BY_NAME.search(code_of(line)) and path.startswith(TAKES_DEVICES)
                and not path.startswith(MAY_NAME_DEVICES)):
            found.append("%s:%d: names a device: %s" % (path, number, line.strip()))
        if DESCRIPTOR.search(code_of(line)) and not path.startswith(MAY_PACK_DESCRIPTORS):
            found.append("%s:%d: bits of a descriptor: %s" % (path, number, line.strip()))
    return found


def statistic_names(root):
    """Returns the names of all rows of statistics, of all back ends."""
    names = set()
    for folder, _, files in os.walk(os.path.join(root, "core")):
        for name in files:
            path = os.path.join(folder, name)
            if DECLARES_STATISTICS.search(path):
                with open(path, encoding="utf-8") as file:
                    names.update(ROW.findall(file.read()))
    return names


def statistic_findings(path, text, names):
    """Returns the lines of the file `path`, below the root, that name a statistic: as a text in quotes, or as a
    field."""
    if is_test(path) or "/testing/" in path or not path.startswith(TAKES_STATISTICS_AS_DATA) \
            or path in ADDS_STATISTICS_UP:
        return []
    words = [name for name in sorted(names) if (path, name) not in HOMONYMS]
    if not words:
        return []
    any_of = "(%s)" % "|".join(words)
    use = re.compile(r'"%s\\?"|\bstatistics(\.|->)%s\b|(\.|->)(set_)?%s\(' % (any_of, any_of, any_of))
    return ["%s:%d: names a statistic: %s" % (path, number, line.strip())
            for number, line in enumerate(text.splitlines(), 1) if use.search(code_of(line))]


def all_statistic_findings(root):
    names = statistic_names(root)
    if len(names) < 5:
        return ["%s: only %d statistics are declared; where are they?" % (root, len(names))]
    found = []
    for top in TAKES_STATISTICS_AS_DATA:
        for folder, _, files in sorted(os.walk(os.path.join(root, top))):
            for name in sorted(files):
                if not name.endswith((".cc", ".h", ".def", ".inc")):
                    continue
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as file:
                    found += statistic_findings(os.path.relpath(path, root), file.read(), names)
    return found


def all_findings(root):
    found = all_statistic_findings(root)
    used = set()
    seen = 0
    for top in ("core", "client", "server"):
        for folder, _, names in sorted(os.walk(os.path.join(root, top))):
            for name in sorted(names):
                if not name.endswith((".cc", ".h", ".def", ".inc")):
                    continue
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as file:
                    found += findings(os.path.relpath(path, root), file.read(), used)
                seen += 1
    for row in BELONGS:
        if row not in used:
            found.append("tests/layers/words.py: nothing needs the row %s any more" % (row,))
    if seen < 100:
        found.append("%s: only %d files; is this the repository?" % (root, seen))
    return found


def main():
    found = all_findings(sys.argv[1])
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
