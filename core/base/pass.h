// The pass runner: a table in execution order, and what happens around each row.
//
// A pass is a free function `absl::StatusOr<bool> P(M& module, PassContext& context)` that returns
// whether it changed anything. A pipeline is a constexpr table of rows; moving a row is editing
// the table, and CheckTable says in a test whether the order still holds: each constraint with its
// reason. There is no base class and no registration.
//
// For each run the runner reports to the sink: begin, then thread CPU time, changed or not,
// instruction counts before and after, rewrites, maximum live registers. A run's time begins where
// that of the run before it ended, so that bookkeeping between them has a name as well. It verifies
// after each run if asked, and stops between passes at a limit or a cancellation.
//
// Rows with the same non-zero group that follow each other are repeated until nothing changes, at
// most kMaxIterations times; a row is skipped while nothing has changed since it last did nothing.
//
// Bisection counts rewrites: an optional pass asks context.Rewrite() before each one and leaves
// the code alone when told no. `--bisect=N` then yields the first N rewrites of the whole compile;
// the N where the result turns bad names the rewrite. Passes needed for correctness are not
// limited and cannot be disabled; an optional pass that such a pass runs by itself is, by
// context.RunOptional.
//
// The runner is generic over the module type M (MIR, LIR, ...): a Level says how to print, verify
// and count it. One Runner serves all levels of a compile, so that counts run on.
#ifndef KILN_CORE_BASE_PASS_H_
#define KILN_CORE_BASE_PASS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/base/pass_options.h"
#include "core/base/sink.h"
#include "core/base/step.h"

namespace kiln {

bool IsDisabled(const PassOptions& options, std::string_view name);

class Runner;

// What a pass may ask and tell.
class PassContext {
 public:
  // Counts a rewrite about to be made. False: make neither this one nor further ones.
  bool Rewrite();
  // Runs an optional pass inside this one: it counts, is limited and may be disabled as a row of
  // that name in the table. Remarks and times are this pass's. Returns whether anything changed.
  template <class M>
  absl::StatusOr<bool> RunOptional(std::string_view name,
                                   absl::StatusOr<bool> (*pass)(M&, PassContext&), M& module);
  // True once the compile is cancelled: return soon, with the module well-formed. Cheap; long
  // passes ask at least every 1,024 steps.
  bool Cancelled() const;
  // A decision worth explaining. `kind` is snake_case from a bounded set.
  void Remark(std::string_view kind, uint32_t spirv_id, std::string text);
  void set_max_live(int64_t registers) { max_live_ = registers; }

  // A context outside of a runner, for unit tests: no limits, no sink.
  static PassContext ForTest(int64_t rewrite_limit = -1);
  int64_t rewrites() const { return rewrites_; }

 private:
  friend class Runner;
  PassContext() = default;

  std::string_view pass_;
  Sink* sink_ = nullptr;
  const Budget* budget_ = nullptr;
  int width_ = 0;  // of remarks
  const PassOptions* options_ = nullptr;
  bool optional_ = true;    // the pass at hand is: its rewrites count
  int64_t remaining_ = -1;  // rewrites still allowed; -1: any number
  int64_t rewrites_ = 0;    // that counted
  int64_t max_live_ = 0;
};

template <class M>
struct Pass {
  std::string_view name;  // snake_case, a verb by effect
  absl::StatusOr<bool> (*run)(M&, PassContext&) = nullptr;
  bool optional = false;  // may be disabled and bisected
  uint8_t group = 0;
  std::string_view summary = {};  // one line for people
};

struct PassOrder {
  std::string_view first;
  std::string_view then;
  std::string_view reason;
};

template <class M>
struct Level {
  std::string_view name;  // "mir", "lir", "machine"
  std::string (*print)(const M&) = nullptr;
  absl::Status (*verify)(const M&) = nullptr;
  int64_t (*count)(const M&) = nullptr;
};

// A row without its function: what the checks below work on.
struct PassRow {
  std::string_view name;
  bool optional = false;
  uint8_t group = 0;
  std::string_view summary = {};
};

template <class M>
std::vector<PassRow> Rows(absl::Span<const Pass<M>> table) {
  std::vector<PassRow> rows;
  for (const Pass<M>& p : table) {
    rows.push_back({p.name, p.optional, p.group, p.summary});
  }
  return rows;
}

// Names are unique, constraints name passes and hold, a group's rows are together.
absl::Status CheckTable(absl::Span<const PassRow> rows, absl::Span<const PassOrder> orders);

// InvalidArgument for options that name a pass that none of the rows has, or disable one needed
// for correctness. `rows`: of all tables of the compile.
absl::Status CheckOptions(absl::Span<const PassRow> rows, const PassOptions& options);

// IR and pipeline as one text. The first line is a comment of the IR's text form, which parsers
// skip; ReproducerPasses reads it back.
std::string MakeReproducer(absl::Span<const std::string> passes, std::string_view ir);
std::vector<std::string> ReproducerPasses(std::string_view reproducer);

class Runner {
 public:
  static constexpr int kMaxIterations = 4;

  // `sink` may be null. Options, sink and budget must outlive the runner.
  Runner(const PassOptions& options, Sink* sink, const Budget& budget)
      : options_(options), sink_(sink), budget_(budget) {}

  // Dispatch width reported with the records that follow.
  void set_width(int width) { width_ = width; }
  // Rewrites that this compile made before, in another runner: counting goes on from there.
  void set_rewrites(int64_t rewrites) { rewrites_ = rewrites; }

  // Runs the table (or what options.only names of it) on the module. Errors: the pass's own, but
  // what it calls invalid is Internal (AsOwnFault: the module is of our making); Cancelled;
  // ResourceExhausted at max_instructions; Internal if verification fails. After stop_after,
  // stopped() is true and further calls do nothing.
  template <class M>
  absl::Status Run(const Level<M>& level, absl::Span<const Pass<M>> table, M& module);

  bool stopped() const { return stopped_; }
  const Budget& budget() const { return budget_; }
  // Rewrites made by optional passes so far, those of set_rewrites included.
  int64_t rewrites() const { return rewrites_; }
  // After an error with make_reproducer: the IR before the pass that failed, and its name.
  const std::string& reproducer() const { return reproducer_; }

 private:
  template <class M>
  absl::Status RunGroup(const Level<M>& level, absl::Span<const Pass<M>> rows, M& module);
  // A row's turn: its pass, if it is to run, and the end where stop_after names it.
  template <class M>
  absl::StatusOr<bool> RunRow(const Level<M>& level, const Pass<M>& pass, M& module);
  template <class M>
  absl::StatusOr<bool> RunPass(const Level<M>& level, const Pass<M>& pass, M& module);
  template <class M>
  static int64_t Count(const Level<M>& level, const M& module) {
    return level.count == nullptr ? 0 : level.count(module);
  }

  PassContext Begin(std::string_view name, bool optional);
  // Reports the record; afterwards an error if the compile must end here.
  absl::Status End(PassContext& context, PassRecord record, bool changed);
  bool WantsSnapshot(std::string_view name, bool changed) const;
  absl::Status Annotate(const absl::Status& status, std::string_view name) const;
  void KeepReproducer(std::string_view name, const std::string& before);
  int64_t Now() const { return sink_ == nullptr ? 0 : ThreadNanoseconds(); }

  const PassOptions& options_;
  Sink* sink_;
  const Budget& budget_;
  int width_ = 0;
  bool stopped_ = false;
  int64_t rewrites_ = 0;
  int64_t instructions_ = 0;   // of the module at hand, as counted after its last change
  int64_t counted_until_ = 0;  // thread CPU time that records cover
  std::string reproducer_;
};

// ---- Implementation of the templates ----

template <class M>
absl::StatusOr<bool> PassContext::RunOptional(std::string_view name,
                                              absl::StatusOr<bool> (*pass)(M&, PassContext&),
                                              M& module) {
  if (options_ != nullptr && IsDisabled(*options_, name)) return false;
  if (remaining_ == 0) return false;
  const bool outer = std::exchange(optional_, true);
  absl::StatusOr<bool> changed = pass(module, *this);
  optional_ = outer;
  return changed;
}

template <class M>
absl::Status Runner::Run(const Level<M>& level, absl::Span<const Pass<M>> table, M& module) {
  counted_until_ = Now();
  instructions_ = Count(level, module);
  if (!options_.only.empty()) {
    for (const std::string& name : options_.only) {
      for (size_t i = 0; i < table.size() && !stopped_; ++i) {
        if (table[i].name != name) continue;
        absl::Status status = RunRow(level, table[i], module).status();
        if (!status.ok()) return status;
      }
    }
    return absl::OkStatus();
  }
  for (size_t i = 0; i < table.size() && !stopped_;) {
    size_t end = i + 1;
    while (table[i].group != 0 && end < table.size() && table[end].group == table[i].group) ++end;
    absl::Status status = RunGroup(level, table.subspan(i, end - i), module);
    if (!status.ok()) return status;
    i = end;
  }
  return absl::OkStatus();
}

template <class M>
absl::Status Runner::RunGroup(const Level<M>& level, absl::Span<const Pass<M>> rows, M& module) {
  const int iterations = rows[0].group == 0 ? 1 : kMaxIterations;
  // The module's state is numbered by its changes; a row that did nothing in this state is idle.
  int64_t state = 0;
  std::vector<int64_t> idle_in(rows.size(), -1);
  for (int iteration = 0; iteration < iterations; ++iteration) {
    const int64_t start = state;
    for (size_t i = 0; i < rows.size(); ++i) {
      if (idle_in[i] == state) continue;
      absl::StatusOr<bool> changed = RunRow(level, rows[i], module);
      if (!changed.ok()) return changed.status();
      if (stopped_) return absl::OkStatus();
      if (*changed) {
        ++state;
      } else {
        idle_in[i] = state;
      }
    }
    if (state == start) break;
  }
  return absl::OkStatus();
}

template <class M>
absl::StatusOr<bool> Runner::RunRow(const Level<M>& level, const Pass<M>& pass, M& module) {
  const bool beyond = options_.bisect_limit >= 0 && rewrites_ >= options_.bisect_limit;
  const bool left_out = pass.optional && (beyond || IsDisabled(options_, pass.name));
  const absl::StatusOr<bool> changed = left_out ? false : RunPass(level, pass, module);
  if (changed.ok() && pass.name == options_.stop_after) stopped_ = true;
  return changed;
}

template <class M>
absl::StatusOr<bool> Runner::RunPass(const Level<M>& level, const Pass<M>& pass, M& module) {
  std::string before;
  if (options_.make_reproducer && level.print != nullptr) before = level.print(module);

  PassRecord record;
  record.pass = pass.name;
  record.level = level.name;
  record.instructions_before = instructions_;
  PassContext context = Begin(pass.name, pass.optional);
  const absl::StatusOr<bool> result = pass.run(module, context);
  const bool changed = result.ok() && *result;
  if (changed || !result.ok()) instructions_ = Count(level, module);
  const int64_t start = std::exchange(counted_until_, Now());
  record.nanoseconds = counted_until_ - start;
  record.instructions_after = instructions_;
  absl::Status status = End(context, record, changed);

  if (!result.ok()) status = Annotate(result.status(), pass.name);
  if (status.ok() && WantsSnapshot(pass.name, changed) && level.print != nullptr) {
    sink_->OnSnapshot(pass.name, level.print(module));
  }
  if (status.ok() && options_.verify_each && level.verify != nullptr) {
    status = Annotate(level.verify(module), pass.name);
  }
  if (status.ok() && options_.verify_each && Count(level, module) != instructions_) {
    status = Annotate(absl::InternalError("changed the number of instructions and denies it"),
                      pass.name);
  }
  if (!status.ok()) {
    if (options_.make_reproducer) KeepReproducer(pass.name, before);
    return status;
  }
  if (options_.verify_each || !options_.print_after.empty()) counted_until_ = Now();
  return changed;
}

}  // namespace kiln

#endif  // KILN_CORE_BASE_PASS_H_
