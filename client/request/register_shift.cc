// Shifts of HLSL's registers: see register_shift.h.
#include "client/request/register_shift.h"

#include <cstdint>
#include <set>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/base/utf8.h"

namespace kiln::client {
namespace {

using Shift = kiln::v1::GlslSource::RegisterShift;

// The largest numbers that the reader of HLSL has room for.
constexpr uint32_t kMaxBinding = 65534;
constexpr uint32_t kMaxSpace = 62;

constexpr absl::string_view kKinds = "btsu";  // in the order of the enumeration

absl::Status Wrong(const std::string& text, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(EscapeNonUtf8(text), ": ", what));
}

absl::StatusOr<Shift> Parse(const std::string& text) {
  const std::vector<std::string> parts = absl::StrSplit(text, ':');
  const size_t kind = parts[0].size() == 1 ? kKinds.find(parts[0][0]) : kKinds.npos;
  uint32_t number = 0, space = 0;
  if (kind == kKinds.npos || parts.size() < 2 || parts.size() > 3 ||
      !absl::SimpleAtoi(parts[1], &number) ||
      (parts.size() == 3 && !absl::SimpleAtoi(parts[2], &space))) {
    return Wrong(text, "must be KIND:N or KIND:N:SPACE, where KIND is b, t, s or u");
  }
  if (number > kMaxBinding) return Wrong(text, absl::StrCat("N is at most ", kMaxBinding));
  if (space > kMaxSpace) return Wrong(text, absl::StrCat("SPACE is at most ", kMaxSpace));
  Shift shift;
  shift.set_kind(static_cast<Shift::Kind>(kind));
  shift.set_shift(number);
  if (parts.size() == 3) shift.set_space(space);
  return shift;
}

}  // namespace

absl::StatusOr<std::vector<Shift>> ParseRegisterShifts(const std::vector<std::string>& texts) {
  std::vector<Shift> shifts;
  std::set<std::pair<int, int64_t>> seen;
  for (const std::string& text : texts) {
    absl::StatusOr<Shift> shift = Parse(text);
    if (!shift.ok()) return shift.status();
    const int64_t space = shift->has_space() ? int64_t{shift->space()} : -1;
    if (!seen.insert({shift->kind(), space}).second) {
      return Wrong(text, "this kind and space have a shift already");
    }
    shifts.push_back(*std::move(shift));
  }
  return shifts;
}

std::string RegisterShiftText(const Shift& shift) {
  const std::string text =
      absl::StrCat(kKinds.substr(static_cast<size_t>(shift.kind()), 1), ":", shift.shift());
  return shift.has_space() ? absl::StrCat(text, ":", shift.space()) : text;
}

}  // namespace kiln::client
