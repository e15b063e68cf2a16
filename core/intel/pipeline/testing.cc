#include "core/intel/pipeline/testing.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/pass.h"
#include "core/intel/pipeline/passes.h"
#include "core/mir/parse.h"
#include "core/mir/verify.h"
#include "gtest/gtest.h"

namespace kiln::intel::testing {

int Remarks::Count(std::string_view kind) const {
  return static_cast<int>(
      std::count_if(all.begin(), all.end(), [&](const Remark& r) { return r.kind == kind; }));
}

Shader::Shader(const std::string& text, const Device& device) {
  absl::StatusOr<mir::Module> m = mir::Parse(text);
  EXPECT_TRUE(m.ok()) << m.status() << "\n" << text;
  if (!m.ok()) return;
  module = *std::move(m);
  EXPECT_EQ(mir::Verify(module), absl::OkStatus());
  absl::StatusOr<Abi> assigned = AssignAbi(module, device);
  EXPECT_TRUE(assigned.ok()) << assigned.status();
  if (assigned.ok()) abi = *std::move(assigned);
}

Work Shader::At(int width) const {
  Work work(*abi.device);
  work.module = &module;
  work.abi = &abi;
  const absl::StatusOr<WidthAbi> at_width = AtWidth(module, abi, width);
  EXPECT_TRUE(at_width.ok()) << at_width.status();
  if (at_width.ok()) work.at_width = *at_width;
  return work;
}

absl::Status RunUntil(const std::string& last, Work& work, Sink* sink, PassOptions options) {
  options.stop_after = last;
  options.verify_each = true;
  const Budget budget;
  const std::vector<Pass<Work>> passes = IntelPasses(*work.device);
  Runner runner(options, sink, budget);
  runner.set_width(work.at_width.width);
  absl::Status status = runner.Run(IntelLevel(), absl::MakeConstSpan(passes), work);
  EXPECT_EQ(runner.stopped(), status.ok() && !last.empty()) << "there is no pass " << last;
  return status;
}

absl::Status RunOnly(const std::string& pass, Work& work, Sink* sink) {
  PassOptions options;
  options.verify_each = true;
  const Budget budget;
  Runner runner(options, sink, budget);
  runner.set_width(work.at_width.width);
  for (const Pass<Work>& row : IntelPasses(*work.device)) {
    if (row.name == pass) return runner.Run<Work>(IntelLevel(), {&row, 1}, work);
  }
  ADD_FAILURE() << "there is no pass " << pass;
  return absl::OkStatus();
}

std::string Doubled() {
  return "mir 1\nentry \"main\"\nlocal_size 16, 1, 1\nresource 0 ssbo 0.0.0\nbody {\n"
         "  %0:i32 = local_index\n  %1:i32 = shl %0, 2\n"
         "  %2:i32 = load_ssbo[0, align 4] %1\n  %3:i32 = iadd %2, %2\n"
         "  store_ssbo[0, align 4] %1, %3\n  return\n}\n";
}

std::string Crowded(int values) {
  std::string text =
      "mir 1\nentry \"main\"\nlocal_size 16, 1, 1\nresource 0 ssbo 0.0.0\nbody {\n"
      "  %0:i32 = local_index\n  %1:i32 = shl %0, 2\n";
  int next = 2;
  const auto add = [&](const std::string& type, const std::string& what) {
    absl::StrAppend(&text, "  %", next, ":", type, " = ", what, "\n");
    return absl::StrCat("%", next++);
  };
  std::vector<std::string> loaded;
  std::string sum = "0f";
  for (int k = 0; k < values; ++k) {
    const std::string at = add("i32", absl::StrCat("iadd %1, ", 64 * k));
    loaded.push_back(add("f32", "load_ssbo[0, align 4] " + at));
    sum = add("f32", absl::StrCat("fadd ", sum, ", ", loaded.back()));
  }
  for (const std::string& v : loaded) sum = add("f32", absl::StrCat("fmul ", sum, ", ", v));
  return absl::StrCat(text, "  store_ssbo[0, align 4] %1, ", sum, "\n  return\n}\n");
}

}  // namespace kiln::intel::testing
