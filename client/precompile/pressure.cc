// Pauses work under pressure: see pressure.h.
#include "client/precompile/pressure.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "client/cli/paths.h"

namespace kiln::client {
namespace {

constexpr uint64_t kMaxFileBytes = 4096;
// The averages change every two seconds.
constexpr absl::Duration kBetweenLooks = absl::Seconds(1);

absl::StatusOr<double> ReadPressure(const std::string& folder, const std::string& kind) {
  const absl::StatusOr<std::string> text = ReadRegularFile(JoinPath(folder, kind), kMaxFileBytes);
  return text.ok() ? ParsePressure(*text) : text.status();
}

}  // namespace

absl::StatusOr<std::vector<PressureLimit>> ParsePressureLimits(absl::string_view text) {
  std::vector<PressureLimit> limits;
  for (absl::string_view part : absl::StrSplit(text, ',')) {
    const std::pair<std::string, std::string> halves =
        absl::StrSplit(part, absl::MaxSplits('=', 1));
    PressureLimit limit = {halves.first, 0};
    const bool known = limit.kind == "cpu" || limit.kind == "memory" || limit.kind == "io";
    if (!known || !absl::SimpleAtod(halves.second, &limit.percent) ||
        !(limit.percent > 0 && limit.percent <= 100)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "'", part, "' is not cpu=PERCENT, memory=PERCENT or io=PERCENT, above 0, at most 100"));
    }
    limits.push_back(std::move(limit));
  }
  return limits;
}

absl::StatusOr<double> ParsePressure(absl::string_view text) {
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    if (!absl::ConsumePrefix(&line, "some ")) continue;
    for (absl::string_view field : absl::StrSplit(line, ' ')) {
      double percent = 0;
      if (absl::ConsumePrefix(&field, "avg10=") && absl::SimpleAtod(field, &percent)) {
        return percent;
      }
    }
  }
  return absl::DataLossError("there is no \"some avg10=\"");
}

absl::StatusOr<std::unique_ptr<PressureGate>> PressureGate::Make(std::vector<PressureLimit> limits,
                                                                 std::string folder) {
  for (const PressureLimit& limit : limits) {
    const absl::StatusOr<double> pressure = ReadPressure(folder, limit.kind);
    if (pressure.ok()) continue;
    return absl::FailedPreconditionError(absl::StrCat("this system does not report ", limit.kind,
                                                      " pressure: ", pressure.status().message()));
  }
  return std::unique_ptr<PressureGate>(new PressureGate(std::move(limits), std::move(folder)));
}

std::string PressureGate::Exceeded() const {
  for (const PressureLimit& limit : limits_) {
    const absl::StatusOr<double> pressure = ReadPressure(folder_, limit.kind);
    if (pressure.ok() && *pressure > limit.percent) {
      return absl::StrFormat("paused: %s pressure %.0f %% is above %g %%", limit.kind, *pressure,
                             limit.percent);
    }
  }
  return "";
}

void PressureGate::Wait() {
  absl::MutexLock lock(&mutex_);
  while (!stopped_) {
    const absl::Time now = absl::Now();
    if (now - looked_ >= kBetweenLooks) {
      looked_ = now;
      exceeded_ = Exceeded();
    }
    if (exceeded_.empty()) return;
    mutex_.AwaitWithTimeout(absl::Condition(&stopped_), kBetweenLooks);
  }
}

void PressureGate::Stop() {
  absl::MutexLock lock(&mutex_);
  stopped_ = true;
}

std::string PressureGate::Waiting() {
  absl::MutexLock lock(&mutex_);
  return stopped_ ? std::string() : exceeded_;
}

}  // namespace kiln::client
