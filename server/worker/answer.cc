// Checks a worker's answer to a job: see answer.h.
#include "server/worker/answer.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "proto/statistics.h"

namespace kiln::worker {
namespace {

using kiln::v1::TargetResult;
using kiln::v1::Variant;

// More than any compile makes: three widths of a few strategies, some hundred passes in each, and
// twice job_sink's bound on remarks.
constexpr int kMaxVariants = 16;
constexpr int kMaxPasses = 1 << 16;
constexpr int kMaxRemarks = 1 << 13;
constexpr size_t kMaxNameBytes = 64;
constexpr size_t kMaxReasonBytes = 1024;  // of each text
constexpr uint32_t kMaxWidth = 1024;

// Returns true for a status that a live worker can report; the others are set by its parent.
bool IsWorkersStatus(TargetResult::Status status, bool cancelled) {
  switch (status) {
    case TargetResult::OK:
    case TargetResult::REFUSED:
    case TargetResult::INVALID:
    case TargetResult::CRASHED: return true;
    case TargetResult::CANCELLED: return cancelled;
    default: return false;
  }
}

bool IsWord(std::string_view text) {
  return !text.empty() && text.size() <= kMaxNameBytes &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return absl::ascii_islower(static_cast<unsigned char>(c)) ||
                  absl::ascii_isdigit(static_cast<unsigned char>(c)) || c == '_';
         });
}

bool NoneNegative(std::initializer_list<int64_t> numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](int64_t n) { return n >= 0; });
}

// Returns true for figures that the target declares, in its order. Those that it does not know of
// this variant are not there.
bool AreDeclared(const Hello& hello, const std::string& target,
                 const kiln::v1::Statistics& statistics) {
  const auto info = std::find_if(hello.targets().begin(), hello.targets().end(),
                                 [&](const auto& t) { return t.name() == target; });
  if (info == hello.targets().end()) return statistics.values().empty();
  auto row = info->statistics().begin();
  for (const auto& value : statistics.values()) {
    row = std::find_if(row, info->statistics().end(),
                       [&](const auto& r) { return r.name() == value.name(); });
    if (row == info->statistics().end()) return false;
    ++row;
  }
  return true;
}

bool IsVariant(const Hello& hello, const std::string& target, const Variant& variant) {
  return variant.name().size() <= kMaxNameBytes && variant.width() <= kMaxWidth &&
         !variant.code().empty() &&
         variant.has_statistics() == !variant.statistics().values().empty() &&
         IsPacked(variant.statistics()) && AreDeclared(hello, target, variant.statistics());
}

// Texts of a reason are the compiler's own, or quoted from the module and cut.
bool IsReason(const kiln::v1::Reason& reason) {
  return std::max({reason.sentence().size(), reason.remedy().size(), reason.what().size(),
                   reason.capability().size(), reason.name().size(),
                   reason.source_file().size()}) <= kMaxReasonBytes;
}

bool IsResult(const Hello& hello, const TargetResult& result, bool cancelled) {
  const auto& t = result.timings();
  return IsWorkersStatus(result.status(), cancelled) && IsWord(result.cause()) &&
         (result.status() != TargetResult::OK || !result.has_reason()) &&
         IsReason(result.reason()) &&
         (result.status() == TargetResult::OK) == (result.variants_size() > 0) &&
         result.variants_size() <= kMaxVariants && result.passes_size() <= kMaxPasses &&
         result.remarks_size() <= kMaxRemarks && NoneNegative({t.prepare_ns(), t.compile_ns()}) &&
         std::all_of(result.variants().begin(), result.variants().end(),
                     [&](const Variant& v) { return IsVariant(hello, result.target(), v); });
}

bool IsTranslation(const Translation& translation, bool cancelled) {
  return IsWorkersStatus(translation.status(), cancelled) && IsWord(translation.cause()) &&
         (translation.status() == TargetResult::OK) == !translation.spirv().empty() &&
         (translation.status() != TargetResult::OK || !translation.has_reason()) &&
         IsReason(translation.reason()) && translation.spirv().size() % 4 == 0 &&
         NoneNegative({translation.nanoseconds(), translation.start_nanoseconds()});
}

}  // namespace

bool CanAnswer(const Hello& hello, const Job& job, const JobResult& frame, bool cancelled) {
  if (job.has_translate()) {
    return frame.has_translation() && !frame.has_result() && frame.target_index() == 0 &&
           IsTranslation(frame.translation(), cancelled);
  }
  const auto& targets = job.compile().targets();
  return frame.has_result() && !frame.has_translation() &&
         frame.target_index() < static_cast<uint32_t>(targets.size()) &&
         frame.result().target() == targets[static_cast<int>(frame.target_index())] &&
         IsResult(hello, frame.result(), cancelled);
}

absl::StatusCode TakeAnswers(const Hello& hello, const Job& job, uint64_t id, bool cancelled,
                             FrameReader* reader, JobOutcome* outcome, bool* last) {
  for (;;) {
    JobResult frame;
    bool taken = false;
    const absl::StatusCode code = reader->Take(&frame, &taken);
    if (code != absl::StatusCode::kOk || !taken) return code;
    if (frame.id() != id || !CanAnswer(hello, job, frame, cancelled)) {
      return absl::StatusCode::kDataLoss;
    }
    if (frame.has_translation()) {
      outcome->translation = std::move(*frame.mutable_translation());
    } else {
      auto& result = outcome->results[frame.target_index()];
      if (result.has_value()) return absl::StatusCode::kDataLoss;
      result = std::move(*frame.mutable_result());
    }
    const bool complete = std::all_of(outcome->results.begin(), outcome->results.end(),
                                      [](const auto& result) { return result.has_value(); });
    if (frame.last() != complete) return absl::StatusCode::kDataLoss;
    if (!complete) continue;
    *last = true;
    // Further bytes answer no job, or one that this worker has not been given yet.
    return reader->empty() ? absl::StatusCode::kOk : absl::StatusCode::kDataLoss;
  }
}

}  // namespace kiln::worker
