#include "core/mid/analysis/value_lives.h"

#include <string>

#include "absl/status/statusor.h"
#include "core/mir/parse.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

int64_t Most(const std::string& body) {
  const absl::StatusOr<mir::Module> m =
      mir::Parse("mir 1\nresource 0 ssbo 0.0.0\nbody {\n" + body + "  return\n}\n");
  EXPECT_TRUE(m.ok()) << m.status();
  return m.ok() ? ValueLives(*m).MostDwords() : -1;
}

TEST(ValueLives, MostDwordsInALine) {
  EXPECT_EQ(Most(""), 0);
  EXPECT_EQ(Most("  %0:i32, %1:i32, %2:i32 = load_ssbo[0, align 4] 0\n"
                 "  store_ssbo[0, align 4] 16, %0, %1, %2\n"
                 "  %3:i32, %4:i32 = load_ssbo[0, align 4] 32\n"
                 "  store_ssbo[0, align 4] 48, %3, %4\n"),
            3);
  EXPECT_EQ(Most("  %0:i16, %1:i16, %2:i16 = load_ssbo[0, align 2] 0\n"
                 "  store_ssbo[0, align 2] 16, %0, %1, %2\n"),
            2);
}

// A value defined before a loop and used in it is live to the loop's end; a result of the loop is
// not live in it.
TEST(ValueLives, MostDwordsOfLoops) {
  const auto loop = [](const std::string& last) {
    return "  %0:i32, %1:i32, %2:i32 = load_ssbo[0, align 4] 0\n"
           "  %8:i32, %9:i32 = loop (%3:i32 = %0) {\n"
           "    %4:i32 = iadd %3, %1\n    %5:bool = ult %4, %2\n"
           "    if %5 { yield } else { break %4, %4 }\n"
           "    continue %4\n  }\n" +
           last;
  };
  EXPECT_EQ(Most(loop("")), 3);
  EXPECT_EQ(Most(loop("  store_ssbo[0, align 4] 0, %9, %8\n")), 3);
  EXPECT_EQ(Most(loop("  store_ssbo[0, align 4] 0, %9, %8, %0\n")), 4);
}

}  // namespace
}  // namespace kiln::mid
