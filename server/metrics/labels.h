// Labels and buckets that metrics.cc and metrics_families.cc share.
#ifndef KILN_SERVER_METRICS_LABELS_H_
#define KILN_SERVER_METRICS_LABELS_H_

#include <prometheus/histogram.h>

#include <cstddef>

#include "kiln/v1/compile.pb.h"

namespace kiln::metrics {

// Hits take microseconds, compiles up to minutes. No bound is whole: it would be another label in
// OpenMetrics ("1.0") than in the text format ("1").
inline const prometheus::Histogram::BucketBoundaries kSeconds = {
    0.00005, 0.0001, 0.0002, 0.0005, 0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 12.5, 62.5};

// By Metrics::Method and Metrics::Source.
inline constexpr const char* kMethodLabels[] = {"Compile", "CompileStream/item", "CompileStream",
                                                "GetCapabilities"};
inline constexpr const char* kSourceLabels[] = {"quarantine", "memory", "disk",
                                                "coalesced",  "miss",   "probe"};
struct QueuedLabels {
  const char* queue;
  const char* class_;
};
// By Metrics::Queued.
inline constexpr QueuedLabels kQueuedLabels[] = {
    {"disk", "lookup"}, {"worker", "translate"}, {"worker", "compile"}, {"worker", "express"}};
inline constexpr char kOther[] = "other";
inline constexpr char kAny[] = "any";  // target of steps done once for all targets

inline bool IsDeath(kiln::v1::TargetResult::Status status) {
  using kiln::v1::TargetResult;
  return status == TargetResult::CRASHED || status == TargetResult::TIMED_OUT ||
         status == TargetResult::MEMORY_LIMIT;
}

}  // namespace kiln::metrics

#endif  // KILN_SERVER_METRICS_LABELS_H_
