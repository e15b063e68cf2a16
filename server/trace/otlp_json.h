// Spans as an ExportTraceServiceRequest of OTLP in its JSON form, and the collector's answer.
//
// The JSON form is protobuf's, except that ids are in base 16 and enumerations are numbers: names
// in lowerCamelCase, 64-bit integers as strings. Fields with their default value are left out.
#ifndef KILN_SERVER_TRACE_OTLP_JSON_H_
#define KILN_SERVER_TRACE_OTLP_JSON_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/trace/span.h"

namespace kiln::trace {

// The producer of the spans: "service.name" and others.
using Resource = std::vector<std::pair<std::string, std::string>>;

// Returns the request's body. `version`: of the program, as the version of the scope.
std::string ToJson(const Resource& resource, std::string_view version,
                   const std::vector<Span>& spans);

// The part of a batch that a collector did not take, although it answered 200.
struct PartialSuccess {
  int64_t rejected = 0;
  std::string message;  // at most 200 bytes
};
// Reads an ExportTraceServiceResponse. Anything else counts as a full success: the status decides.
PartialSuccess ReadPartialSuccess(std::string_view body);

}  // namespace kiln::trace

#endif  // KILN_SERVER_TRACE_OTLP_JSON_H_
