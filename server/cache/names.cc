// Makes and recognises names below the disk tier's directory: see names.h.
#include "server/cache/names.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"

namespace kiln::cache {
namespace {

constexpr char kPrefix[] = "generation-";
constexpr char kRepaired[] = ".repaired";
constexpr char kDoomedPrefix[] = "doomed-";
constexpr size_t kDigits = 12;

bool IsNumber(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::string GenerationName(uint64_t number) {
  return absl::StrFormat("%s%0*d", kPrefix, static_cast<int>(kDigits), number);
}

uint64_t GenerationNumber(std::string_view name) {
  if (!name.starts_with(kPrefix)) return 0;
  name.remove_prefix(strlen(kPrefix));
  if (name.size() != kDigits || !IsNumber(name)) return 0;
  uint64_t number = 0;
  std::from_chars(name.data(), name.data() + name.size(), number);
  return number;
}

std::string RepairedName(uint64_t number) { return GenerationName(number) + kRepaired; }

uint64_t RepairedNumber(std::string_view name) {
  if (!name.ends_with(kRepaired)) return 0;
  name.remove_suffix(strlen(kRepaired));
  return GenerationNumber(name);
}

std::string NewDoomedName() {
  static std::atomic<uint64_t> count = 0;
  return absl::StrCat(kDoomedPrefix, absl::GetCurrentTimeNanos(), "-", count.fetch_add(1));
}

bool IsDoomedName(std::string_view name) {
  if (!name.starts_with(kDoomedPrefix)) return false;
  name.remove_prefix(strlen(kDoomedPrefix));
  const size_t dash = name.find('-');
  return dash != name.npos && IsNumber(name.substr(0, dash)) && IsNumber(name.substr(dash + 1));
}

bool IsOurName(std::string_view name) {
  for (const char* own : {kMarkerName, kLockName, kTrialName, kQuarantineName, kOldLayoutName}) {
    if (name == own) return true;
  }
  return GenerationNumber(name) != 0 || RepairedNumber(name) != 0 || IsDoomedName(name);
}

}  // namespace kiln::cache
