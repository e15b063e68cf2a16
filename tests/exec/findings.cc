#include "tests/exec/findings.h"

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "core/amd/isa/verify.h"
#include "core/amd/perf/program.h"
#include "core/intel/isa/decode.h"
#include "core/intel/isa/verify.h"

namespace kiln::exec {
namespace {

std::string Line(const Variant& v, uint32_t offset, absl::string_view text) {
  return absl::StrCat(v.name, ": byte ", offset, ": ", text, "\n");
}

std::string OfTgl(const Variant& v) {
  constexpr auto kGen = intel::isa::Generation::kGen12;
  const auto placed = intel::isa::DecodeProgram(kGen, v.code);
  if (!placed.ok()) return absl::StrCat(v.name, ": ", placed.status().message(), "\n");
  const auto findings = intel::isa::Verify(kGen, *placed);
  if (!findings.ok()) return absl::StrCat(v.name, ": ", findings.status().message(), "\n");
  std::string text;
  for (const auto& f : *findings) text += Line(v, static_cast<uint32_t>(f.offset), f.text);
  return text;
}

std::string OfGfx1030(const Variant& v) {
  const auto placed = amd::DecodeCode(v.code);
  if (!placed.ok()) return absl::StrCat(v.name, ": ", placed.status().message(), "\n");
  const auto wave = v.width == 64 ? amd::isa::Wave::k64 : amd::isa::Wave::k32;
  std::string text;
  for (const auto& f : amd::isa::Verify(*placed, wave)) text += Line(v, f.offset, f.text);
  return text;
}

}  // namespace

std::string Findings(Target target, const Variant& variant) {
  return target == Target::kGfx1030 ? OfGfx1030(variant) : OfTgl(variant);
}

}  // namespace kiln::exec
