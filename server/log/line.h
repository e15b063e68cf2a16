// Formats one line of the log: key=value or JSON.
//
//   time=2026-11-23T00:15:02.123Z level=warning event=worker_crashed cause=abort last_pass=fold
//   {"time":"2026-11-23T00:15:02.123Z","level":"warning","event":"worker_crashed","cause":"abort"}
//
// Whatever a value holds, the line is one line, printable ASCII and at most kMaxLineBytes long, so
// that a value can neither forge a second line nor move a terminal's cursor. In text, values with
// other characters than those of names, numbers and paths are quoted; inside, '"' and '\' get a '\'
// before them, and control characters and bytes beyond ASCII become \xHH. In JSON, control
// characters and all characters beyond ASCII become \uHHHH: terminals obey some of them (C1), and
// others change the order of the text around them. Text that is not UTF-8 has its bytes written as
// \xHH. Long values end in "..."; fields that do not fit are left out, and cut=true says so.
#ifndef KILN_SERVER_LOG_LINE_H_
#define KILN_SERVER_LOG_LINE_H_

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"

namespace kiln::log {

enum class Level { kDebug, kInfo, kWarning, kError };
enum class Format { kText, kJson };

// "debug", "info", "warning", "error".
std::string_view Name(Level level);

// A pipe write of at most this size is not mixed with another process's (PIPE_BUF).
inline constexpr size_t kMaxLineBytes = 4096;
inline constexpr size_t kMaxValueBytes = 512;

struct Field {
  Field(std::string_view k, std::string_view text) : key(k), value(text) {}
  template <std::integral Number>
  Field(std::string_view k, Number n) : key(k), bare(true) {
    if constexpr (std::same_as<Number, bool>) {
      value = n ? "true" : "false";
    } else {
      value = absl::StrCat(n);
    }
  }
  // Written in seconds; the key says so.
  Field(std::string_view k, absl::Duration time);

  std::string key;
  std::string value;
  bool bare = false;  // a number or a truth value: without quotes in JSON
};

// Returns the line with its newline.
std::string FormatLine(Format format, absl::Time time, Level level, std::string_view event,
                       const std::vector<Field>& fields);

}  // namespace kiln::log

#endif  // KILN_SERVER_LOG_LINE_H_
