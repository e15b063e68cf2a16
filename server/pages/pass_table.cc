// Sums of pass runs: see pass_table.h.
#include "server/pages/pass_table.h"

namespace kiln::pages {
namespace {

using kiln::v1::TargetResult;

bool IsDeath(TargetResult::Status status) {
  return status == TargetResult::CRASHED || status == TargetResult::TIMED_OUT ||
         status == TargetResult::MEMORY_LIMIT;
}

// Returns the target of that index in the job; kAny for work that is done once for all.
std::string_view TargetOf(const worker::Job& job, int index) {
  if (index < 0 || index >= job.compile().targets_size()) return PassTable::kAny;
  return job.compile().targets(index);
}

// Returns the stage as the results say it, or else as the request does.
std::string_view StageOf(const worker::JobOutcome& outcome, const worker::Job& job, int index) {
  if (job.has_translate()) return job.translate().glsl().stage();
  const size_t i = index < 0 ? 0 : static_cast<size_t>(index);
  if (i < outcome.results.size() && outcome.results[i].has_value()) {
    return outcome.results[i]->stage();
  }
  return job.compile().stage();
}

}  // namespace

void NameList::Add(std::string_view name) {
  if (numbers_.try_emplace(std::string(name), names_.size()).second) names_.emplace_back(name);
}

void NameList::End() { names_.emplace_back("other"); }

size_t NameList::NumberOf(std::string_view name) const {
  const auto found = numbers_.find(name);
  return found == numbers_.end() ? names_.size() - 1 : found->second;
}

PassTable::PassTable(const worker::Hello& hello) {
  for (const auto& pass : hello.passes()) passes_.Add(pass.name());
  for (const auto& step : hello.steps()) passes_.Add(step);
  for (const auto& target : hello.targets()) targets_.Add(target.name());
  targets_.Add(kAny);
  for (const auto& stage : hello.stages()) stages_.Add(stage);
  for (NameList* list : {&passes_, &targets_, &stages_}) list->End();
}

PassTable::Row& PassTable::At(std::string_view pass, std::string_view target,
                              std::string_view stage) {
  const size_t p = passes_.NumberOf(pass), t = targets_.NumberOf(target),
               s = stages_.NumberOf(stage);
  Row& row = rows_[uint64_t{p} << 32 | uint64_t{t} << 16 | s];
  row.pass = passes_.At(p);
  row.target = targets_.At(t);
  row.stage = stages_.At(s);
  return row;
}

void PassTable::Add(const worker::JobOutcome& outcome, const worker::Job& job) {
  absl::MutexLock lock(&mutex_);
  for (const worker::PassEvent& event : outcome.passes) {
    Row& row = At(event.pass, TargetOf(job, event.target), StageOf(outcome, job, event.target));
    ++row.runs;
    if (event.changed) ++row.changed;
    row.nanoseconds += event.nanoseconds;
    const int64_t delta = event.instructions_after - event.instructions_before;
    (delta < 0 ? row.removed : row.added) += delta < 0 ? -delta : delta;
  }
  if (IsDeath(outcome.status) && !outcome.last_pass.empty()) {
    const int blamed = outcome.blamed_target;
    ++At(outcome.last_pass, TargetOf(job, blamed), StageOf(outcome, job, blamed)).deaths;
  }
}

std::vector<PassTable::Row> PassTable::Rows() const {
  absl::MutexLock lock(&mutex_);
  std::vector<Row> rows;
  rows.reserve(rows_.size());
  for (const auto& [place, row] : rows_) rows.push_back(row);
  return rows;
}

}  // namespace kiln::pages
