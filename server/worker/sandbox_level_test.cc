// Tests the protections that all workers have, and their text.
#include "server/worker/sandbox_level.h"

#include <gtest/gtest.h>

namespace kiln::worker {
namespace {

TEST(SandboxLevelTest, TheWeakerOfTwoHasWhatBothHave) {
  Hello::Sandbox a, b;
  a.set_seccomp(true);
  a.set_landlock(6);
  a.set_user_namespace(true);
  b.set_seccomp(true);
  b.set_landlock(4);
  const SandboxLevel level = LevelOf(Weaker(a, b));
  EXPECT_EQ(level.at("seccomp"), 1u);
  EXPECT_EQ(level.at("landlock"), 4u);
  EXPECT_EQ(level.at("user_namespace"), 0u);
  EXPECT_EQ(level, LevelOf(Weaker(b, a)));
}

TEST(SandboxLevelTest, NamesWhatIsThereAndWhatIsMissing) {
  EXPECT_EQ(SandboxText({{"landlock", 6}, {"seccomp", 1}, {"user_namespace", 0}}),
            "landlock 6, seccomp; missing: user_namespace");
  EXPECT_EQ(SandboxText({{"seccomp", 1}}), "seccomp");
  EXPECT_EQ(SandboxText({{"seccomp", 0}}), "nothing; missing: seccomp");
}

}  // namespace
}  // namespace kiln::worker
