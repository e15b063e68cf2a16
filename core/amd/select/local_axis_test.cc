#include "core/amd/select/local_axis.h"

#include <string>

#include "core/mir/parse.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

// Returns the axis that the last operation of the body is, -1 for none; %1 is the local index.
int AxisOf(const std::string& size, const std::string& body) {
  const absl::StatusOr<mir::Module> m =
      mir::Parse("mir 1\nentry \"main\"\nlocal_size " + size + "\nbody {\n%1:i32 = local_index\n" +
                 body + "return\n}\n");
  EXPECT_TRUE(m.ok()) << m.status();
  if (!m.ok()) return -2;
  const std::vector<mir::InstId>& insts = m->region(m->body).insts;
  return LocalAxisOf(*m, insts[insts.size() - 2]).value_or(-1);
}

TEST(LocalAxis, FieldsOfTheIndex) {
  EXPECT_EQ(AxisOf("8, 8, 1", "%2:i32 = and %1, 7\n"), 0);
  EXPECT_EQ(AxisOf("8, 8, 1", "%2:i32 = ushr %1, 3\n"), 1);
  EXPECT_EQ(AxisOf("8, 4, 2", "%2:i32 = ushr %1, 3\n%3:i32 = and %2, 3\n"), 1);
  EXPECT_EQ(AxisOf("8, 4, 2", "%2:i32 = ushr %1, 5\n"), 2);
  EXPECT_EQ(AxisOf("1, 8, 8", "%2:i32 = and %1, 7\n"), 1);
  EXPECT_EQ(AxisOf("4, 6, 1", "%2:i32 = ushr %1, 2\n"), 1);  // nothing is above the last size
}

TEST(LocalAxis, OtherBits) {
  EXPECT_EQ(AxisOf("8, 8, 1", "%2:i32 = and %1, 3\n"), -1);
  EXPECT_EQ(AxisOf("8, 8, 1", "%2:i32 = ushr %1, 2\n"), -1);
  EXPECT_EQ(AxisOf("8, 4, 2", "%2:i32 = ushr %1, 3\n"), -1);  // z is above y
  EXPECT_EQ(AxisOf("6, 8, 1", "%2:i32 = ushr %1, 3\n"), -1);
  EXPECT_EQ(AxisOf("6, 8, 1", "%2:i32 = and %1, 5\n"), -1);
  EXPECT_EQ(AxisOf("8, 8, 1", "%2:i32 = iadd %1, 1\n%3:i32 = and %2, 7\n"), -1);
}

}  // namespace
}  // namespace kiln::amd
