// Tests which user workers run as, by setting and by the daemon's own user.
#include "server/worker_user.h"

#include <gtest/gtest.h>
#include <pwd.h>

#include <string>

namespace kiln::server {
namespace {

TEST(WorkerUserTest, OnlyRootHasOthers) {
  EXPECT_EQ(FindWorkerUser("auto", false)->uid, 0u);
  EXPECT_EQ(FindWorkerUser("none", false)->uid, 0u);
  EXPECT_EQ(FindWorkerUser("none", true)->uid, 0u);
  for (const std::string other : {"nobody", "65521"}) {
    EXPECT_EQ(FindWorkerUser(other, false).status().message(),
              "--worker-user=" + other +
                  ": kilnd is not root, so its workers run as kilnd's own user; leave it out");
  }
}

TEST(WorkerUserTest, AutoIsAnUnusedUser) {
  const auto user = FindWorkerUser("auto", true);
  ASSERT_TRUE(user.ok()) << user.status();
  EXPECT_GE(user->uid, kFirstUnusedUser);
  EXPECT_LE(user->uid, kLastUnusedUser);
  EXPECT_EQ(user->gid, user->uid);
  EXPECT_EQ(getpwuid(user->uid), nullptr);
}

TEST(WorkerUserTest, NamesAndNumbers) {
  const passwd* nobody = getpwnam("nobody");
  if (nobody == nullptr) GTEST_SKIP() << "there is no user nobody";
  const uint32_t uid = nobody->pw_uid, gid = nobody->pw_gid;
  for (const std::string& setting : {std::string("nobody"), std::to_string(uid)}) {
    const auto user = FindWorkerUser(setting, true);
    ASSERT_TRUE(user.ok()) << user.status();
    EXPECT_EQ(user->uid, uid);
    EXPECT_EQ(user->gid, gid);
  }
  const auto unknown = FindWorkerUser("4000123456", true);
  ASSERT_TRUE(unknown.ok()) << unknown.status();
  EXPECT_EQ(unknown->gid, 4000123456u);
}

TEST(WorkerUserTest, RootIsNoOtherUser) {
  const auto error = [](const std::string& setting) {
    return std::string(FindWorkerUser(setting, true).status().message());
  };
  const std::string flag = "--worker-user=";
  for (const std::string root : {"root", "0"}) {
    EXPECT_EQ(error(root), flag + root + ": this is root; --worker-user=none runs workers as root");
  }
  EXPECT_EQ(error("4294967295"), flag + "4294967295: this is not a user id");
  for (const std::string unknown : {"", "-1", "no such user", "65520x"}) {
    EXPECT_EQ(error(unknown), flag + unknown + ": there is no such user");
  }
}

}  // namespace
}  // namespace kiln::server
