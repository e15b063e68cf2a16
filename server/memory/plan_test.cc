// Tests the memory plan: what fits stays, what was not given is lowered, the rest is refused.
#include "server/memory/plan.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/cache/disk_tier.h"

namespace kiln::memory {
namespace {

using server::Config;

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr uint64_t kGiB = uint64_t{1} << 30;

// Defaults, but two workers on every machine.
Config Defaults(std::vector<std::string> flags = {}) {
  flags.push_back("--cache-dir=/cache");
  auto config = server::ParseConfig(flags);
  EXPECT_TRUE(config.ok()) << config.status();
  if (config->given.count("workers") == 0) config->workers = 2;
  return *config;
}

Limits Space(uint64_t bytes) {
  Limits limits;
  limits.address_space = bytes;
  return limits;
}

Limits Group(uint64_t bytes) {
  Limits limits;
  limits.group = bytes;
  limits.group_file = "/sys/fs/cgroup/memory.max";
  return limits;
}

void ExpectFits(const Limits& limits, const Config& config) {
  EXPECT_LE(AddressSpaceNeed(config), limits.address_space);
  EXPECT_LE(config.job_memory, limits.address_space);
  if (limits.group == kUnlimited) return;
  EXPECT_LE(ResidentNeed(config) + WorkerProcesses(config) * config.job_memory, limits.group);
}

std::string Refusal(const Limits& limits, Config config) {
  const auto lowered = Fit(limits, &config);
  return lowered.ok() ? "" : std::string(lowered.status().message());
}

TEST(PlanTest, WithoutALimitAllStays) {
  Config config = Defaults();
  const auto lowered = Fit(Limits(), &config);
  ASSERT_TRUE(lowered.ok());
  EXPECT_TRUE(lowered->empty());
  EXPECT_EQ(WorkerProcesses(config), 4u);
}

TEST(PlanTest, WhatFitsStays) {
  Config config = Defaults();
  const uint64_t all = ResidentNeed(config) + WorkerProcesses(config) * config.job_memory;
  EXPECT_TRUE(Fit(Group(all), &config)->empty());
  EXPECT_EQ(Fit(Group(all - kMiB), &config)->size(), 1u);  // job-memory
  EXPECT_EQ(config.request_bytes, 256 * kMiB);
  Config odd = Defaults({"--cache-bytes=1000000007"});
  EXPECT_TRUE(Fit(Space(64 * kGiB), &odd)->empty());
}

TEST(PlanTest, UnderALimitOnAddressSpaceBoundsAreLoweredByOneShare) {
  Config config = Defaults();
  const Limits limits = Space(900'000'000);
  ASSERT_TRUE(Fit(limits, &config).ok());
  ExpectFits(limits, config);
  EXPECT_GE(config.request_bytes, config.limits.message_bytes);
  EXPECT_LT(config.request_bytes, 256 * kMiB);
  EXPECT_LT(config.memory_cache_bytes, 256 * kMiB);
  EXPECT_GE(config.disk_cache_memory, cache::DiskTier::LeastMemory(config.cache_bytes));
  EXPECT_EQ(config.job_memory, 900'000'000 / kMiB * kMiB);  // workers inherit it
  // The available memory is used.
  EXPECT_GT(AddressSpaceNeed(config), limits.address_space - 32 * kMiB);
}

TEST(PlanTest, WorkersOfAGroupGetWhatIsLeft) {
  for (uint64_t bytes : {2 * kGiB, 3 * kGiB, 4 * kGiB, 6 * kGiB, 8 * kGiB, 16 * kGiB}) {
    Config config = Defaults();
    const auto lowered = Fit(Group(bytes), &config);
    ASSERT_TRUE(lowered.ok()) << bytes << lowered.status();
    ExpectFits(Group(bytes), config);
    EXPECT_EQ(config.workers, 2u) << bytes;
    EXPECT_GE(config.job_memory, 256 * kMiB) << bytes;
    if (bytes >= 6 * kGiB) {
      EXPECT_EQ(config.request_bytes, 256 * kMiB) << bytes;
      EXPECT_GE(config.job_memory, 512 * kMiB) << bytes;
    }
    EXPECT_EQ(lowered->empty(), bytes == 16 * kGiB) << bytes;
  }
}

TEST(PlanTest, AHostOfManyProcessorsInASmallGroupHasFewerWorkers) {
  Config config = Defaults();
  config.workers = 64;  // as of --workers=0
  ASSERT_TRUE(Fit(Group(4 * kGiB), &config).ok());
  ExpectFits(Group(4 * kGiB), config);
  EXPECT_GE(config.workers, 4u);
  EXPECT_LT(config.workers, 64u);
  const std::string refused = Refusal(Group(4 * kGiB), Defaults({"--workers=64"}));
  EXPECT_NE(refused.find("--workers=64"), std::string::npos) << refused;
  EXPECT_NE(refused.find("65 worker processes x 256 MiB"), std::string::npos) << refused;
}

TEST(PlanTest, ASmallGroupHasOneWorkerAndNoSpareOne) {
  Config config = Defaults();
  ASSERT_TRUE(Fit(Group(1100 * kMiB), &config).ok());
  ExpectFits(Group(1100 * kMiB), config);
  EXPECT_EQ(config.workers, 1u);
  EXPECT_EQ(config.spare_workers, 0u);
  EXPECT_NE(Refusal(Group(kGiB), Defaults()), "");
  EXPECT_EQ(Refusal(Group(kGiB), Defaults({"--recheck=none"})), "");
}

TEST(PlanTest, WhatWasGivenStaysOrIsNamed) {
  Config config = Defaults({"--memory-cache-bytes=100MiB"});
  ASSERT_TRUE(Fit(Space(900'000'000), &config).ok());
  EXPECT_EQ(config.memory_cache_bytes, 100 * kMiB);
  // A given setting counts as given even if its value is the default.
  const std::string refused = Refusal(Space(900'000'000), Defaults({"--request-bytes=256MiB"}));
  EXPECT_NE(refused.find("858 MiB (RLIMIT_AS"), std::string::npos) << refused;
  EXPECT_NE(refused.find("576 MiB  requests being received"), std::string::npos) << refused;
  EXPECT_NE(refused.find("These settings are given: --request-bytes=256MiB"), std::string::npos)
      << refused;
  EXPECT_NE(Refusal(Group(4 * kGiB), Defaults({"--job-memory=2GiB"})).find("--job-memory=2GiB"),
            std::string::npos);
  EXPECT_NE(Refusal(Group(64 * kGiB), Defaults({"--job-memory=0"}))
                .find("workers have no memory limit: give --job-memory"),
            std::string::npos);
}

TEST(PlanTest, TooLittleForTheLeastIsRefused) {
  EXPECT_NE(Refusal(Space(300'000'000), Defaults()).find("raise the limit"), std::string::npos);
  const std::string refused = Refusal(Group(512 * kMiB), Defaults());
  EXPECT_NE(refused.find("512 MiB (/sys/fs/cgroup/memory.max)"), std::string::npos) << refused;
  EXPECT_NE(refused.find("raise the limit"), std::string::npos) << refused;
}

TEST(PlanTest, SaysTheSum) {
  const std::string text = Describe(Group(16 * kGiB), Defaults());
  EXPECT_NE(text.find("256 MiB  memory cache"), std::string::npos) << text;
  EXPECT_NE(text.find("8 GiB  4 worker processes x 2 GiB"), std::string::npos) << text;
  EXPECT_NE(text.find("allowed: 16 GiB (/sys/fs/cgroup/memory.max)"), std::string::npos) << text;
}

}  // namespace
}  // namespace kiln::memory
