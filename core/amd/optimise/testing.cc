#include "core/amd/optimise/testing.h"

#include "absl/strings/str_cat.h"
#include "core/amd/lir/machine.h"
#include "core/lir/parse.h"
#include "core/lir/print.h"
#include "gtest/gtest.h"

namespace kiln::amd::testing {

lir::Function Parsed(const std::string& body) {
  std::string text = "function gfx1030 width 32\n";
  for (int i = 0; i < 45; ++i) {
    absl::StrAppend(&text, "value %", i, i == 4 ? " S 4x1\n" : i == 5 ? " V 4x2\n" : " V 4x1\n");
  }
  for (int i = 0; i < 4; ++i) absl::StrAppend(&text, "livein %", i, " at ", i, "\n");
  absl::StrAppend(&text, "livein %4 at 4\nlivein %5 at 4\n", body);
  auto f = lir::Parse(Gfx1030Machine(), text);
  EXPECT_TRUE(f.ok()) << f.status();
  return f.ok() ? *std::move(f) : lir::Function();
}

std::string BlocksText(const lir::Function& f) {
  const std::string text = lir::Print(Gfx1030Machine(), f);
  return text.substr(text.find("block b0"));
}

int Count(const std::string& text, const std::string& part) {
  int n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

}  // namespace kiln::amd::testing
