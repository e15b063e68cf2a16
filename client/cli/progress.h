// The progress line: how much is done, the rate, and the remaining time.
#ifndef KILN_CLIENT_CLI_PROGRESS_H_
#define KILN_CLIENT_CLI_PROGRESS_H_

#include <cstdint>
#include <cstdio>
#include <string>

#include "absl/time/time.h"

namespace kiln::client {

struct ProgressState {
  int64_t done = 0;
  int64_t total = 0;
  int64_t failed = 0;
  absl::Duration elapsed;
  std::string waiting = {};  // what is waited for, instead of rate and ETA
  std::string note = {};     // further words at the end
};

// Returns "  412/3193 [###-------]  12%  250/s  ETA 0:11  3 not ok", at most `width` columns;
// `waiting` replaces rate and ETA.
std::string ProgressLine(const ProgressState& state, int width);

// "0:07", "12:40", "3:05:00".
std::string ClockTime(absl::Duration duration);

// "250/s", "12.5/s", "0.80/s".
std::string RateText(double per_second);

// Rewrites the line on a terminal, at most ten times a second; writes nothing to other streams. Not
// thread-safe.
class Progress {
 public:
  Progress(FILE* stream, int64_t total);
  ~Progress() { Clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void Update(int64_t done, int64_t failed, const std::string& waiting = "",
              const std::string& note = "");
  // Erases the line, before other text is printed.
  void Clear();

 private:
  FILE* stream_;
  bool terminal_;
  bool shown_ = false;
  int64_t total_;
  absl::Time start_;
  absl::Time last_ = absl::InfinitePast();
};

}  // namespace kiln::client

#endif  // KILN_CLIENT_CLI_PROGRESS_H_
