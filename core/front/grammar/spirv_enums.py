"""Writes the header of SPIR-V's enumerants: the system's, with the rows of spirv_newer.def added.

Usage: spirv_enums.py spirv.hpp11 spirv_newer.def OUT

Newer enumerants are thus named like older ones: spv::Op::OpFmaKHR. Enumerants that the system's
header already has are left unchanged; a kind that it lacks becomes a new enumeration.
"""

import collections
import re
import sys

ROW = re.compile(r'^NEWER_(\w+)\((.*)\)$', re.M)


def rows(text):
    """Yields (macro, [argument, ...]) for each row of spirv_newer.def, strings without their quotes."""
    for macro, arguments in ROW.findall(text):
        yield macro, [a.strip().strip('"') for a in arguments.split(",")]


def enumerants(text):
    """Returns, by enumeration, a list of (name, number as written)."""
    found = collections.OrderedDict()
    for macro, a in rows(text):
        if macro == "CAPABILITY":
            found.setdefault("Capability", []).append((a[1], a[0]))
        elif macro == "INSTRUCTION":
            found.setdefault("Op", []).append((a[1], a[0]))
        elif macro == "ENUMERANT":
            mask = a[1].startswith("0x")
            found.setdefault(a[0] + ("Mask" if mask else ""), []).append((a[2], a[1]))
    return found


def main(header_path, newer_path, out_path):
    with open(header_path) as f:
        header = f.read()
    with open(newer_path) as f:
        newer = enumerants(f.read())
    fresh = []
    for kind, entries in newer.items():
        lines = lambda known: "".join(
            "    %s = %s,\n" % e for e in entries if not re.search(r"\b%s\b" % e[0], known))
        body = re.search(r"enum class %s : unsigned \{\n(.*?)\};" % kind, header, re.S)
        if body is None:
            fresh.append("enum class %s : unsigned {\n%s};\n\n" % (kind, lines("")))
            continue
        at = body.start(1)
        header = header[:at] + lines(body.group(1)) + header[at:]
    first = header.index("enum class ")
    with open(out_path, "w") as f:
        f.write(header[:first] + "".join(fresh) + header[first:])


if __name__ == "__main__":
    main(*sys.argv[1:])
