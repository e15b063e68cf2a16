"""Made-up lines that words.py must find, and those that it must not."""
import unittest

from tests.layers import words


class WordsTest(unittest.TestCase):

    def found(self, path, line):
        return len(words.findings(path, line + "\n"))

    def test_generations_have_their_rooms(self):
        for line in ("constexpr auto kGen = isa::Generation::kGen12;", 'r.target = "tgl";',
                     "if (gen == Generation::kGen9) {", "  // Gen7.5 has none"):
            self.assertEqual(self.found("core/intel/abi/launch.cc", line) +
                             self.found("core/driver/compile.cc", line), 2, line)
            self.assertEqual(self.found("core/intel/isa/codes.cc", line), 0)
            self.assertEqual(self.found("core/intel/device/devices.cc", line), 0)
            self.assertEqual(self.found("core/intel/abi/launch_test.cc", line), 0)
        self.assertEqual(self.found("core/driver/compile.cc", "// Gen9 has none"), 1)
        self.assertEqual(self.found("core/mir/mir.h", "enum Generate { kGenerate12 };"), 0)

    def test_neutral_rooms_name_no_target(self):
        for line in ("// Intel has none", "constexpr int kGrf = 32;  // a GRF", "// at SIMD16", "// on gfx1030"):
            self.assertEqual(self.found("core/mid/values/simplify.cc", line), 1, line)
            self.assertEqual(self.found("core/intel/abi/launch.cc", line), 0, line)
        self.assertEqual(self.found("core/mid/values/simplify.cc", "// Mesa unrolls less"), 0)

    def test_descriptors_are_packed_in_one_room(self):
        for line in ("  e.send.desc = control | rlen << 20 | mlen << 25;",
                     "const uint32_t type = inst.send.desc >> 14 & 31;",
                     "aux.control = type << 14 | desc;"):
            self.assertEqual(self.found("core/intel/emit/emit.cc", line), 1, line)
            self.assertEqual(self.found("core/intel/isa/messages.cc", line), 0)
        for line in ("if (!send.desc_is_register && fields.ok()) return;", "// desc | bits",
                     "const auto f = Parse(gen, send.sfid, send.desc, send.ex_desc);",
                     "if (desc && other) return;"):
            self.assertEqual(self.found("core/intel/emit/emit.cc", line), 0, line)

    def test_statistics_are_data_above_the_core(self):
        def found(path, line):
            return len(words.statistic_findings(path, line + "\n", {"sends", "registers", "instructions"}))
        for line in ('json->IntMember("sends", s.sends());', 'n = variant.statistics().registers();',
                     "to->set_registers(from.registers);", '"  {\\"name\\", \\"sends\\", ...}\\n"',
                     "a = b.statistics.sends;", 'x = {"a", "registers", "b"};'):
            self.assertEqual(found("client/output/result_json.cc", line), 1, line)
            self.assertEqual(found("server/worker/answer.cc", line), 1, line)
            self.assertEqual(found("client/output/result_json_test.cc", line), 0, line)
            self.assertEqual(found("core/intel/pipeline/statistics.cc", line), 0, line)
        for line in ("// a client that \"sends\" much", '"a daemon that sends nothing"', "if (sends(owner)) return;",
                     '"instructions_delta"', "record->set_instructions_before(1);"):
            self.assertEqual(found("client/output/result_json.cc", line), 0, line)
        self.assertEqual(found("client/commands/run_command.cc", '{"instructions", stats.instructions}'), 0)
        self.assertEqual(found("client/commands/run_command.cc", '{"sends", stats.sends}'), 1)


if __name__ == "__main__":
    unittest.main()
