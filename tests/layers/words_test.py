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
        self.assertEqual(self.found("core/front/check/coverage.def", 'LIMIT("tgl", "bindings", 240)'), 1)
        self.assertEqual(self.found("core/mir/mir.h", "enum Generate { kGenerate12 };"), 0)

    def test_code_is_given_its_device(self):
        for line in ("  Work work(Tgl());", "MachineOf(Tgl())", "  .passes = Row<Tgl>::Passes,"):
            self.assertEqual(self.found("core/intel/select/select.cc", line), 1, line)
            self.assertEqual(self.found("core/intel/pipeline/analyze.cc", line), 1, line)
            for path in ("core/intel/device/devices.cc", "core/intel/isa/codes.cc",
                         "core/intel/pipeline/backend.cc",
                         "core/intel/select/testing.cc", "core/intel/select/select_test.cc"):
                self.assertEqual(self.found(path, line), 0, path + line)
        self.assertEqual(self.found("core/intel/select/select.cc", "  // Tgl() is one"), 0)

    def test_neutral_rooms_name_no_target(self):
        rooms = ("core/base/causes.def", "core/front/emit/modes.cc", "core/lir/lir.h", "core/mir/semantics.h",
                 "core/mid/values/simplify.cc", "core/oracle/interp.cc", "core/target/compiled.h",
                 "core/driver/prepare.cc", "client/report/results.h", "server/worker/answer.cc")
        for line in ("// Intel has none", "constexpr int kGrf = 32;  // a GRF", "// at SIMD16", "// on gfx1030",
                     "// on fused EUs", "// an EU", "// waits for an SBID", "// SGPRs and VGPRs", "// wave64",
                     "// Tiger Lake", "// Gen12 has none", "if (target == Target::kTgl) return;",
                     '#include "core/intel/device/device.h"', "// as cr0's denorm modes", "// on hsw"):
            for room in rooms:
                self.assertEqual(self.found(room, line), 1, room + line)
            self.assertEqual(self.found("core/amd/select/select.cc", line.replace("Gen12", "")
                                        .replace('"tgl"', "")), 0, line)
        for line in ("// Mesa unrolls less", "CAPABILITY(RoundToInfinityINTEL, \"vendor_extension\")",
                     "BUILTIN(BaryCoordSmoothAMD, \"\")", "// a wave of requests", "// the euro"):
            self.assertEqual(self.found("core/front/check/coverage.def", line), 0, line)

    def test_words_belong_where_a_row_says(self):
        self.assertEqual(self.found("client/commands/run_command.cc", '"kiln run --target=tgl x.comp\\n"'), 0)
        self.assertEqual(self.found("client/commands/run_command.cc", '"tgl cannot draw with them"'), 1)
        self.assertEqual(self.found("client/report/results.h", '// by name, "SIMD16"'), 0)
        self.assertEqual(self.found("client/report/results.h", "// by name, SIMD16"), 1)
        self.assertEqual(self.found("server/worker/answer.cc", '// by name, "SIMD16"'), 1)
        self.assertEqual(self.found("core/driver/targets.cc", "{&intel::kTglBackend, kTgl}"), 1)
        for line in ('#include "core/amd/pipeline/backend.h"', "{&intel::kTglBackend, &amd::kNavi21Backend};"):
            self.assertEqual(self.found("core/driver/targets.cc", line), 0, line)
            self.assertEqual(self.found("core/driver/compile.cc", line), 1, line)
        self.assertEqual(self.found("core/driver/targets.cc", '#include "core/amd/isa/opcodes.h"'), 1)
        self.assertEqual(self.found("core/driver/compile.h", "bool IsFast(Target t) { return t == kTgl; }"), 1)
        self.assertEqual(self.found("core/driver/analyze.cc", '#include "core/intel/pipeline/analyze.h"'), 1)
        self.assertEqual(self.found("client/compile/run_program.cc", 'StrCat("SIMD", width)'), 1)
        self.assertEqual(self.found("core/mid/testing/testing.h", "// at SIMD16"), 0)
        used = set()
        words.findings("core/driver/compile.h", "enum class Target { kTgl };\n", used)
        self.assertEqual([row[0] for row in used], ["core/driver/compile.h"])

    def test_simulators_are_for_rows(self):
        line = '#include "core/sim/eu/simulator.h"'
        for path in ("client/commands/run_command.cc", "server/worker/answer.cc", "core/driver/simulate.cc",
                     "core/intel/pipeline/schedule.cc", "core/intel/pipeline/backend.cc"):
            self.assertEqual(self.found(path, line), 1, path)
        for path in ("core/intel/pipeline/simulate.cc", "core/amd/pipeline/simulate.cc", "core/sim/eu/launch.cc",
                     "core/intel/pipeline/simulate_test.cc"):
            self.assertEqual(self.found(path, line), 0, path)
        self.assertEqual(self.found("client/run/job.h", '#include "core/sim/scene/dispatch.h"'), 0)

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
