// Settings of tracing: kilnd's flags, and the environment variables that OpenTelemetry specifies.
//
// A flag comes before its variable. A variable for traces (OTEL_EXPORTER_OTLP_TRACES_...) comes
// before the general one (OTEL_EXPORTER_OTLP_...). A value that is not valid is a warning, and the
// default is used; a flag that is not valid is an error.
#ifndef KILN_SERVER_TRACE_SETTINGS_H_
#define KILN_SERVER_TRACE_SETTINGS_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/trace/exporter.h"
#include "server/trace/http_transport.h"
#include "server/trace/tracer.h"

namespace kiln::trace {

// Returns a variable's value; null: it is not set. As getenv.
using Environment = std::function<const char*(const char* name)>;

struct Flags {
  std::string endpoint;         // --otlp-endpoint; empty: not given; "none": no traces
  std::string headers_file;     // --otlp-headers-file; empty: not given
  std::optional<double> ratio;  // --trace-sampling; nothing: not given
};

struct Settings {
  Endpoint endpoint;           // without a URL: no traces are sent, and the rest is not read
  Exporter::Options exporter;  // without on_change
  Sampling sampling;
  std::vector<std::string> warnings;  // names of variables and why they are ignored
};

// Returns the URL to which spans are sent, as the flag or the environment has it; empty: none.
// InvalidArgument: the flag is no URL that can be used. A variable that is none is a warning;
// `warnings` may be null.
absl::StatusOr<std::string> TracesUrl(const std::string& flag, const Environment& environment,
                                      std::vector<std::string>* warnings = nullptr);

// Returns all settings. InvalidArgument: a flag is wrong. `version`: of the program.
absl::StatusOr<Settings> ReadSettings(const Flags& flags, const Environment& environment,
                                      const std::string& version);

}  // namespace kiln::trace

#endif  // KILN_SERVER_TRACE_SETTINGS_H_
