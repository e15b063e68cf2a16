// Passes on the records of a trial: passes that run on a copy, for what can be learned from it, as
// whether it spills. The copy is thrown away, so its remarks and snapshots are kept back, and its
// changes and rewrites are not counted: metrics tell those of results, and a bisection (pass.h)
// numbers those.
#ifndef KILN_CORE_BASE_TRIAL_SINK_H_
#define KILN_CORE_BASE_TRIAL_SINK_H_

#include <cstdint>
#include <string_view>

#include "core/base/sink.h"

namespace kiln {

class TrialSink : public Sink {
 public:
  // `sink` must outlive this one.
  explicit TrialSink(Sink& sink) : sink_(sink) {}

  void OnPassBegin(std::string_view pass) override { sink_.OnPassBegin(pass); }
  void OnPass(const PassRecord& record) override {
    nanoseconds_ += record.nanoseconds;
    PassRecord passed_on = record;
    // A trial changes no code of the module's: only its work is told.
    passed_on.changed = false;
    passed_on.instructions_after = passed_on.instructions_before;
    passed_on.rewrites = 0;
    sink_.OnPass(passed_on);
  }

  // The sum of the records' times.
  int64_t nanoseconds() const { return nanoseconds_; }

 private:
  Sink& sink_;
  int64_t nanoseconds_ = 0;
};

}  // namespace kiln

#endif  // KILN_CORE_BASE_TRIAL_SINK_H_
