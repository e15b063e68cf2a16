// Tests the daemon's pages as files and documents over HttpPages' functions: what there is, and
// that a browser is told to load nothing from elsewhere.
#include "server/pages/pages.h"

#include <gtest/gtest.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "core/base/testing/await.h"

namespace kiln::pages {
namespace {

using nlohmann::json;

class PagesTest : public testing::Test {
 protected:
  PagesTest() : activity_(worker::Hello()) {
    prometheus::BuildGauge().Name("kiln_workers").Register(registry_).Add({}).Set(3);
  }
  Pages::Sources Sources() {
    Pages::Sources sources;
    sources.collect = [this] { return registry_.Collect(); };
    sources.health = [] { return Health{Health::State::kFailing, {"deaf"}}; };
    sources.activity = &activity_;
    sources.log = &log_;
    sources.facts.version = "1.2.3";
    return sources;
  }

  prometheus::Registry registry_;
  Activity activity_;
  log::Log log_{Silent()};

  // Returns the options of a log that writes to no file.
  static log::Options Silent() {
    log::Options options;
    options.fd = -1;
    return options;
  }
};

TEST_F(PagesTest, EachPageIsQuickButTheStatus) {
  const Pages pages(Sources());
  const net::HttpPages::Pages quick = pages.Quick(), slow = pages.Slow();
  for (const char* path :
       {"/", "/passes", "/shaders", "/log", "/kiln.js", "/style.css", "/icon.svg", "/history.json",
        "/passes.json", "/shaders.json", "/log.json"}) {
    ASSERT_TRUE(quick.contains(path)) << path;
    const net::HttpPages::Page page = quick.at(path).make(false);
    EXPECT_EQ(page.status, 200);
    EXPECT_FALSE(page.body.empty());
    EXPECT_NE(page.headers.find("Content-Security-Policy: default-src 'none'"), std::string::npos);
    EXPECT_TRUE(page.headers.ends_with("\r\n"));
  }
  EXPECT_EQ(slow.size(), 1u);
  const json status = json::parse(slow.at("/status.json").make(false).body);
  EXPECT_EQ(status["health"]["state"], "failing");
  EXPECT_EQ(status["version"], "1.2.3");
}

TEST_F(PagesTest, TheFirstSampleIsTakenAtTheStart) {
  const Pages pages(Sources());
  const auto history = [&] {
    return json::parse(pages.Quick().at("/history.json").make(false).body);
  };
  ASSERT_TRUE(Await([&] { return history()["samples"].size() == 1; }));
  const json columns = history()["columns"];
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i][0] != "workers") continue;
    EXPECT_EQ(history()["samples"][0][i], 3);
  }
}

TEST_F(PagesTest, TheLogsLatestEventsAreThere) {
  log_.Write(log::Event::kStarted, {{"version", "1.2.3"}});
  const Pages pages(Sources());
  const json log = json::parse(pages.Quick().at("/log.json").make(false).body);
  ASSERT_EQ(log["lines"].size(), 1u);
  EXPECT_EQ(log["lines"][0]["event"], "started");
  EXPECT_EQ(log["lines"][0]["version"], "1.2.3");
}

}  // namespace
}  // namespace kiln::pages
