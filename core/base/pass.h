// The pass runner: runs a table of passes in order, with reports, verification and limits.
//
// A pass is a free function `absl::StatusOr<bool> P(M& module, PassContext& context)` that returns
// true if it changed anything. A pipeline is a constexpr table of rows; to move a pass, edit the
// table. CheckTable verifies in a test that the order still satisfies its constraints, each of
// which has a reason. There is no base class and no registration.
//
// For each run the runner reports to the sink: begin, then thread CPU time, changed or not,
// instruction counts before and after, rewrites, maximum live registers. A run's time begins where
// that of the previous run ended, so that the bookkeeping between them is counted too. The runner
// verifies after each run if requested, and stops between passes at a limit or a cancellation.
//
// Consecutive rows with the same non-zero group are repeated until nothing changes, at most
// kMaxIterations times; a row is skipped while nothing has changed since it last did nothing.
//
// Bisection counts rewrites: an optional pass calls context.Rewrite() before each one and leaves
// the code alone if that returns false. `--bisect=N` thus performs the first N rewrites of the
// whole compile; the N at which the result turns bad identifies the rewrite. Passes needed for
// correctness are not limited and cannot be disabled; an optional pass that such a pass runs by
// itself (context.RunOptional) is and can.
//
// The runner is generic over the module type M (MIR, LIR, ...): a Level gives the functions that
// print, verify and count it. One Runner serves all levels of a compile, so that counts continue.
//
// A pass that compiles a copy of the program to learn from it does so by context.Try: the passes of
// such a trial are reported like others, and their time is theirs, not also that of the outer pass.
// Trials are outside of bisection: they neither use nor obey its limit, so that the first N
// rewrites are the same for every N.
#ifndef KILN_CORE_BASE_PASS_H_
#define KILN_CORE_BASE_PASS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/base/pass_options.h"
#include "core/base/sink.h"
#include "core/base/step.h"
#include "core/base/trial_sink.h"

namespace kiln {

bool IsDisabled(const PassOptions& options, std::string_view name);

class Runner;
template <class M>
struct Level;
template <class M>
struct Pass;

// The pass's access to the runner: permission for rewrites, cancellation, remarks.
class PassContext {
 public:
  // Counts a rewrite about to be made. False: make neither this one nor further ones.
  bool Rewrite();
  // Runs an optional pass inside this one. It counts rewrites, is limited, and may be disabled like
  // a row of that name in the table. Its remarks and times are this pass's. Returns true if
  // anything changed.
  template <class M>
  absl::StatusOr<bool> RunOptional(std::string_view name,
                                   absl::StatusOr<bool> (*pass)(M&, PassContext&), M& module);
  // Runs a table on a copy up to the pass `last`, at a dispatch width, and reports each pass as one
  // of a trial (trial_sink.h). Runs without the passes that the caller has disabled, without limit
  // on rewrites, without verification. Errors: those of Runner::Run.
  template <class M>
  absl::Status Try(const Level<M>& level, absl::Span<const Pass<M>> table, std::string_view last,
                   int width, M& copy);
  // True once the compile is cancelled: return soon, with the module well-formed. Cheap; long
  // passes call it at least every 1,024 steps.
  bool Cancelled() const;
  // Reports a decision worth explaining. `kind` is snake_case from a bounded set.
  void Remark(std::string_view kind, uint32_t spirv_id, std::string text);
  void set_max_live(int64_t registers) { max_live_ = registers; }

  // Makes a context outside of a runner, for unit tests: no sink, no limits but `rewrite_limit`.
  static PassContext ForTest(int64_t rewrite_limit = -1);
  int64_t rewrites() const { return rewrites_; }

 private:
  friend class Runner;
  PassContext() = default;

  std::string_view pass_;
  Sink* sink_ = nullptr;
  const Budget* budget_ = nullptr;
  int width_ = 0;  // reported with remarks
  const PassOptions* options_ = nullptr;
  bool optional_ = true;    // the running pass is optional: its rewrites count
  int64_t remaining_ = -1;  // rewrites still allowed; -1: any number
  int64_t rewrites_ = 0;    // that counted
  int64_t max_live_ = 0;
  int64_t trial_nanoseconds_ = 0;  // in records of their own
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

// A row without its function, for the checks below.
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

// Checks that names are unique, constraints name passes and hold, and a group's rows are adjacent.
absl::Status CheckTable(absl::Span<const PassRow> rows, absl::Span<const PassOrder> orders);

// Returns InvalidArgument if the options name a pass that none of the rows has, or disable one
// needed for correctness. `rows`: the rows of all tables of the compile.
absl::Status CheckOptions(absl::Span<const PassRow> rows, const PassOptions& options);

class Runner {
 public:
  static constexpr int kMaxIterations = 4;

  // `sink` may be null. Options, sink and budget must outlive the runner.
  Runner(const PassOptions& options, Sink* sink, const Budget& budget)
      : options_(options), sink_(sink), budget_(budget) {}

  // Sets the dispatch width reported with the records that follow.
  void set_width(int width) { width_ = width; }
  // Sets the number of rewrites that this compile made before, in another runner: counting
  // continues from there.
  void set_rewrites(int64_t rewrites) { rewrites_ = rewrites; }

  // Runs the table on the module. Errors: the pass's
  // own, with invalid-argument statuses turned into Internal (AsOwnFault: the compiler made the
  // module); Cancelled; ResourceExhausted at max_instructions; Internal if verification fails.
  // After stop_after, stopped() is true and further calls do nothing.
  template <class M>
  absl::Status Run(const Level<M>& level, absl::Span<const Pass<M>> table, M& module);

  bool stopped() const { return stopped_; }
  // Returns true if no pass of the group that ran last would change the module: each ran and
  // changed nothing in the state that it is in, without a limit on rewrites.
  bool settled() const { return settled_; }
  const Budget& budget() const { return budget_; }
  // Number of rewrites made by optional passes so far, including those of set_rewrites.
  int64_t rewrites() const { return rewrites_; }

 private:
  template <class M>
  absl::Status RunGroup(const Level<M>& level, absl::Span<const Pass<M>> rows, M& module);
  // Runs the row's pass unless it is disabled, and stops after it if stop_after names it.
  template <class M>
  absl::StatusOr<bool> RunRow(const Level<M>& level, const Pass<M>& pass, M& module);
  template <class M>
  absl::StatusOr<bool> RunPass(const Level<M>& level, const Pass<M>& pass, M& module);
  template <class M>
  static int64_t Count(const Level<M>& level, const M& module) {
    return level.count == nullptr ? 0 : level.count(module);
  }

  PassContext Begin(std::string_view name, bool optional);
  // Reports the record; returns an error if the compile must end here.
  absl::Status End(const PassContext& context, PassRecord& record, bool changed);
  bool WantsSnapshot(std::string_view name, bool changed) const;
  absl::Status Annotate(const absl::Status& status, std::string_view name) const;
  int64_t Now() const { return sink_ == nullptr ? 0 : ThreadNanoseconds(); }

  const PassOptions& options_;
  Sink* sink_;
  const Budget& budget_;
  int width_ = 0;
  bool stopped_ = false;
  bool settled_ = false;
  int64_t rewrites_ = 0;
  int64_t instructions_ = 0;   // of the current module, as counted after its last change
  int64_t counted_until_ = 0;  // thread CPU time covered by records
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
absl::Status PassContext::Try(const Level<M>& level, absl::Span<const Pass<M>> table,
                              std::string_view last, int width, M& copy) {
  PassOptions options;
  if (options_ != nullptr) options.disabled = options_->disabled;
  options.stop_after = std::string(last);
  const Budget unlimited;
  std::optional<TrialSink> records;
  if (sink_ != nullptr) records.emplace(*sink_);
  Runner runner(options, records ? &*records : nullptr, budget_ == nullptr ? unlimited : *budget_);
  runner.set_width(width);
  const absl::Status status = runner.Run(level, table, copy);
  if (records) {
    trial_nanoseconds_ += records->nanoseconds();
    sink_->OnPassBegin(pass_);  // goes on
  }
  return status;
}

template <class M>
absl::Status Runner::Run(const Level<M>& level, absl::Span<const Pass<M>> table, M& module) {
  counted_until_ = Now();
  instructions_ = Count(level, module);
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
  // Changes number the module's states; a row is idle in the state in which it did nothing.
  int64_t state = 0;
  settled_ = false;
  const bool all = options_.bisect_limit < 0 && options_.disabled.empty();
  constexpr size_t kUsualRows = 32;
  absl::InlinedVector<int64_t, kUsualRows> idle_in(rows.size(), -1);
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
    if (state != start) continue;
    settled_ = all;
    break;
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
  PassRecord record;
  record.pass = pass.name;
  record.level = level.name;
  record.instructions_before = instructions_;
  PassContext context = Begin(pass.name, pass.optional);
  const absl::StatusOr<bool> result = pass.run(module, context);
  const bool changed = result.ok() && *result;
  if (changed || !result.ok()) instructions_ = Count(level, module);
  const int64_t start = std::exchange(counted_until_, Now());
  record.nanoseconds = counted_until_ - start - context.trial_nanoseconds_;
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
    status =
        Annotate(absl::InternalError("reported no change but changed the number of instructions"),
                 pass.name);
  }
  if (!status.ok()) return status;
  if (options_.verify_each || !options_.print_after.empty()) counted_until_ = Now();
  return changed;
}

}  // namespace kiln

#endif  // KILN_CORE_BASE_PASS_H_
