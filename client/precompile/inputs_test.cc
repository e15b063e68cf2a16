// Captures and shaders among arguments.
#include "client/precompile/inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace kiln::client {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class SplitInputsTest : public testing::Test {
 protected:
  std::string Make(const std::string& name) {
    const std::string path = folder_ + "/" + name;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path) << "x";
    return path;
  }
  const std::string folder_ =
      testing::TempDir() + "/" + testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(SplitInputsTest, FilesOfACaptureAreOne) {
  const std::string base = Make("a.foz"), first = Make("a.1.foz"), shader = Make("b.comp");
  const auto inputs = SplitInputs({first, shader, base});
  ASSERT_TRUE(inputs.ok()) << inputs.status();
  EXPECT_THAT(inputs->captures, ElementsAre(base));
  EXPECT_THAT(inputs->others, ElementsAre(shader));
}

TEST_F(SplitInputsTest, AFolderIsWalkedSorted) {
  const std::string z = Make("z.foz"), inner = Make("d/a.foz");
  Make("d/a.3.foz");
  const auto inputs = SplitInputs({folder_});
  ASSERT_TRUE(inputs.ok()) << inputs.status();
  EXPECT_THAT(inputs->captures, ElementsAre(inner, z));
  EXPECT_THAT(inputs->others, ElementsAre(folder_));
}

TEST_F(SplitInputsTest, ACaptureThatIsNotThereIsAnError) {
  EXPECT_TRUE(absl::IsNotFound(SplitInputs({"/no/such.foz"}).status()));
  EXPECT_THAT(SplitInputs({"/no/such.comp"})->captures, IsEmpty());
}

}  // namespace
}  // namespace kiln::client
