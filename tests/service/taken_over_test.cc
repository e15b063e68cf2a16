// What a worker that was taken over is held by, seen from outside of a whole kilnd.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "tests/service/kilnd_process.h"

namespace kiln::test {
namespace {

class TakenOverTest : public testing::Test {
 protected:
  void Start(const std::vector<std::string>& flags) {
    kilnd_ = std::make_unique<KilndProcess>(flags);
    ASSERT_TRUE(kilnd_->AwaitReady()) << kilnd_->log();
  }
  // The real, effective, saved and file system user of a process.
  static std::vector<unsigned> Users(pid_t pid) {
    std::ifstream status("/proc/" + std::to_string(pid) + "/status");
    std::string word;
    while (status >> word && word != "Uid:") continue;
    std::vector<unsigned> users(4);
    for (unsigned& user : users) status >> user;
    return users;
  }

  std::unique_ptr<KilndProcess> kilnd_;
};

TEST_F(TakenOverTest, RootsWorkersAreNotRoot) {
  if (geteuid() != 0) GTEST_SKIP() << "only root's workers are another user";
  Start({"--workers=2"});
  ASSERT_EQ(kilnd_->Children().size(), 2u);
  for (pid_t worker : kilnd_->Children()) {
    for (unsigned user : Users(worker)) {
      EXPECT_GE(user, 65520u);
      EXPECT_LE(user, 65529u);
    }
  }
  EXPECT_EQ(kilnd_->Metric("kiln_sandbox_level{feature=\"not_root\"}"), 1);
}

TEST_F(TakenOverTest, RootsWorkersAreWhoTheyAreToldToBe) {
  if (geteuid() != 0) GTEST_SKIP() << "only root's workers are another user";
  Start({"--workers=1", "--worker-user=12345"});
  ASSERT_EQ(kilnd_->Children().size(), 1u);
  EXPECT_EQ(Users(kilnd_->Children()[0]), std::vector<unsigned>(4, 12345));
  Start({"--workers=1", "--worker-user=none"});
  EXPECT_EQ(Users(kilnd_->Children()[0]), std::vector<unsigned>(4, 0));
  EXPECT_EQ(kilnd_->Metric("kiln_sandbox_level{feature=\"not_root\"}"), 0);
}

TEST_F(TakenOverTest, AUserThatThereIsNotEndsTheStart) {
  kilnd_ = std::make_unique<KilndProcess>(std::vector<std::string>{"--worker-user=no such user"});
  EXPECT_FALSE(kilnd_->AwaitReady());
  EXPECT_EQ(kilnd_->Wait(), 1);
  EXPECT_NE(kilnd_->log().find("--worker-user"), std::string::npos) << kilnd_->log();
}

// Of workers that it could not end it has none.
TEST_F(TakenOverTest, ARootThatMayNotKillDoesNotStart) {
  if (geteuid() != 0 || system("setpriv --bounding-set=-kill true") != 0) {
    GTEST_SKIP() << "that root cannot be made here";
  }
  FILE* log = popen(
      "setpriv --bounding-set=-kill timeout 60 server/kilnd --listen=127.0.0.1:0 --metrics=none "
      "--workers=1 --worker-binary=server/worker/testing/fake_worker 2>&1",
      "r");
  std::string text;
  for (char bytes[4096]; size_t n = fread(bytes, 1, sizeof bytes, log);) text.append(bytes, n);
  EXPECT_EQ(WEXITSTATUS(pclose(log)), 1);
  EXPECT_NE(text.find("CAP_KILL"), std::string::npos) << text;
}

}  // namespace
}  // namespace kiln::test
