// The progress line: see progress.h.
#include "client/cli/progress.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "client/cli/terminal.h"

namespace kiln::client {
namespace {

constexpr int kBarWidth = 24;

std::string Bar(int64_t done, int64_t total) {
  int filled = total > 0 ? static_cast<int>(done * kBarWidth / total) : 0;
  filled = std::clamp(filled, 0, kBarWidth);
  return absl::StrCat("[", std::string(static_cast<size_t>(filled), '#'),
                      std::string(static_cast<size_t>(kBarWidth - filled), '-'), "]");
}

}  // namespace

std::string ClockTime(absl::Duration duration) {
  int64_t seconds = absl::ToInt64Seconds(duration + absl::Milliseconds(500));
  if (seconds >= 3600) {
    return absl::StrFormat("%d:%02d:%02d", seconds / 3600, seconds / 60 % 60, seconds % 60);
  }
  return absl::StrFormat("%d:%02d", seconds / 60, seconds % 60);
}

std::string RateText(double per_second) {
  if (per_second >= 100) return absl::StrFormat("%.0f/s", per_second);
  return per_second >= 1 ? absl::StrFormat("%.1f/s", per_second)
                         : absl::StrFormat("%.2f/s", per_second);
}

std::string ProgressLine(const ProgressState& state, int width) {
  std::string total = absl::StrCat(state.total);
  std::string line = absl::StrFormat("%*d/%s", static_cast<int>(total.size()), state.done, total);
  double seconds = absl::ToDoubleSeconds(state.elapsed);
  double rate = seconds > 0 ? static_cast<double>(state.done) / seconds : 0;
  std::string tail;
  if (state.total > 0) absl::StrAppendFormat(&tail, " %3d%%", state.done * 100 / state.total);
  if (!state.waiting.empty()) {
    absl::StrAppend(&tail, "  ", state.waiting);
  } else if (rate > 0) {
    absl::StrAppend(&tail, "  ", RateText(rate));
    absl::Duration left = absl::Seconds(static_cast<double>(state.total - state.done) / rate);
    if (state.done < state.total) absl::StrAppend(&tail, "  ETA ", ClockTime(left));
  }
  if (state.failed > 0) absl::StrAppend(&tail, "  ", state.failed, " not ok");
  if (!state.note.empty()) absl::StrAppend(&tail, "  ", state.note);
  std::string bar = " " + Bar(state.done, state.total);
  // Parts that do not fit are left out, the bar first.
  if (line.size() + bar.size() + tail.size() <= static_cast<size_t>(width)) line += bar;
  return (line + tail).substr(0, static_cast<size_t>(std::max(width, 0)));
}

Progress::Progress(FILE* stream, int64_t total)
    : stream_(stream), terminal_(IsTerminal(stream)), total_(total), start_(absl::Now()) {}

void Progress::Update(int64_t done, int64_t failed, const std::string& waiting,
                      const std::string& note) {
  if (!terminal_) return;
  absl::Time now = absl::Now();
  if (now - last_ < absl::Milliseconds(100)) return;
  last_ = now;
  shown_ = true;
  // One column less: a full line would wrap.
  std::string line =
      ProgressLine({done, total_, failed, now - start_, waiting, note}, TerminalWidth(stream_) - 1);
  absl::FPrintF(stream_, "\r%s\x1b[K", line);
  fflush(stream_);
}

void Progress::Clear() {
  if (!shown_) return;
  shown_ = false;
  last_ = absl::InfinitePast();
  absl::FPrintF(stream_, "\r\x1b[K");
  fflush(stream_);
}

}  // namespace kiln::client
