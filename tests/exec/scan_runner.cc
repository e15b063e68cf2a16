#include "tests/exec/scan_runner.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "core/amd/device/testing.h"
#include "core/amd/pipeline/backend.h"
#include "core/amd/pipeline/compile.h"
#include "core/driver/prepared.h"
#include "core/driver/simulate.h"
#include "core/mir/parse.h"
#include "core/oracle/interp.h"

namespace kiln::exec {
namespace {

using amd::ScanForm;
using amd::ScanShape;

// A workgroup's record in the input: how many waves take part, then the counts of each wave. The
// first lane of each wave stores the wave's sums in the output.
std::string TextOf(const ScanShape& shape, uint32_t launched) {
  const uint32_t streams = shape.streams, counts = 4 * streams, sums = 8 * streams;
  const bool two = streams == 2;
  return absl::StrCat(
      "mir 1 entry \"main\" local_size ", shape.width * launched,
      ", 1, 1 resource 0 ssbo 0.0.0 resource 1 ssbo 0.1.0 body {\n"
      "%0:i32 = workgroup_id[0] %1:i32 = subgroup_id %2:i32 = imul %0, ",
      4 + counts * launched, " %3:i32 = load_ssbo[0, align 4] %2 %4:i32 = imul %1, ", counts,
      " %5:i32 = iadd %2, %4 %6:i32 = iadd %5, 4\n%7:i32", two ? ", %8:i32" : "",
      " = load_ssbo[0, align 4] %6\n%9:i32, %10:i32", two ? ", %11:i32, %12:i32" : "",
      " = workgroup_scan[", shape.width * shape.waves, "] %1, %3, %7", two ? ", %8" : "",
      "\n%13:bool = subgroup_elect if %13 {\n%14:i32 = imul %0, ", launched,
      " %15:i32 = iadd %14, %1 %16:i32 = imul %15, ", sums, "\nstore_ssbo[1, align 4] %16, %9, %10",
      two ? ", %11, %12" : "", " yield } else { yield } return }");
}

template <ScanForm form>
constexpr amd::Device kDevice =
    form == ScanForm::kByteMsad ? amd::kWithoutDotProducts : amd::kGfx1030;

template <ScanForm form>
absl::StatusOr<Compiled> CompileAs(const mir::Module& m, const CompileOptions& options,
                                   Runner& runner, Sink* sink) {
  return amd::CompileWaves(kDevice<form>, form, m, options, runner, sink);
}

template <ScanForm form>
const Backend& Row() {
  static const mid::Features features = amd::FeaturesOf(kDevice<form>);
  static const Backend row = [] {
    Backend made = amd::kGfx1030Backend;
    made.features = &features;
    made.compile = CompileAs<form>;
    return made;
  }();
  return row;
}

void Append(std::vector<uint8_t>& bytes, uint32_t dword) {
  const auto* at = reinterpret_cast<const uint8_t*>(&dword);
  bytes.insert(bytes.end(), at, at + 4);
}

}  // namespace

const Backend& ScanRow(ScanForm form) {
  switch (form) {
    case ScanForm::kDwordDpp: return Row<ScanForm::kDwordDpp>();
    case ScanForm::kDwordScalar: return Row<ScanForm::kDwordScalar>();
    case ScanForm::kBytePerm: return Row<ScanForm::kBytePerm>();
    case ScanForm::kByteDot: return Row<ScanForm::kByteDot>();
    default: return Row<ScanForm::kByteMsad>();
  }
}

ScanRunner::ScanRunner(const ScanShape& shape, uint32_t launched)
    : shape_(shape), launched_(launched) {
  const auto parsed = mir::Parse(TextOf(shape, launched));
  if (!parsed.ok()) {
    error_ = std::string(parsed.status().message());
    return;
  }
  module_ = *parsed;
  PrepareOptions prepare;
  prepare.passes.verify_each = true;
  const auto prepared = PrepareMir(module_, prepare, nullptr, {});
  CompileOptions options;
  options.passes.verify_each = true;
  options.widths = {static_cast<int>(shape.width)};
  for (const ScanForm form : amd::kScanForms) {
    if (!prepared.ok()) error_ = std::string(prepared.status().message());
    if (!error_.empty()) return;
    const auto compiled = CompileFor(**prepared, ScanRow(form), options, nullptr, {});
    if (!compiled.ok()) {
      error_ = std::string(compiled.status().message());
      return;
    }
    programs_[static_cast<size_t>(form)] = compiled->variants[0];
  }
}

std::vector<uint8_t> ScanRunner::Inputs(absl::Span<const ScanCase> cases) const {
  std::vector<uint8_t> bytes;
  for (const ScanCase& c : cases) {
    Append(bytes, c.present);
    for (uint32_t wave = 0; wave < launched_; ++wave) {
      for (uint32_t s = 0; s < shape_.streams; ++s) Append(bytes, c.counts[s][wave]);
    }
  }
  return bytes;
}

size_t ScanRunner::OutputBytes(size_t cases) const {
  return cases * launched_ * shape_.streams * 8;
}

std::string ScanRunner::Difference(absl::Span<const ScanCase> cases,
                                   const std::vector<uint8_t>& sums) const {
  for (size_t i = 0; i < cases.size(); ++i) {
    const ScanCase& c = cases[i];
    for (uint32_t s = 0; s < shape_.streams; ++s) {
      uint32_t total = 0;
      for (uint32_t wave = 0; wave < c.present; ++wave) total += c.counts[s][wave];
      uint32_t before = 0;
      for (uint32_t wave = 0; wave < c.present; ++wave) {
        uint32_t got[2];
        std::memcpy(got, &sums[((i * launched_ + wave) * shape_.streams + s) * 8], 8);
        if (got[0] != before || got[1] != total) {
          return absl::StrCat("case ", i, " wave ", wave, " of ", c.present, " of ", shape_.waves,
                              " of ", shape_.width, " lanes, stream ", s, " of ", shape_.streams,
                              ": want ", before, ", ", total, ", got ", got[0], ", ", got[1]);
        }
        before += c.counts[s][wave];
      }
    }
  }
  return "";
}

std::string ScanRunner::Simulate(ScanForm form, absl::Span<const ScanCase> cases) {
  if (!error_.empty()) return error_;
  sim::scene::Dispatch dispatch;
  dispatch.groups = {static_cast<uint32_t>(cases.size()), 1, 1};
  for (uint32_t binding = 0; binding < 2; ++binding) {
    sim::scene::ClientBuffer buffer;
    buffer.where = {0, binding, 0};
    buffer.address = uint64_t{0x10000000} * (binding + 1);
    buffer.bytes = binding == 0 ? Inputs(cases) : std::vector<uint8_t>(OutputBytes(cases.size()));
    dispatch.buffers.push_back(std::move(buffer));
  }
  SimulationOptions options;
  options.contract = true;
  const Variant& program = programs_[static_cast<size_t>(form)];
  const auto run =
      kiln::Simulate(Target::kGfx1030, program.code, program.launch, options, dispatch);
  const std::string text =
      run.ok() ? Difference(cases, dispatch.buffers[1].bytes) : std::string(run.status().message());
  if (text.empty()) return "";
  return absl::StrCat(std::string(amd::kScanFormNames[static_cast<size_t>(form)]), ": ", text);
}

std::string ScanRunner::Interpret(absl::Span<const ScanCase> cases) {
  if (!error_.empty()) return error_;
  oracle::LaunchInputs inputs;
  inputs.groups = {static_cast<uint32_t>(cases.size()), 1, 1};
  inputs.subgroup_size = shape_.width;
  inputs.buffers.resize(2);
  inputs.buffers[0].bytes = Inputs(cases);
  inputs.buffers[1].binding = 1;
  inputs.buffers[1].bytes.resize(OutputBytes(cases.size()));
  const auto run = oracle::Interpret(module_, inputs);
  if (!run.ok()) return std::string(run.status().message());
  const std::string text = Difference(cases, inputs.buffers[1].bytes);
  return text.empty() ? "" : absl::StrCat("interpreter: ", text);
}

std::string ScanRunner::All(absl::Span<const ScanCase> cases) {
  std::string text = Interpret(cases);
  for (const ScanForm form : amd::kScanForms) {
    if (text.empty()) text = Simulate(form, cases);
  }
  return text;
}

}  // namespace kiln::exec
