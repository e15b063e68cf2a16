#include "core/amd/pipeline/read_code.h"

#include <utility>

#include "absl/status/status.h"
#include "core/amd/perf/program.h"
#include "core/amd/pipeline/code_object.h"
#include "core/amd/pipeline/recorded.h"

namespace kiln::amd {
namespace {

absl::StatusOr<ReadProgram> ReadBare(absl::Span<const uint8_t> code,
                                     const out::LaunchRecord* record, bool wave64) {
  std::optional<Recorded> recorded;
  if (record != nullptr) {
    absl::StatusOr<Recorded> read = ReadRecord(*record, code.size());
    if (!read.ok()) return read.status();
    recorded = *read;
    code = code.first(recorded->instruction_bytes);
  }
  if (recorded && wave64 && recorded->wave != isa::Wave::k64) {
    return absl::FailedPreconditionError("waves of 32 lanes; --wave64 says 64");
  }
  auto program = DecodeCode(code);
  if (!program.ok()) return program.status();
  ReadProgram read;
  read.wave = recorded ? recorded->wave : wave64 ? isa::Wave::k64 : WaveShownBy(*program);
  if (recorded) read.recorded = recorded->facts;
  read.program = *std::move(program);
  return read;
}

}  // namespace

absl::StatusOr<ReadProgram> ReadCode(absl::Span<const uint8_t> code,
                                     const out::LaunchRecord* record, bool wave64) {
  if (!IsCodeObject(code)) return ReadBare(code, record, wave64);
  const auto object = ReadCodeObject(code);
  if (!object.ok()) return object.status();
  const auto own = RecordOfCodeObject(code);
  if (!own.ok()) return own.status();
  return ReadBare(object->kernel.code, &*own, wave64);
}

}  // namespace kiln::amd
