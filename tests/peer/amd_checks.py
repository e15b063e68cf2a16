#!/usr/bin/env python3
"""Checks the launch records of Mesa's binaries for navi21 against the binaries.

usage: amd_checks.py DIR ...     (folders of run-peer navi21 --dump-bin, maybe with listings of --dump-asm)
Prints a line for each contradiction and one of totals; exit status 0 only if there is none. Mesa uses s[104:107],
which ends in VCC, as a register tuple; LLVM disassembles no such code, which is counted and not read.

A program may read no register before it writes it, except those that the record says are filled: that is
found by reading the disassembly from top to bottom. (Undefined values of the shader show as such reads, too.) Loads from a descriptor memory must begin where the record has a
descriptor of their size. Bytes are compared with the driver's listing if there is one.
"""
import json
import os
import re
import struct
import subprocess
import sys

LLVM_MC = next((p for v in ("", "-21", "-20", "-19", "-18", "-17") for p in ("llvm-mc" + v, "/usr/bin/llvm-mc" + v)
                if any(os.access(os.path.join(d, p), os.X_OK) for d in os.environ["PATH"].split(":"))), "llvm-mc")

# Registers that each bit of SPI_PS_INPUT_ADDR takes (gfx103.json; Mesa's radv_shader_args.c).
PS_INPUT_VGPRS = [2, 2, 2, 3, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1]
# SGPRs that each content takes, if not one.
SGPRS = {"scratch_base": 2, "driver_table": 2, "ngg_viewport": 4}


def listing_bytes(text):
    """The bytes of RADV's listing, in which "then repeated N times" stands for copies of the line before."""
    out = b""
    line = b""
    for l in text.splitlines():
        m = re.search(r"\(then repeated (\d+) times\)", l)
        if m:
            out += line * int(m[1])
            continue
        words = l.rsplit(";", 1)[1].split() if ";" in l else []
        if words and all(re.fullmatch(r"[0-9a-fA-F]{8}", w) for w in words):
            line = b"".join(struct.pack("<I", int(w, 16)) for w in words)
            out += line
    return out


def disassemble(code, lanes):
    p = subprocess.run([LLVM_MC, "--disassemble", "--triple=amdgcn", "--mcpu=gfx1030", "--mattr=+wavefrontsize%d" % lanes],
                       input=" ".join("0x%02x" % b for b in code), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return p.stdout, p.stderr


NO_RESULT = re.compile(
    r"s_(cmp_|bitcmp|cbranch|branch|waitcnt|setreg|sendmsg|barrier|nop|endpgm|clause|inst_|setprio|sleep|denorm|round)|"
    r"exp$|v_cmpx|v_nop|buffer_gl|(buffer|tbuffer|global|flat|scratch|image)_(store|atomic)|ds_(?!read|load|swizzle|b?permute|consume|append)")
TWO_RESULTS = re.compile(r"v_(add|sub|subrev)_co_|v_div_scale|v_mad_[ui]64")
RETURNING = re.compile(r"\bglc\b|_rtn_")


def registers(operand):
    """Numbers of the SGPRs and VGPRs that an operand names."""
    found = {"s": set(), "v": set()}
    for kind, one, first, last in re.findall(r"\b([sv])(?:(\d+)\b|\[(\d+):(\d+)\])", operand):
        found[kind] |= {int(one)} if one else set(range(int(first), int(last) + 1))
    return found


def first_reads(text):
    """Registers that are read before an instruction further up has written them."""
    read = {"s": set(), "v": set()}
    written = {"s": set(), "v": set()}
    for l in text.splitlines():
        m = re.match(r"\s+([a-z]\w+)\s*(.*?)\s*(?:;.*|//.*)?$", l)
        if not m or m[1].startswith("."):
            continue
        name, rest = m[1], m[2]
        operands = re.sub(r"\[[^\]]*\]", lambda b: b[0].replace(",", "|"), rest).split(",")
        operands = [o.replace("|", ",") if "[" in o else o for o in operands]
        results = 0 if NO_RESULT.match(name) and not RETURNING.search(l) else 2 if TWO_RESULTS.match(name) else 1
        for o in operands[results:]:
            for kind, numbers in registers(o).items():
                read[kind] |= numbers - written[kind]
        for o in operands[:results]:
            for kind, numbers in registers(o).items():
                written[kind] |= numbers
    return read


def descriptor_loads(text, d):
    """Loads at constant offsets from the descriptor memories, as far as their SGPRs are not written: those
    that begin at no descriptor, or end within one."""
    memories = {u["sgpr"]: u["memory"] for u in d["amd"]["user_sgprs"] if u["what"] == "descriptor_memory"}
    places = {m: {} for m in memories.values()}
    for q in d["descriptor_memory"]:
        for n in range(q["count"]):
            at, image = q["offset"] + n * q["stride"], q["form"] == "image_resource"
            places.get(q["memory"], {})[at] = 32 if image else 16
            if image and q["stride"] > 32:
                places.get(q["memory"], {})[at + 32] = 32    # FMASK
    wrong, count = [], 0
    for l in text.splitlines():
        m = re.match(r"\s+s_load_dwordx(\d+) s\[(\d+):(\d+)\], s\[(\d+):\d+\], (0x[0-9a-f]+|null)$", l)
        if m and int(m[4]) in memories:
            at, size = 0 if m[5] == "null" else int(m[5], 16), 4 * int(m[1])
            have = places[memories[int(m[4])]]
            count += 1
            while size > 0 and have.get(at, size + 1) <= size:
                size -= have[at]
                at += have[at]
            if size:
                wrong.append(l.strip())
        operands = l.split(",")[0]
        for n in registers(operands)["s"]:
            memories.pop(n, None)
    return count, wrong


def given(d):
    """Registers that the record says are filled when a wave starts."""
    amd = d["amd"]
    sgprs = set(range(amd["push_first_sgpr"], amd["push_first_sgpr"] + amd["push_sgprs"]))
    for u in amd["user_sgprs"]:
        sgprs |= set(range(u["sgpr"], u["sgpr"] + SGPRS.get(u["what"], 1)))
    rsrc1, rsrc2 = amd["rsrc1"], amd["rsrc2"]
    if d["stage"] == "vertex":
        gs = range(0, (rsrc1 >> 29 & 3) + 1)
        es = range(5, 5 + (rsrc2 >> 16 & 3) + 1)
        return {"s": sgprs | set(range(2, 8)), "v": set(gs) | set(es)}
    user = rsrc2 >> 1 & 31 | (rsrc2 >> 27 & 1) << 5 if d["stage"] == "fragment" else rsrc2 >> 1 & 31
    scratch = rsrc2 & 1
    if d["stage"] == "fragment":
        system = 1 + (rsrc1 >> 27 & 1) + scratch
        addr = amd["fragment"]["spi_ps_input_addr"]
        vgprs = sum(n for i, n in enumerate(PS_INPUT_VGPRS) if addr >> i & 1)
    else:
        system = bin(rsrc2 >> 7 & 15).count("1") + scratch
        vgprs = (rsrc2 >> 11 & 3) + 1
    return {"s": sgprs | set(range(user, user + system)), "v": set(range(vgprs))}


UNREAD = "LLVM does not disassemble the code"


def problems(record, binary, listing=None):
    """Returns the contradictions in a record (parsed), its binary's file and the driver's listing (text), among them
    UNREAD if the code could not be looked at."""
    out = []
    expect = lambda ok, what: None if ok else out.append(what)
    amd = record["amd"]
    code = open(binary, "rb").read()
    expect(record["code_bytes"] == len(code), "size of the code")
    expect(0 < amd["instruction_bytes"] <= len(code), "size of the instructions")
    if listing is not None:
        text = listing_bytes(listing)
        expect(code[:len(text)] == text and len(text) == amd["instruction_bytes"],
               "the listing has other bytes, %d of %d" % (len(text), amd["instruction_bytes"]))
    granule = 8 if record["dispatch_width"] == 32 else 4
    expect((max(amd["vgprs"], 1) - 1) // granule == amd["rsrc1"] & 63, "VGPRs in rsrc1")
    expect(bool(record["scratch_bytes_per_thread"]) == bool(amd["rsrc2"] & 1), "scratch in rsrc2")
    text, errors = disassemble(code[:amd["instruction_bytes"]], record["dispatch_width"])
    if "invalid instruction encoding" in errors:
        return out + [UNREAD]
    expect(not errors.strip(), "disassembly: " + errors[:200])
    have, read = given(record), first_reads(text)
    for kind in "sv":
        expect(read[kind] <= have[kind], "reads %s, which nothing fills" %
               ", ".join("%s%d" % (kind, n) for n in sorted(read[kind] - have[kind])))
    expect(not descriptor_loads(text, record)[1], "loads no descriptor: " + "; ".join(descriptor_loads(text, record)[1]))
    used = registers(text)["v"]
    expect(not used or max(used) < amd["vgprs"], "uses v%d of %d" % (max(used, default=0), amd["vgprs"]))
    return out


def main():
    count = bad = compared = unread = 0
    for folder in sys.argv[1:]:
        for f in sorted(os.listdir(folder)):
            if not f.endswith(".launch.json"):
                continue
            base = os.path.join(folder, f[:-len(".launch.json")])
            record = json.load(open(os.path.join(folder, f)))
            if "amd" not in record:
                continue
            count += 1
            asm = base + ".Assembly.txt"
            listing = open(asm).read() if os.path.exists(asm) else None
            compared += listing is not None
            found = problems(record, base + ".bin", listing)
            unread += UNREAD in found
            found = [what for what in found if what != UNREAD]
            bad += bool(found)
            for what in found:
                print("%s: %s" % (f, what))
    print("%d records, %d compared with listings, %d with code that LLVM does not read, %d with contradictions" %
          (count, compared, unread, bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
