// Runs any bytes through decoder, text, operands, verifier and encoder. None may crash, and what
// decodes must encode to the same bytes.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "core/amd/isa/decode.h"
#include "core/amd/isa/disasm.h"
#include "core/amd/isa/encode.h"
#include "core/amd/isa/operands.h"
#include "core/amd/isa/verify.h"

using namespace kiln::amd::isa;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::vector<PlacedInstruction> program;
  // A dword that does not decode is skipped, so that it does not hide the rest.
  for (size_t at = 0; at + 4 <= size;) {
    const auto decoded = Decode(absl::MakeConstSpan(data + at, size - at));
    if (!decoded.ok()) {
      at += 4;
      continue;
    }
    const auto bytes = EncodeProgram({decoded->inst});
    if (!bytes.ok() || bytes->size() != static_cast<size_t>(decoded->length)) std::abort();
    for (size_t i = 0; i < bytes->size(); ++i) {
      if ((*bytes)[i] != data[at + i]) std::abort();
    }
    program.push_back({static_cast<uint32_t>(at), decoded->length, decoded->inst});
    at += static_cast<size_t>(decoded->length);
  }
  for (Wave wave : {Wave::k32, Wave::k64}) {
    if (!program.empty() && DisassembleProgram(program, wave).empty()) std::abort();
    Verify(program, wave);
    for (const PlacedInstruction& p : program) OperandsOf(p.inst, wave);
  }
  return 0;
}
