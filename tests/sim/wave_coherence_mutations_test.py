"""Tests of wave_coherence_mutations.py that need neither Mesa's binaries nor the simulator."""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import wave_coherence_mutations as mutations  # noqa: E402

# llvm-mc 19
BUFFER_LOAD = 0xe030d000   # buffer_load_dword v1, v2, s[8:11], 0 offen glc dlc
GLOBAL_LOAD = 0xdc319000   # global_load_dword v1, v[2:3], off glc dlc
IMAGE_LOAD = 0xf0002188    # image_load v1, v[2:3], s[8:15] dmask:0x1 dim:SQ_RSRC_IMG_2D glc dlc
BUFFER_STORE = 0xe0705000  # buffer_store_dword v1, v2, s[8:11], 0 offen glc
WAIT = 0xbf8c3f70          # s_waitcnt vmcnt(0)


def code_of(*words):
    return b"".join(word.to_bytes(4, "little") for word in words)


class MutationsTest(unittest.TestCase):

    def test_bits_of_loads(self):
        for word, without in ((BUFFER_LOAD, (0xe0309000, 0xe0305000, 0xe0301000)),
                              (GLOBAL_LOAD, (0xdc309000, 0xdc318000, 0xdc308000)),
                              (IMAGE_LOAD, (0xf0000188, 0xf0002108, 0xf0000108))):
            found = list(mutations.bit_mutations(code_of(word), {(0, "load"), (0, "far load")}))
            self.assertEqual(found, [(0, "load glc", without[0]), (0, "load dlc", without[1]),
                                     (0, "load glc dlc", without[2])])

    def test_dlc_is_needed_for_other_arrays_only(self):
        found = [what for _, what, _ in mutations.bit_mutations(code_of(BUFFER_LOAD), {(0, "load")})]
        self.assertEqual(found, ["load glc", "load glc dlc"])

    def test_stores_and_what_is_not_needed(self):
        code = code_of(BUFFER_STORE, BUFFER_LOAD)
        self.assertEqual(list(mutations.bit_mutations(code, {(0, "store")})), [(0, "store glc", 0xe0701000)])
        self.assertEqual(list(mutations.bit_mutations(code, set())), [])

    def test_waits(self):
        code = code_of(WAIT, WAIT)
        self.assertEqual(list(mutations.wait_mutations(code, [0, 4], {(4, "vmcnt")})), [(4, "vmcnt", 0xbf8cff7f)])


if __name__ == "__main__":
    unittest.main()
