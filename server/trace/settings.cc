// Reads the settings of tracing: see settings.h.
#include "server/trace/settings.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace kiln::trace {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

constexpr char kNone[] = "none";
constexpr uint64_t kMaxQueue = 65536;
constexpr size_t kMaxFileBytes = size_t{64} << 10;

std::string Get(const Environment& environment, const std::string& name) {
  const char* value = environment(name.c_str());
  return value == nullptr ? "" : value;
}

// Returns the value of OTEL_EXPORTER_OTLP_TRACES_`name`, or else of OTEL_EXPORTER_OTLP_`name`.
std::string GetForTraces(const Environment& environment, const std::string& name) {
  const std::string own = Get(environment, "OTEL_EXPORTER_OTLP_TRACES_" + name);
  return own.empty() ? Get(environment, "OTEL_EXPORTER_OTLP_" + name) : own;
}

absl::Status CheckUrl(const std::string& from, const std::string& url) {
  const auto wrong = [&](const char* what) {
    return absl::InvalidArgumentError(absl::StrCat(
        from, ": ", what, "; must be http://HOST:PORT or https://HOST:PORT, for example ",
        "http://127.0.0.1:4318"));
  };
  absl::string_view rest = url;
  if (!absl::ConsumePrefix(&rest, "http://") && !absl::ConsumePrefix(&rest, "https://")) {
    return wrong("it does not begin with http:// or https://");
  }
  const absl::string_view place = rest.substr(0, rest.find_first_of("/?#"));
  if (place.empty() || place[0] == ':') return wrong("the host is missing");
  // The endpoint is shown in the log.
  if (absl::StrContains(place, "@")) {
    return wrong("user names and passwords belong in --otlp-headers-file");
  }
  for (const char c : url) {
    if (c <= ' ' || c > '~') return wrong("it has a character that URLs do not have");
  }
  return absl::OkStatus();
}

bool IsHeader(absl::string_view name, absl::string_view value) {
  const auto is_token = [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
           absl::StrContains("!#$%&'*+-.^_`|~", absl::string_view(&c, 1));
  };
  return !name.empty() && std::all_of(name.begin(), name.end(), is_token) &&
         std::all_of(value.begin(), value.end(), [](char c) { return c >= ' ' && c != 0x7f; });
}

// Decodes %XX; nothing: a '%' without two digits.
std::optional<std::string> PercentDecoded(absl::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded.push_back(text[i]);
      continue;
    }
    const absl::string_view digits = text.substr(i + 1, 2);
    const bool ok = digits.size() == 2 &&
                    absl::ascii_isxdigit(static_cast<unsigned char>(digits[0])) &&
                    absl::ascii_isxdigit(static_cast<unsigned char>(digits[1]));
    if (!ok) return std::nullopt;
    decoded.append(absl::HexStringToBytes(digits));
    i += 2;
  }
  return decoded;
}

// Parses "key=value,key=value" with values in percent encoding, as W3C's baggage has it. Nothing:
// it is something else.
std::optional<Pairs> ParsePairs(const std::string& text) {
  Pairs pairs;
  for (absl::string_view part : absl::StrSplit(text, ',')) {
    part = absl::StripAsciiWhitespace(part);
    if (part.empty()) continue;
    const size_t equals = part.find('=');
    if (equals == absl::string_view::npos) return std::nullopt;
    const auto key = PercentDecoded(absl::StripAsciiWhitespace(part.substr(0, equals)));
    const auto value = PercentDecoded(absl::StripAsciiWhitespace(part.substr(equals + 1)));
    if (!key.has_value() || key->empty() || !value.has_value()) return std::nullopt;
    pairs.emplace_back(*key, *value);
  }
  return pairs;
}

// Reads lines "Name: value".
absl::StatusOr<Pairs> ReadHeaders(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kMaxFileBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  const std::string flag = absl::StrCat("--otlp-headers-file=", path, ": ");
  if (file.bad() || (text.empty() && !file.eof())) {
    return absl::InvalidArgumentError(flag + "the file cannot be read");
  }
  if (text.size() > kMaxFileBytes) {
    return absl::InvalidArgumentError(flag + "the file has more than 64 KiB");
  }
  Pairs headers;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line);
    if (line.empty() || line[0] == '#') continue;
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(line, absl::MaxSplits(':', 1));
    const absl::string_view value = absl::StripAsciiWhitespace(parts.second);
    if (!absl::StrContains(line, ":") || !IsHeader(parts.first, value)) {
      // Without the line: it may be a secret.
      return absl::InvalidArgumentError(
          absl::StrCat(flag, "line ", number, " is not of the form 'Name: value'"));
    }
    headers.emplace_back(parts.first, value);
  }
  return headers;
}

class Reader {
 public:
  Reader(const Environment& environment, Settings* settings)
      : environment_(environment), settings_(settings) {}

  void ReadHeadersOfEnvironment() {
    const std::string text = GetForTraces(environment_, "HEADERS");
    const std::optional<Pairs> pairs = ParsePairs(text);
    const bool valid = pairs.has_value() && std::all_of(pairs->begin(), pairs->end(), [](auto& p) {
                         return IsHeader(p.first, p.second);
                       });
    if (!valid) {
      Warn("OTEL_EXPORTER_OTLP_HEADERS", "it is not of the form name=value,name=value");
    } else {
      settings_->endpoint.headers = *pairs;
    }
  }

  void ReadResource(const std::string& version) {
    Resource& resource = settings_->exporter.resource;
    const std::optional<Pairs> pairs = ParsePairs(Get(environment_, "OTEL_RESOURCE_ATTRIBUTES"));
    if (!pairs.has_value()) {
      Warn("OTEL_RESOURCE_ATTRIBUTES", "it is not of the form key=value,key=value");
    } else {
      resource = *pairs;
    }
    const auto set = [&](const std::string& key, const std::string& value, bool always) {
      auto found = std::find_if(resource.begin(), resource.end(),
                                [&](const auto& pair) { return pair.first == key; });
      if (found == resource.end()) {
        resource.emplace_back(key, value);
      } else if (always) {
        found->second = value;
      }
    };
    const std::string name = Get(environment_, "OTEL_SERVICE_NAME");
    set("service.name", name.empty() ? "kilnd" : name, !name.empty());
    set("service.version", version, false);
  }

  void ReadSampling(const std::optional<double>& flag) {
    Sampling& sampling = settings_->sampling;
    if (flag.has_value()) {
      sampling.ratio = *flag;
      return;
    }
    std::string sampler = Get(environment_, "OTEL_TRACES_SAMPLER");
    if (sampler.empty()) return;
    absl::string_view kind = sampler;
    sampling.by_parent = absl::ConsumePrefix(&kind, "parentbased_");
    if (kind == "always_on") {
      sampling.ratio = 1;
    } else if (kind == "traceidratio") {
      sampling.ratio = Ratio();
    } else if (kind != "always_off") {
      sampling = Sampling();
      Warn("OTEL_TRACES_SAMPLER", "there is no such sampler");
    }
  }

  void ReadBatches() {
    Exporter::Options& options = settings_->exporter;
    options.queue = Number("OTEL_BSP_MAX_QUEUE_SIZE", options.queue, kMaxQueue);
    options.batch =
        std::min(options.queue, Number("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", options.batch, kMaxQueue));
    options.delay = Time("OTEL_BSP_SCHEDULE_DELAY", options.delay);
    const char* own = "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT";
    options.timeout =
        Time(Get(environment_, own).empty() ? "OTEL_EXPORTER_OTLP_TIMEOUT" : own, options.timeout);
  }

  void CheckProtocol() {
    const std::string protocol = GetForTraces(environment_, "PROTOCOL");
    if (!protocol.empty() && protocol != "http/json") {
      Warn("OTEL_EXPORTER_OTLP_PROTOCOL", "kilnd speaks http/json only");
    }
    const std::string compression = GetForTraces(environment_, "COMPRESSION");
    if (!compression.empty() && compression != kNone) {
      Warn("OTEL_EXPORTER_OTLP_COMPRESSION", "kilnd does not compress");
    }
  }

 private:
  void Warn(const std::string& name, const std::string& why) {
    settings_->warnings.push_back(absl::StrCat(name, " is ignored: ", why));
  }

  double Ratio() {
    const std::string text = Get(environment_, "OTEL_TRACES_SAMPLER_ARG");
    double ratio = 1;
    if (text.empty() || (absl::SimpleAtod(text, &ratio) && ratio >= 0 && ratio <= 1)) return ratio;
    Warn("OTEL_TRACES_SAMPLER_ARG", "it is not a number from 0 to 1");
    return 1;
  }

  uint64_t Number(const std::string& name, uint64_t otherwise, uint64_t most) {
    const std::string text = Get(environment_, name);
    uint64_t number = 0;
    if (text.empty()) return otherwise;
    if (absl::SimpleAtoi(text, &number) && number > 0 && number <= most) return number;
    Warn(name, absl::StrCat("it is not a number from 1 to ", most));
    return otherwise;
  }

  absl::Duration Time(const std::string& name, absl::Duration otherwise) {
    constexpr uint64_t kHour = 3600 * 1000;
    const int64_t milliseconds = absl::ToInt64Milliseconds(otherwise);
    return absl::Milliseconds(Number(name, static_cast<uint64_t>(milliseconds), kHour));
  }

  const Environment& environment_;
  Settings* settings_;
};

}  // namespace

absl::StatusOr<std::string> TracesUrl(const std::string& flag, const Environment& environment,
                                      std::vector<std::string>* warnings) {
  if (flag == kNone) return "";
  std::string from = "--otlp-endpoint", url;
  bool is_base = false;  // the path is to be added
  if (!flag.empty()) {
    url = flag;
    is_base = true;
  } else {
    if (absl::AsciiStrToLower(Get(environment, "OTEL_SDK_DISABLED")) == "true" ||
        Get(environment, "OTEL_TRACES_EXPORTER") == kNone) {
      return "";
    }
    from = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
    url = Get(environment, from);
    if (url.empty()) {
      from = "OTEL_EXPORTER_OTLP_ENDPOINT";
      url = Get(environment, from);
      if (url.empty()) return "";
      is_base = true;
    }
  }
  if (absl::Status status = CheckUrl(from, url); !status.ok()) {
    if (!flag.empty()) return status;
    if (warnings != nullptr) {
      warnings->push_back(absl::StrCat("no traces are sent: ", status.message()));
    }
    return "";
  }
  return is_base ? absl::StrCat(absl::StripSuffix(url, "/"), "/v1/traces") : url;
}

absl::StatusOr<Settings> ReadSettings(const Flags& flags, const Environment& environment,
                                      const std::string& version) {
  Settings settings;
  const absl::StatusOr<std::string> url =
      TracesUrl(flags.endpoint, environment, &settings.warnings);
  if (!url.ok()) return url.status();
  if (url->empty()) return settings;
  settings.endpoint.url = *url;
  settings.endpoint.user_agent = absl::StrCat("kilnd/", version);
  settings.exporter.version = version;
  Reader reader(environment, &settings);
  if (flags.headers_file.empty()) {
    reader.ReadHeadersOfEnvironment();
  } else {
    absl::StatusOr<Pairs> headers = ReadHeaders(flags.headers_file);
    if (!headers.ok()) return headers.status();
    settings.endpoint.headers = *std::move(headers);
  }
  settings.endpoint.ca = GetForTraces(environment, "CERTIFICATE");
  settings.endpoint.certificate = GetForTraces(environment, "CLIENT_CERTIFICATE");
  settings.endpoint.key = GetForTraces(environment, "CLIENT_KEY");
  reader.ReadResource(version);
  reader.ReadSampling(flags.ratio);
  reader.ReadBatches();
  reader.CheckProtocol();
  return settings;
}

}  // namespace kiln::trace
