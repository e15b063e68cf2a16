#include "core/intel/optimise/testing.h"

#include "absl/strings/str_cat.h"
#include "core/intel/lir/machine.h"
#include "core/lir/parse.h"
#include "core/lir/print.h"
#include "core/lir/verify.h"
#include "gtest/gtest.h"

namespace kiln::intel::testing {

std::string Header() {
  std::string text = "function tgl width 8\n";
  for (int i = 0; i < 10; ++i) absl::StrAppend(&text, "value %", i, " G 4x1\n");
  for (int i = 10; i < 15; ++i) absl::StrAppend(&text, "value %", i, " U 4x1\n");
  for (int i = 15; i < 20; ++i) absl::StrAppend(&text, "value %", i, " F 0x1\n");
  absl::StrAppend(&text,
                  "value %20 G 4x2\nvalue %21 U 4x8 whole\n"
                  "value %22 G 2x1\nvalue %23 G 2x1\nvalue %24 G 4x2\nvalue %25 G 4x2\n"
                  "livein %21 at 0\n");
  return text;
}

std::string After(const std::string& body,
                  absl::StatusOr<bool> (*pass)(lir::Function&, PassContext&), int64_t rewrites) {
  absl::StatusOr<lir::Function> f = lir::Parse(MachineOf(Tgl()), Header() + body);
  if (!f.ok()) return std::string(f.status().message());
  if (absl::Status s = lir::Verify(MachineOf(Tgl()), *f); !s.ok()) return std::string(s.message());
  PassContext context = PassContext::ForTest(rewrites);
  const absl::StatusOr<bool> changed = pass(*f, context);
  if (!changed.ok()) return std::string(changed.status().message());
  if (absl::Status s = lir::Verify(MachineOf(Tgl()), *f); !s.ok()) return std::string(s.message());
  const std::string text = lir::Print(MachineOf(Tgl()), *f);
  const size_t begin = text.find("block b0");
  std::string out = text.substr(begin);
  EXPECT_EQ(*changed, out != body)
      << "the pass's return value contradicts whether the text changed";
  return out;
}

}  // namespace kiln::intel::testing
