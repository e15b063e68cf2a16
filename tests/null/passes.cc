#include "tests/null/passes.h"

#include <algorithm>

#include "core/mir/build.h"

namespace kiln::null {
namespace {

// Removes instructions that do nothing.
absl::StatusOr<bool> RemoveIgnored(Work& work, PassContext& context) {
  const size_t before = work.program.size();
  std::erase_if(work.program, [&](Op op) { return op == Op::kIgnore && context.Rewrite(); });
  return work.program.size() != before;
}

constexpr Pass<Work> kPasses[] = {
    {"remove_ignored", RemoveIgnored, true, 0, "removes instructions that do nothing"}};

constexpr Level<Work> kLevel = {.name = "lir", .count = [](const Work& work) {
                                  return static_cast<int64_t>(work.program.size());
                                }};

}  // namespace

Work Select(const mir::Module& module) {
  Work work;
  work.program.assign(static_cast<size_t>(mir::CountInstructions(module)), Op::kIgnore);
  const auto stores = [](const mir::Resource& r) {
    return r.kind == mir::ResourceKind::kStorageBuffer;
  };
  if (std::any_of(module.resources.begin(), module.resources.end(), stores)) {
    work.program.push_back(Op::kMark);
  }
  work.program.push_back(Op::kEnd);
  return work;
}

absl::Span<const Pass<Work>> Passes() { return kPasses; }
const Level<Work>& WorkLevel() { return kLevel; }

}  // namespace kiln::null
