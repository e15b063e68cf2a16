#include "tests/null/backend.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/cause.h"
#include "core/mir/immediates.h"
#include "core/target/resource_kind.h"
#include "tests/null/code.h"
#include "tests/null/passes.h"
#include "tests/null/simulate.h"
#include "tests/null/statistics.h"

namespace kiln::null {
namespace {

constexpr int kWidth = 4;

// A target with nothing of its own: what can be lowered is, and the rest is refused.
constexpr mid::Features kFeatures = {
    .int64 = false,
    .int8 = false,
    .dot4 = false,
    .float_atomics = {.add = false, .min_max = false, .on_images = false, .of_16_bits = false},
    .half_floats = false,
    .addresses = false,
    .shared_int64_atomics = false,
    .float64 = false,
    .float64_atomics = false,
    .barycentrics = false,
    .clocks = false,
    .int64_images = false,
    .rounding_by_width = false,
    .sample_offsets = {.least = -8, .most = 7, .by_lane = false},
    .most_lanes = 32,
    .derivatives = mid::Derivatives::kNowhere,
    .gradients = {.of_cubes = false,
                  .least_level_with_reference = false,
                  .least_level_with_offsets = false,
                  .samplers_in_table = 0},
    .divides_directions = false,
    .constant_addends = mid::Features::Addends::kNone,
    .fuses_all_widths = false,
    .conditions_in_flags = false,
    .access = {.lane = 4, .block = 0, .shared_block_alignment = 4, .block_of_constants = false}};

std::vector<PassRow> PassRows() { return Rows(Passes()); }

std::string VariantName(uint32_t width) { return absl::StrCat("NULL", width); }

bool IsWanted(const CompileOptions& options) {
  if (options.required_subgroup_size != 0 && options.required_subgroup_size != kWidth) return false;
  return options.widths.empty() ||
         std::find(options.widths.begin(), options.widths.end(), kWidth) != options.widths.end();
}

// The record has no part of its own: LaunchRecord::arch is a closed list.
out::LaunchRecord LaunchOf(const mir::Module& m, size_t code_bytes) {
  out::LaunchRecord r;
  r.target = "null";
  r.entry_point = m.entry_point;
  r.stage = mir::kStageNames[static_cast<int>(m.stage)];
  r.code_bytes = static_cast<uint32_t>(code_bytes);
  r.dispatch_width = kWidth;
  for (const mir::Resource& in : m.resources) {
    out::AddResource(
        {ResourceKindOf(in.kind), in.set, in.binding, in.count == 0 ? 0 : in.element + in.count},
        r.resources);
  }
  r.compute.local_size = m.local_size;
  return r;
}

absl::StatusOr<Compiled> Compile(const mir::Module& m, const CompileOptions& options,
                                 Runner& runner, Sink*) {
  Compiled compiled;
  if (!IsWanted(options)) {
    return Unsupported("dispatch_width", "requested widths, none of which the target has");
  }
  Work work = Select(m);
  runner.set_width(kWidth);
  if (absl::Status s = runner.Run(WorkLevel(), Passes(), work); !s.ok()) return s;
  if (runner.stopped()) return compiled;
  Variant& v = compiled.variants.emplace_back();
  v.name = VariantName(kWidth);
  v.width = kWidth;
  v.code = Encode(work.program);
  v.launch = LaunchOf(m, v.code.size());
  v.statistics = Count(work.program);
  return compiled;
}

absl::StatusOr<std::string> Disassemble(absl::Span<const uint8_t> code) {
  const auto program = Decode(code);
  if (!program.ok()) return program.status();
  std::string text;
  for (const Op op : *program) absl::StrAppend(&text, std::string(Name(op)), "\n");
  return text;
}

}  // namespace

const Backend kNullBackend = {.name = "null",
                              .code_generation_version = 1,
                              .abi_version = 1,
                              .features = &kFeatures,
                              .statistics = StatisticRows,
                              .passes = PassRows,
                              .compile = Compile,
                              .variant_name = VariantName,
                              .disassemble = Disassemble,
                              .simulate = Simulate};

const Backend kBareBackend = {.name = "bare",
                              .abi_version = 1,
                              .statistics = StatisticRows,
                              .variant_name = VariantName,
                              .disassemble = Disassemble,
                              .simulate = Simulate};

}  // namespace kiln::null
