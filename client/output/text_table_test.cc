#include "client/output/text_table.h"

#include <gtest/gtest.h>

namespace kiln::client {
namespace {

TEST(TextTable, AlignsTheFirstColumnLeftAndTheOthersRight) {
  EXPECT_EQ(TextTable({{"variant", "n"}, {"a", "1000"}, {"longest one", "-"}}),
            "  variant         n\n"
            "  a            1000\n"
            "  longest one     -\n");
}

}  // namespace
}  // namespace kiln::client
