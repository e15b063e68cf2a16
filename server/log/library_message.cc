// Cuts a library's message to what the log may have: see library_message.h.
#include "server/log/library_message.h"

#include <algorithm>

#include "absl/strings/ascii.h"

namespace kiln::log {
namespace {

constexpr std::string_view kAssertion = "assertion failed: ";  // GPR_ASSERT

bool IsProse(char c) {
  return absl::ascii_isalpha(static_cast<unsigned char>(c)) ||
         std::string_view(" ,.-_'").find(c) != std::string_view::npos;
}

}  // namespace

std::string ConstantPart(std::string_view message) {
  if (message.substr(0, kAssertion.size()) == kAssertion) return std::string(message);
  const auto end = std::find_if_not(message.begin(), message.end(), IsProse);
  const auto size = static_cast<size_t>(end - message.begin());
  std::string words(message.substr(0, std::min(size, kMaxConstantBytes)));
  absl::StripAsciiWhitespace(&words);
  return words;
}

std::string SourceLine(std::string_view file, int line) {
  size_t at = file.size();
  for (int parts = 0; parts < 3 && at != 0 && at != std::string_view::npos; ++parts) {
    at = file.rfind('/', at - 1);
  }
  if (at != 0 && at != std::string_view::npos) file.remove_prefix(at + 1);
  return std::string(file) + ":" + std::to_string(line);
}

}  // namespace kiln::log
