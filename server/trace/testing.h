// Keeps the spans that are exported, for tests of what spans tell.
#ifndef KILN_SERVER_TRACE_TESTING_H_
#define KILN_SERVER_TRACE_TESTING_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "server/trace/exporter.h"
#include "server/trace/tracer.h"

namespace kiln::trace {

// A span as the collector gets it: ids are hexadecimal, values of attributes are texts.
struct ExportedSpan {
  struct Event {
    std::string name;
    std::map<std::string, std::string> attributes;
  };
  std::string name, trace, id, parent;  // parent empty: it is the root
  int kind = 0;                         // of OTLP
  int64_t start = 0, end = 0;           // ns since 1970
  bool failed = false;
  std::map<std::string, std::string> attributes;
  std::vector<Event> events;
  std::string linked_trace, linked_span;  // empty: it has no link
};

// An exporter whose collector takes everything.
class KeptSpans {
 public:
  KeptSpans();

  Exporter* exporter() { return &exporter_; }
  // Returns a trace of its own, without a parent.
  std::shared_ptr<Trace> Begin();
  // Stops the exporter. Returns the bodies that it posted, one after the other.
  std::string Text();
  // Stops the exporter. Returns all spans, in the order in which they were added.
  std::vector<ExportedSpan> Spans();

 private:
  class Collector;
  absl::Mutex mutex_;
  std::vector<std::string> bodies_ ABSL_GUARDED_BY(mutex_);
  Exporter exporter_;
};

}  // namespace kiln::trace

#endif  // KILN_SERVER_TRACE_TESTING_H_
