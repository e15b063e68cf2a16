// Settings: precedence, units, and errors that say where and what.
#include "server/config.h"

#include <gtest/gtest.h>

#include <fstream>
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
  EXPECT_NE(Error({"--job-time=0s"}).find("'job-time' takes a time"), std::string::npos);
  EXPECT_NE(Error({"--enable-fault-injection=maybe"}).find("true or false"), std::string::npos);
  EXPECT_NE(Error({"listen"}).find("'listen' is not understood"), std::string::npos);
  EXPECT_NE(Error({"--config=/nonexistent"}).find("/nonexistent cannot be read"),
            std::string::npos);
  EXPECT_NE(Error({"--cache-bytes=99999999999GiB"}).find("a size"), std::string::npos);
}

TEST(ConfigTest, HelpHasEverySettingAndExamples) {
  std::string help = HelpText();
  for (const char* text : {"--listen=", "--metrics=", "--max-connections=", "--idle-time=",
                           "--probe-interval=", "--cache-dir=", "--workers=", "--config=",
                           "Examples:", "--max-includes=", "127.0.0.1:7411"}) {
    EXPECT_NE(help.find(text), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace kiln::server
