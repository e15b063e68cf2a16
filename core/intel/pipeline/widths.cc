#include "core/intel/pipeline/widths.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/base/cause.h"

namespace kiln::intel {
namespace {

// A workgroup runs on one dual subslice: its threads must be there together.
absl::Status FitsThreads(const mir::Module& m, int width) {
  const uint32_t threads = ThreadsPerGroup(m, width);
  if (threads <= kMaxThreadsPerGroup) return absl::OkStatus();
  const absl::Status s = absl::ResourceExhaustedError(
      absl::StrCat("the workgroup needs ", threads, " threads of ", width, " lanes; the limit is ",
                   kMaxThreadsPerGroup));
  return WithSpirvId(WithCause(s, "workgroup_too_large"), m.local_size_id);
}

// VUID-VkPipelineShaderStageCreateInfo-pNext-02757 and flags-02758: subgroups are full if their
// size divides the workgroup's in x.
absl::Status IsFull(const mir::Module& m, int width) {
  if (m.local_size[0] % static_cast<uint32_t>(width) == 0) return absl::OkStatus();
  const absl::Status s = absl::ResourceExhaustedError(
      absl::StrCat("full subgroups are required, and ", width,
                   " lanes do not divide the workgroup's size in x, ", m.local_size[0]));
  return WithSpirvId(WithCause(s, "partial_subgroups"), m.local_size_id);
}

}  // namespace

bool IsWanted(const CompileOptions& options, int width) {
  if (options.required_subgroup_size != 0 && options.required_subgroup_size != width) return false;
  const std::vector<int>& widths = options.widths;
  return widths.empty() || std::find(widths.begin(), widths.end(), width) != widths.end();
}

absl::Status CheckWidth(const mir::Module& m, const Abi& abi, const CompileOptions& options,
                        int width) {
  if (absl::Status s = FitsThreads(m, width); !s.ok()) return s;
  const uint64_t arrays = uint64_t{abi.scratch_bytes_per_lane} * static_cast<uint64_t>(width);
  if (absl::Status s = CheckScratch(m, arrays, width); !s.ok()) return s;
  return options.require_full_subgroups ? IsFull(m, width) : absl::OkStatus();
}

absl::Status WorthTrying(int width, const std::vector<Variant>& narrower) {
  if (width <= 16 || narrower.empty()) return absl::OkStatus();
  return WithCause(
      absl::ResourceExhaustedError(absl::StrCat(
          "twice the registers of ", narrower.back().name, ", which fits the workgroup as well (",
          narrower.back().statistics.registers, " registers); compiled if asked for")),
      "width_loses");
}

absl::Status WorthKeeping(const Work& w, const std::vector<Variant>& narrower) {
  if (w.spills + w.fills == 0 || narrower.empty()) return absl::OkStatus();
  const Variant& other = narrower.back();
  if (other.statistics.spills + other.statistics.fills != 0) return absl::OkStatus();
  return WithCause(
      absl::ResourceExhaustedError(absl::StrCat(w.spills, " spills and ", w.fills, " fills; ",
                                                other.name, " has none; compiled if asked for")),
      "width_loses");
}

}  // namespace kiln::intel
