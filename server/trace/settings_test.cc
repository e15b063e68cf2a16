// Tests the settings of tracing: flags, and OpenTelemetry's variables.
#include "server/trace/settings.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>

namespace kiln::trace {
namespace {

using Variables = std::map<std::string, std::string>;
using Pairs = std::vector<std::pair<std::string, std::string>>;

Environment Of(const Variables& variables) {
  return [variables](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
}

Settings Read(Variables variables, Flags flags = {}) {
  variables.emplace("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318");
  auto settings = ReadSettings(flags, Of(variables), "1.2");
  EXPECT_TRUE(settings.ok()) << settings.status();
  return settings.ok() ? *settings : Settings();
}

std::string Url(const std::string& flag, const Variables& variables = {}) {
  const auto url = TracesUrl(flag, Of(variables));
  return url.ok() ? *url : std::string(url.status().message());
}

TEST(TraceSettingsTest, IsOffByDefault) {
  EXPECT_EQ(ReadSettings({}, Of({}), "1")->endpoint.url, "");
  const auto none =
      ReadSettings({"none", "", {}}, Of({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c"}}), "1");
  EXPECT_EQ(none->endpoint.url, "");
  EXPECT_TRUE(none->warnings.empty());
}

TEST(TraceSettingsTest, TakesTheEndpointAsTheSpecificationSays) {
  EXPECT_EQ(Url("http://127.0.0.1:4318"), "http://127.0.0.1:4318/v1/traces");
  EXPECT_EQ(Url("https://c/"), "https://c/v1/traces");
  EXPECT_EQ(Url("", {{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:1/base/"}}),
            "http://c:1/base/v1/traces");
  EXPECT_EQ(Url("", {{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://c:1/base"},
                     {"OTEL_EXPORTER_OTLP_ENDPOINT", "http://d"}}),
            "http://c:1/base");
  EXPECT_EQ(Url("http://flag", {{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://c"}}),
            "http://flag/v1/traces");
  EXPECT_EQ(Url("", {{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c"}, {"OTEL_SDK_DISABLED", "TRUE"}}),
            "");
  EXPECT_EQ(
      Url("", {{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://c"}, {"OTEL_TRACES_EXPORTER", "none"}}), "");
}

TEST(TraceSettingsTest, RefusesWhatIsNoUrl) {
  for (const char* bad : {"c:4318", "ftp://c", "http://", "http://:4318", "http:///path",
                          "http://c d", "http://c\n", "http://\xff", "file:///etc/passwd"}) {
    const auto url = TracesUrl(bad, Of({}));
    EXPECT_EQ(url.status().code(), absl::StatusCode::kInvalidArgument) << bad;
  }
  // The environment may be meant for programs that speak gRPC.
  const auto other = ReadSettings({}, Of({{"OTEL_EXPORTER_OTLP_ENDPOINT", "c:4317"}}), "1");
  EXPECT_EQ(other->endpoint.url, "");
  EXPECT_EQ(other->warnings.size(), 1u);
  EXPECT_EQ(Url("http://user:secret@c"),
            "--otlp-endpoint: user names and passwords belong in "
            "--otlp-headers-file; must be http://HOST:PORT or https://HOST:PORT, for example "
            "http://127.0.0.1:4318");
}

TEST(TraceSettingsTest, ReadsHeaders) {
  EXPECT_EQ(Read({{"OTEL_EXPORTER_OTLP_HEADERS", "api-key=a%20b%3D, x=1,"}}).endpoint.headers,
            (Pairs{{"api-key", "a b="}, {"x", "1"}}));
  EXPECT_EQ(
      Read({{"OTEL_EXPORTER_OTLP_TRACES_HEADERS", "x=2"}, {"OTEL_EXPORTER_OTLP_HEADERS", "x=1"}})
          .endpoint.headers,
      (Pairs{{"x", "2"}}));
  for (const char* bad : {"x", "=1", "x=%0a", "x=%g0", "x=%a", "x y=1", "x:=1"}) {
    const Settings settings = Read({{"OTEL_EXPORTER_OTLP_HEADERS", bad}});
    EXPECT_TRUE(settings.endpoint.headers.empty()) << bad;
    EXPECT_EQ(settings.warnings.size(), 1u) << bad;
  }
}

TEST(TraceSettingsTest, ReadsHeadersFromAFile) {
  const std::string path = testing::TempDir() + "/headers";
  const auto write = [&](const std::string& text) { std::ofstream(path) << text; };
  write("# secrets\nAuthorization: Bearer a:b\r\n\n X-Empty:\n");
  const Settings settings = Read({{"OTEL_EXPORTER_OTLP_HEADERS", "x=1"}}, {"", path, {}});
  EXPECT_EQ(settings.endpoint.headers, (Pairs{{"Authorization", "Bearer a:b"}, {"X-Empty", ""}}));
  for (const std::string& bad : {std::string("no colon secret"), std::string(": secret"),
                                 std::string("a b: secret"), std::string(70000, '#')}) {
    write(bad);
    const auto read = ReadSettings({"http://c", path, {}}, Of({}), "1");
    EXPECT_FALSE(read.ok()) << bad.substr(0, 20);
    EXPECT_EQ(std::string(read.status().message()).find("secret"), std::string::npos);
  }
  EXPECT_FALSE(ReadSettings({"http://c", path + "/none", {}}, Of({}), "1").ok());
}

TEST(TraceSettingsTest, NamesTheService) {
  EXPECT_EQ(Read({}).exporter.resource,
            (Resource{{"service.name", "kilnd"}, {"service.version", "1.2"}}));
  EXPECT_EQ(Read({{"OTEL_RESOURCE_ATTRIBUTES", "service.name=a,k=v%2C"}}).exporter.resource,
            (Resource{{"service.name", "a"}, {"k", "v,"}, {"service.version", "1.2"}}));
  EXPECT_EQ(Read({{"OTEL_RESOURCE_ATTRIBUTES", "service.name=a"}, {"OTEL_SERVICE_NAME", "b"}})
                .exporter.resource[0],
            (std::pair<std::string, std::string>("service.name", "b")));
  EXPECT_EQ(Read({{"OTEL_RESOURCE_ATTRIBUTES", "k"}}).warnings.size(), 1u);
}

TEST(TraceSettingsTest, ReadsTheSampler) {
  const auto sampling = [](const char* sampler, const char* argument = "") {
    const Settings settings =
        Read({{"OTEL_TRACES_SAMPLER", sampler}, {"OTEL_TRACES_SAMPLER_ARG", argument}});
    EXPECT_EQ(settings.warnings.size(), 0u) << sampler;
    return std::pair(settings.sampling.by_parent, settings.sampling.ratio);
  };
  EXPECT_EQ(sampling(""), std::pair(true, 0.0));
  EXPECT_EQ(sampling("always_on"), std::pair(false, 1.0));
  EXPECT_EQ(sampling("always_off"), std::pair(false, 0.0));
  EXPECT_EQ(sampling("traceidratio", "0.5"), std::pair(false, 0.5));
  EXPECT_EQ(sampling("parentbased_always_on"), std::pair(true, 1.0));
  EXPECT_EQ(sampling("parentbased_always_off"), std::pair(true, 0.0));
  EXPECT_EQ(sampling("parentbased_traceidratio", "0.25"), std::pair(true, 0.25));
  EXPECT_EQ(sampling("parentbased_traceidratio"), std::pair(true, 1.0));
  EXPECT_EQ(Read({{"OTEL_TRACES_SAMPLER", "jaeger_remote"}}).warnings.size(), 1u);
  EXPECT_EQ(Read({{"OTEL_TRACES_SAMPLER", "jaeger_remote"}}).sampling.ratio, 0);
  for (const char* bad : {"2", "-1", "x", "nan"}) {
    const Settings settings =
        Read({{"OTEL_TRACES_SAMPLER", "traceidratio"}, {"OTEL_TRACES_SAMPLER_ARG", bad}});
    EXPECT_EQ(settings.warnings.size(), 1u) << bad;
  }
  // The flag comes first.
  EXPECT_EQ(Read({{"OTEL_TRACES_SAMPLER", "always_on"}}, {"", "", 0.1}).sampling.ratio, 0.1);
}

TEST(TraceSettingsTest, ReadsSizesAndTimes) {
  const Settings settings = Read({{"OTEL_BSP_MAX_QUEUE_SIZE", "100"},
                                  {"OTEL_BSP_SCHEDULE_DELAY", "20"},
                                  {"OTEL_EXPORTER_OTLP_TIMEOUT", "3000"},
                                  {"OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"}});
  EXPECT_EQ(settings.exporter.queue, 100u);
  EXPECT_EQ(settings.exporter.batch, 100u);  // no more than the queue
  EXPECT_EQ(settings.exporter.delay, absl::Milliseconds(20));
  EXPECT_EQ(settings.exporter.timeout, absl::Seconds(3));
  EXPECT_TRUE(settings.warnings.empty());
  const Settings bad = Read({{"OTEL_BSP_MAX_QUEUE_SIZE", "0"},
                             {"OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "-1"},
                             {"OTEL_BSP_SCHEDULE_DELAY", "1s"},
                             {"OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "99999999999999999999"},
                             {"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"},
                             {"OTEL_EXPORTER_OTLP_COMPRESSION", "gzip"}});
  EXPECT_EQ(bad.warnings.size(), 6u);
  EXPECT_EQ(bad.exporter.queue, Exporter::Options().queue);
  EXPECT_EQ(bad.exporter.timeout, Exporter::Options().timeout);
}

}  // namespace
}  // namespace kiln::trace
