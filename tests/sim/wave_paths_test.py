"""Tests of wave_paths.py: needs neither llvm-mc nor the simulator."""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import wave_paths  # noqa: E402


def judged(lines, traces, one_cache=False, lanes=32):
    """Returns what waits are needed, by line, and whether the program breaks a rule. `lines`: instructions, 4 bytes each; `traces`:
    for each step (wave, phase, line[, exec]) or an access (space, address, bytes, use)."""
    program = {4 * i: wave_paths.Instruction(*(line.split(" ", 1) + [""])[:2]) for i, line in enumerate(lines)}
    text = []
    for t in traces:
        if isinstance(t[0], str):
            text.append("a %s %x %x %s" % t)
        else:
            text.append("s %x %x %x %x" % (t[0], t[1], 4 * t[2], t[3] if len(t) > 3 else 0xffffffff))
    judge = wave_paths.Judge(program, lanes, one_cache).read(["g"] + text)
    return sorted((offset // 4, counter) for offset, counter in judge.needed), bool(judge.broken)


def straight(*lines):
    return judged(lines, [(0, 0, i) for i in range(len(lines))])


class RegistersTest(unittest.TestCase):

    def test_uses(self):
        load = "global_load_dword v1, v2, s[0:1]"
        wait = "s_waitcnt vmcnt(0)"
        self.assertEqual(straight(load, wait, "v_mov_b32_e32 v3, v1"), ([(1, "vm")], False))
        self.assertEqual(straight(load, wait, "v_mov_b32_e32 v1, v3"), ([(1, "vm")], False))
        self.assertEqual(straight(load, wait, "v_mov_b32_e32 v2, v3"), ([], False))
        self.assertEqual(straight(load, "v_mov_b32_e32 v3, v1"), ([], True))
        self.assertEqual(straight("s_load_dwordx2 vcc, s[2:3], null", "s_waitcnt lgkmcnt(0)", "s_cbranch_vccz 4"),
                         ([(1, "lgkm")], False))

    def test_another_wait_covers_too(self):
        load = "global_load_dword v1, v2, s[0:1]"
        self.assertEqual(straight(load, "s_waitcnt vmcnt(0)", "s_waitcnt vmcnt(0)", "v_mov_b32_e32 v3, v1"), ([], False))
        # A wait for the other counter does not.
        self.assertEqual(straight(load, "s_waitcnt vmcnt(0)", "s_waitcnt lgkmcnt(0)", "v_mov_b32_e32 v3, v1"),
                         ([(1, "vm")], False))

    def test_order(self):
        two = ["buffer_load_dword v1, off, s[0:3], 0", "buffer_load_dword v2, off, s[0:3], 0"]
        self.assertEqual(straight(*two, "s_waitcnt vmcnt(1)", "v_mov_b32_e32 v3, v1"), ([(2, "vm")], False))
        self.assertEqual(straight(*two, "s_waitcnt vmcnt(1)", "v_mov_b32_e32 v3, v2"), ([], True))
        # Scalar loads end in any order.
        two = ["s_load_dword s8, s[0:1], null", "s_load_dword s9, s[0:1], null"]
        self.assertEqual(straight(*two, "s_waitcnt lgkmcnt(1)", "s_mov_b32 s3, s8"), ([], True))
        self.assertEqual(straight(*two, "s_waitcnt lgkmcnt(0)", "s_mov_b32 s3, s8"), ([(2, "lgkm")], False))

    def test_overwritten_by_a_load(self):
        load, sample = "buffer_load_dword v1, off, s[0:3], 0", "image_sample v1, v[4:5], s[8:15], s[0:3] dmask:0x1"
        self.assertEqual(straight(load, "s_waitcnt vmcnt(0)", load), ([], False))
        self.assertEqual(straight(load, "s_waitcnt vmcnt(0)", sample), ([(1, "vm")], False))
        self.assertEqual(straight(load, "s_waitcnt vmcnt(0)", "buffer_atomic_add v1, off, s[0:3], 0 glc"),
                         ([(1, "vm")], False))

    def test_lanes(self):
        lines = ["global_load_dword v1, v2, s[0:1]", "s_waitcnt vmcnt(0)", "v_mov_b32_e32 v1, v3",
                 "v_readlane_b32 s3, v1, s4"]
        steps = [(0, 0, 0, 0xf), (0, 0, 1, 0xf)]
        self.assertEqual(judged(lines, steps + [(0, 0, 2, 0xf0)]), ([], False))
        self.assertEqual(judged(lines, steps + [(0, 0, 3, 0xf0)]), ([(1, "vm")], False))
        for lane, needed in ((3, [(1, "vm")]), (4, [])):
            lines[3] = "v_readlane_b32 s3, v1, %d" % lane
            self.assertEqual(judged(lines, steps + [(0, 0, 3, 0xf0)]), (needed, False))

    def test_why_not(self):
        program = {0: wave_paths.Instruction("s_waitcnt", "vmcnt(0) lgkmcnt(0)"),
                   4: wave_paths.Instruction("ds_write_b32", "v0, v1"), 8: wave_paths.Instruction("s_waitcnt", "lgkmcnt(0)"),
                   12: wave_paths.Instruction("ds_read_b32", "v2, v0"), 16: wave_paths.Instruction("s_waitcnt", "lgkmcnt(0)")}
        judge = wave_paths.Judge(program, 32, False).read("s 0 0 %x ffffffff" % offset for offset in sorted(program))
        self.assertEqual(judge.why_not((0, "vm")), "nothing in flight")
        self.assertEqual(judge.why_not((8, "lgkm")), "stores that no other wave meets behind a barrier")
        self.assertIn("not used", judge.why_not((16, "lgkm")))

    def test_only_the_path_taken(self):
        lines = ["s_load_dword s8, s[0:1], null", "s_waitcnt lgkmcnt(0)", "s_mov_b32 s3, s8", "s_endpgm"]
        self.assertEqual(judged(lines, [(0, 0, 0), (0, 0, 1), (0, 0, 3)]), ([], False))

    def test_unknown_is_refused(self):
        for line in ("flat_load_dword v1, v[2:3]", "s_waitcnt_depctr 0xffe3", "v_movrels_b32_e32 v1, v2"):
            with self.assertRaises(wave_paths.Unknown):
                straight(line)


class BarrierTest(unittest.TestCase):
    LDS = ["ds_write_b32 v0, v1", "s_waitcnt lgkmcnt(0)", "s_barrier", "ds_read_b32 v2, v0", "s_waitcnt lgkmcnt(0)",
           "s_endpgm"]

    def both(self, read_at, lines=None, space="l", reader=1, one_cache=False):
        steps = []
        for wave in (0, 1):
            steps += [(wave, 0, 0), (space, 0x100 + 4 * wave, 4, "w"), (wave, 0, 1), (wave, 0, 2)]
        steps += [(reader, 1, 3), (space, read_at, 4, "r"), (reader, 1, 4), (0, 1, 5), (1, 1, 5)]
        return judged(lines or self.LDS, steps, one_cache)

    def test_another_wave_reads(self):
        self.assertEqual(self.both(0x100), ([(1, "lgkm")], False))
        self.assertEqual(self.both(0x104), ([], False))            # its own
        self.assertEqual(self.both(0x200), ([], False))            # nothing wrote it
        self.assertEqual(self.both(0x104, reader=0), ([(1, "lgkm")], False))

    def test_no_wait(self):
        self.assertEqual(self.both(0x100, ["ds_write_b32 v0, v1", "s_nop 0"] + self.LDS[2:]), ([], True))

    def test_stores(self):
        lines = ["buffer_store_dword v1, off, s[0:3], 0", "s_waitcnt_vscnt null, 0x0", "s_barrier",
                 "buffer_load_dword v2, off, s[0:3], 0", "s_waitcnt vmcnt(0)", "s_endpgm"]
        self.assertEqual(self.both(0x100, lines, "m"), ([(1, "vs")], False))
        self.assertEqual(self.both(0x100, lines, "m", one_cache=True), ([], False))

    def test_the_end_waits(self):
        lines = ["ds_write_b32 v0, v1", "s_endpgm", "s_barrier", "ds_read_b32 v2, v0"]
        steps = [(0, 0, 0), ("l", 0, 4, "w"), (0, 0, 1), (1, 0, 2), (1, 1, 3), ("l", 0, 4, "r"), (1, 1, 1)]
        self.assertEqual(judged(lines, steps), ([], False))


if __name__ == "__main__":
    unittest.main()
