// Runs any bytes through decoder, text, verifier and scoreboard-free program analysis. None may
// crash, and an instruction that decodes and encodes must decode to itself, also from its compacted
// form if it has one.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "core/intel/isa/decode.h"
#include "core/intel/isa/disasm.h"
#include "core/intel/isa/encode.h"
#include "core/intel/isa/flow.h"
#include "core/intel/isa/messages.h"
#include "core/intel/isa/program.h"
#include "core/intel/isa/verify.h"

using namespace kiln::intel::isa;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr Generation gen = Generation::kGen12;
  const auto program = DecodeProgram(gen, absl::MakeSpan(data, size));
  if (!program.ok()) return 0;
  if (!program->empty() && DisassembleProgram(gen, *program).empty()) std::abort();
  if (!program->empty() && !Verify(gen, *program).ok()) std::abort();
  for (const PlacedInstruction& p : *program) {
    FootprintOf(p.inst);
    if (IsSend(p.inst.op)) {
      const SendFields& s = p.inst.send;
      const auto fields = ParseDescriptor(gen, s.sfid, s.desc, s.ex_desc);
      if (fields.ok()) {
        const auto desc = BuildDescriptor(gen, *fields);
        if (desc.ok() && *desc != s.desc) std::abort();
      }
    }
    const auto bytes = Encode(gen, p.inst);
    if (!bytes.ok()) continue;
    Instruction expected = p.inst;
    expected.compacted = false;
    const auto again = Decode(gen, *bytes);
    if (!again.ok() || !(again->inst == expected)) std::abort();
    const auto compacted = EncodeCompacted(gen, p.inst);
    if (!compacted.ok()) std::abort();
    if (!*compacted) continue;
    expected.compacted = true;
    const auto shorter = Decode(gen, **compacted);
    if (!shorter.ok() || !(shorter->inst == expected)) std::abort();
  }
  const auto editable = ToProgram(Generation::kGen12, *program);
  if (editable.ok()) (void)BuildBlocks(*editable);
  return 0;
}
