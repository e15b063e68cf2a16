// Tests settings: precedence, units, and errors that say where and what.
#include "server/config/config.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>

namespace kiln::server {
namespace {

std::string Error(const std::vector<std::string>& arguments) {
  auto config = ParseConfig(arguments);
  return config.ok() ? "" : std::string(config.status().message());
}

TEST(ConfigTest, DefaultsListenOnLoopbackOnly) {
  auto config = ParseConfig({});
  ASSERT_TRUE(config.ok());
  EXPECT_EQ(config->listen.rfind("127.0.0.1:", 0), 0u);
  EXPECT_EQ(config->metrics.rfind("127.0.0.1:", 0), 0u);
  EXPECT_FALSE(config->enable_fault_injection);
}

// With less than a quarter of a processor an endless loop is stopped too, but no shader is blamed.
TEST(ConfigTest, ALoopWithoutEndIsBlamedWhereAWorkerHasAQuarterOfAProcessor) {
  const Config defaults;
  EXPECT_LE(4 * defaults.job_cpu_time, defaults.job_time);
}

TEST(ConfigTest, TheCommandLineWinsOverTheFile) {
  std::string file = testing::TempDir() + "/kilnd.conf";
  std::ofstream(file)
      << "# settings\nworkers = 3   # three\n\ncache-bytes=2GiB\njob-time = 1500ms\n";
  auto config = ParseConfig({"--workers=5", "--config=" + file});
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->workers, 5u);
  EXPECT_EQ(config->cache_bytes, uint64_t{2} << 30);
  EXPECT_EQ(config->job_time, absl::Milliseconds(1500));
}

TEST(ConfigTest, ErrorsNameFileLineAndRemedy) {
  Config config;
  auto message = [&](const char* text) {
    return std::string(ParseConfigText("k.conf", text, &config).message());
  };
  EXPECT_EQ(message("workers = 2\n\nwrokers = 3\n"), "k.conf:3: there is no setting 'wrokers'");
  EXPECT_EQ(message("worker = 3\n"),
            "k.conf:1: there is no setting 'worker'; did you mean 'workers'?");
  EXPECT_EQ(message("\nqueue = many\n"), "k.conf:2: 'queue' takes a number, not 'many'");
  EXPECT_EQ(message("cache-bytes = 4GB\n"),
            "k.conf:1: 'cache-bytes' takes a size such as 512MiB, not '4GB'");
  EXPECT_EQ(message("queue\n"), "k.conf:1: expected 'name = value'");
}

TEST(ConfigTest, FlagErrors) {
  EXPECT_NE(Error({"--worker-niceness=20"}).find("takes at most 19"), std::string::npos);
  EXPECT_NE(Error({"--spare-workers=1000"}).find("takes at most 64"), std::string::npos);
  EXPECT_NE(Error({"--job-time=0s"}).find("'job-time' takes a time"), std::string::npos);
  EXPECT_NE(Error({"--enable-fault-injection=maybe"}).find("true or false"), std::string::npos);
  EXPECT_NE(Error({"listen"}).find("'listen' is not a flag"), std::string::npos);
  EXPECT_NE(Error({"--config=/nonexistent"}).find("/nonexistent cannot be read"),
            std::string::npos);
  EXPECT_NE(Error({"--cache-bytes=99999999999GiB"}).find("a size"), std::string::npos);
}

// A given setting is not lowered for want of memory, even if its value is the default.
TEST(ConfigTest, KnowsWhatWasGiven) {
  const std::string file = testing::TempDir() + "/given.conf";
  std::ofstream(file) << "memory-cache-bytes = 256MiB\n";
  const auto config = ParseConfig({"--config=" + file, "--workers=0", "--memory-plan"});
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->given, (std::set<std::string>{"memory-cache-bytes", "workers"}));
  EXPECT_TRUE(config->memory_plan);
  EXPECT_GE(NumberOfWorkers(*config), 1u);
  EXPECT_EQ(NumberOfWorkers(*ParseConfig({"--workers=7"})), 7u);
}

TEST(ConfigTest, AShareIsOneOfSoMany) {
  EXPECT_EQ(ParseConfig({"--recheck=1/7"})->recheck, 7u);
  EXPECT_EQ(ParseConfig({"--recheck=none"})->recheck, 0u);
  for (const char* wrong : {"1/0", "2/7", "7", "1/", "1/x", "", "1/-1", "1/99999999999999999999"}) {
    EXPECT_NE(Error({std::string("--recheck=") + wrong}).find("a share such as 1/1000, or none"),
              std::string::npos)
        << wrong;
  }
  Config config;
  const auto shown = ShowSettings(config);
  EXPECT_NE(std::find(shown.begin(), shown.end(),
                      std::pair<std::string, std::string>("recheck", "1/1000")),
            shown.end());
}

TEST(ConfigTest, ChoicesAreNamed) {
  EXPECT_NE(Error({"--log-level=loud"}).find("'log-level' takes debug, info, warning or error"),
            std::string::npos);
  EXPECT_NE(Error({"--log-format=or"}).find("text or json"), std::string::npos);
  EXPECT_EQ(Error({"--log-level=warning", "--log-format=json"}), "");
}

TEST(ConfigTest, ARunningDaemonTakesWhatItCan) {
  Config running = *ParseConfig({"--workers=2"});
  const Config next = *ParseConfig(
      {"--workers=3", "--drain-time=7s", "--log-format=json", "--metrics=none", "--queue=1024"});
  Changes changes = TakeChanges(next, &running);
  EXPECT_EQ(changes.taken, (std::vector<std::string>{"drain-time", "log-format"}));
  EXPECT_EQ(changes.need_restart, (std::vector<std::string>{"metrics", "workers"}));
  EXPECT_EQ(running.drain_time, absl::Seconds(7));
  EXPECT_EQ(running.log_format, "json");
  EXPECT_EQ(running.workers, 2u);
  EXPECT_FALSE(running.metrics.empty());
  // A setting that needs a restart is reported again until there is one.
  changes = TakeChanges(next, &running);
  EXPECT_TRUE(changes.taken.empty());
  EXPECT_EQ(changes.need_restart.size(), 2u);
}

TEST(ConfigTest, ShowsEverySetting) {
  Config config = *ParseConfig({"--cache-bytes=3GiB", "--job-time=90s"});
  std::string all;
  for (const auto& [name, value] : ShowSettings(config)) all += name + "=" + value + " ";
  for (const char* part : {"cache-bytes=3GiB ", "job-time=1m30s ", "cache-dir=none ",
                           "quarantine-after=3 ", "log-level=info "}) {
    EXPECT_NE(all.find(part), std::string::npos) << part << " in " << all;
  }
}

TEST(ConfigTest, HelpHasEverySettingAndExamples) {
  std::string help = HelpText();
  for (const char* text : {"--listen=", "--metrics=", "--max-connections=", "--idle-time=",
                           "--probe-interval=", "--cache-dir=", "--workers=", "--config=",
                           "Examples:", "--max-includes=", "127.0.0.1:7411"}) {
    EXPECT_NE(help.find(text), std::string::npos) << text;
  }
}

TEST(ConfigTest, SizesThatNoNumberHoldsAreRefusedByName) {
  for (const char* size : {"9223372036854775808", "18446744073709551615", "8388608TiB"}) {
    const std::string error = Error({std::string("--request-bytes=") + size});
    EXPECT_NE(error.find("'request-bytes' takes at most"), std::string::npos) << size << error;
  }
  EXPECT_EQ(Error({"--request-bytes=1TiB"}), "");
  EXPECT_NE(Error({"--max-message-bytes=2GiB"}).find("'max-message-bytes'"), std::string::npos);
  EXPECT_NE(Error({"--max-response-bytes=2GiB"}).find("'max-response-bytes'"), std::string::npos);
}

TEST(ConfigTest, BoundsThatClientsCannotBeToldAreRefusedByName) {
  for (const char* name : {"max-targets", "max-defines", "max-includes", "max-spec-constants",
                           "max-disabled-passes", "max-name-bytes"}) {
    const std::string flag = std::string("--") + name + "=";
    EXPECT_EQ(Error({flag + "4294967295"}), "");
    const std::string error = Error({flag + "4294967296"});
    EXPECT_NE(error.find(std::string("'") + name + "' takes at most 4294967295"), std::string::npos)
        << name << error;
  }
}

TEST(ConfigTest, WhatAFieldMayHoldFitsIntoAMessage) {
  auto limits = [](const std::vector<std::string>& flags) { return ParseConfig(flags)->limits; };
  const Limits usual = limits({});
  EXPECT_EQ(usual.message_bytes, usual.module_bytes + (4 << 20));
  EXPECT_EQ(limits({"--max-module-bytes=32MiB"}).message_bytes, uint64_t{36} << 20);
  EXPECT_EQ(limits({"--max-glsl-bytes=64MiB"}).message_bytes, uint64_t{68} << 20);
  EXPECT_EQ(limits({"--max-module-bytes=16777215TiB"}).message_bytes, uint64_t{INT32_MAX});
  const Limits small = limits({"--max-message-bytes=1MiB"});
  EXPECT_EQ(small.message_bytes, uint64_t{1} << 20);
  EXPECT_EQ(small.module_bytes, uint64_t{1} << 20);
  EXPECT_EQ(small.glsl_bytes, uint64_t{1} << 20);
}

}  // namespace
}  // namespace kiln::server
