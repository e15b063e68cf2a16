// Shaders that kill workers: counting, bounds, restart, expiry.
#include "server/quarantine/quarantine.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "server/quarantine/admin_service.h"

namespace kiln::quarantine {
namespace {

using kiln::v1alpha::CompileRequest;
using kiln::v1alpha::QuarantineEntry;
using kiln::v1alpha::TargetResult;

cache::Digest Key(uint8_t n) {
  cache::Digest key{};
  key[0] = n;
  return key;
}

class QuarantineTest : public testing::Test {
 protected:
  void SetUp() override {
    options_.directory = testing::TempDir() + "/quarantine_" +
                         testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(options_.directory);
    options_.compiler = [this](const std::string& target) { return target + version_; };
  }
  static void Die(Quarantine* quarantine, uint8_t key, int times, size_t bytes = 100) {
    for (int i = 0; i < times; ++i) {
      QuarantineEntry death;
      death.set_target("tgl");
      death.set_status(TargetResult::CRASHED);
      death.set_cause("segmentation_fault");
      death.set_message("ouch");
      death.set_last_pass("fold");
      quarantine->AddDeath(Key(key), death, [&] {
        CompileRequest request;
        request.set_spirv(std::string(bytes, 's'));
        return request;
      });
    }
  }
  Options options_;
  std::string version_ = "/7";
};

TEST_F(QuarantineTest, RefusesAfterTheLastDeathAndNotBefore) {
  Quarantine q(options_);
  Die(&q, 1, 2);
  EXPECT_FALSE(q.Refuse(Key(1)).has_value());
  Die(&q, 1, 1);
  EXPECT_FALSE(q.Refuse(Key(2)).has_value());
  auto refused = q.Refuse(Key(1));
  ASSERT_TRUE(refused.has_value());
  EXPECT_EQ(refused->status(), TargetResult::CRASHED);
  EXPECT_EQ(refused->cause(), "quarantined");
  EXPECT_EQ(refused->last_pass(), "fold");
  EXPECT_EQ(refused->key(), cache::ToHex(Key(1)));
  EXPECT_NE(refused->message().find("segmentation_fault: ouch"), std::string::npos);
  ASSERT_EQ(q.List().entries_size(), 1);
  EXPECT_EQ(q.List().entries(0).refusals(), 1u);
  EXPECT_FALSE(q.List().entries(0).has_request());
  EXPECT_EQ(q.Show(cache::ToHex(Key(1)))->request().spirv().size(), 100u);
}

TEST_F(QuarantineTest, ASuccessInBetweenAbsolves) {
  Quarantine q(options_);
  Die(&q, 1, 2);
  q.Absolve(Key(1));
  Die(&q, 1, 2);
  EXPECT_FALSE(q.Refuse(Key(1)).has_value());
}

TEST_F(QuarantineTest, NothingIsQuarantinedWhereItIsSwitchedOff) {
  options_.deaths = 0;
  Quarantine q(options_);
  Die(&q, 1, 50);
  EXPECT_FALSE(q.Refuse(Key(1)).has_value());
}

TEST_F(QuarantineTest, SurvivesARestartAndExpiresWithTheCompiler) {
  {
    Quarantine q(options_);
    Die(&q, 1, 3);
    Die(&q, 2, 3);
    Die(&q, 3, 2);
  }
  {
    Quarantine q(options_);
    EXPECT_EQ(q.usage().entries, 2u);
    EXPECT_TRUE(q.Refuse(Key(1)).has_value());
    EXPECT_FALSE(q.Refuse(Key(3)).has_value());
    EXPECT_EQ(q.Clear({cache::ToHex(Key(2)), "nonsense", "../1"}), 1u);
  }
  {
    Quarantine q(options_);
    EXPECT_EQ(q.usage().entries, 1u);
    EXPECT_EQ(q.Show(cache::ToHex(Key(1)))->request().spirv().size(), 100u);
  }
  version_ = "/8";
  Quarantine q(options_);
  EXPECT_EQ(q.usage().entries, 0u);
  EXPECT_TRUE(std::filesystem::is_empty(options_.directory));
}

TEST_F(QuarantineTest, DamagedFilesAreDropped) {
  {
    Quarantine q(options_);
    for (uint8_t i = 1; i <= 4; ++i) Die(&q, i, 3);
  }
  auto path = [&](uint8_t n) { return options_.directory + "/" + cache::ToHex(Key(n)); };
  std::ofstream(path(1)) << "garbage";
  std::filesystem::resize_file(path(2), std::filesystem::file_size(path(2)) / 2);
  std::filesystem::rename(path(3), options_.directory + "/other");
  std::filesystem::create_directory(options_.directory + "/folder");
  Quarantine q(options_);
  EXPECT_EQ(q.usage().entries, 1u);
  EXPECT_TRUE(q.Refuse(Key(4)).has_value());
}

TEST_F(QuarantineTest, WithoutAUsableDirectoryItWorksInMemory) {
  std::ofstream(options_.directory) << "a file";
  Quarantine q(options_);
  Die(&q, 1, 3);
  EXPECT_TRUE(q.Refuse(Key(1)).has_value());
  EXPECT_GT(q.usage().write_errors, 0u);
}

TEST_F(QuarantineTest, BoundedInNumberAndBytes) {
  options_.max_entries = 4;
  options_.max_bytes = 2500;
  Quarantine q(options_);
  for (uint8_t i = 1; i <= 4; ++i) Die(&q, i, 3, 1000);
  EXPECT_EQ(q.usage().entries, 4u);
  EXPECT_LE(q.usage().bytes, 2500u);
  EXPECT_FALSE(q.Show(cache::ToHex(Key(1)))->has_request());
  EXPECT_TRUE(q.Show(cache::ToHex(Key(4)))->has_request());
  EXPECT_TRUE(q.Refuse(Key(1)).has_value());  // asked for: no longer the oldest
  Die(&q, 5, 3, 1000);
  EXPECT_EQ(q.usage().entries, 4u);
  EXPECT_TRUE(q.Refuse(Key(1)).has_value());
  EXPECT_FALSE(q.Refuse(Key(2)).has_value());
  EXPECT_LE(q.usage().bytes, 2500u);
  EXPECT_EQ(q.ClearAll(), 4u);
  EXPECT_EQ(q.usage().bytes, 0u);
  EXPECT_TRUE(std::filesystem::is_empty(options_.directory));
}

TEST_F(QuarantineTest, SuspectsAreBounded) {
  options_.max_entries = 2;
  Quarantine q(options_);
  for (uint8_t i = 1; i <= 3; ++i) Die(&q, i, 2);
  Die(&q, 1, 1);  // forgotten: this is its first
  EXPECT_FALSE(q.Refuse(Key(1)).has_value());
  Die(&q, 3, 1);
  EXPECT_TRUE(q.Refuse(Key(3)).has_value());
}

TEST(AdminPeerTest, OnlyTheOwnMachine) {
  for (const char* own :
       {"unix:/run/kilnd", "ipv4:127.0.0.1:99", "ipv6:[::1]:99", "ipv6:%5B::1%5D:99"}) {
    EXPECT_TRUE(server::IsOwnMachine(own)) << own;
  }
  for (const char* other :
       {"", "ipv4:10.0.0.1:127", "ipv4:12.7.0.1:1", "ipv6:[::12]:1", "ipv6:[2001::1]:1"}) {
    EXPECT_FALSE(server::IsOwnMachine(other)) << other;
  }
}

}  // namespace
}  // namespace kiln::quarantine
