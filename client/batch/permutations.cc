// The product of values of defines and constants: see permutations.h.
#include "client/batch/permutations.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "client/request/spec_constant.h"
#include "client/source/source.h"
#include "core/base/utf8.h"

namespace kiln::client {
namespace {

absl::Status Wrong(absl::string_view axis, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("'", Quoted(std::string(axis)), "': ", what));
}

absl::Status TooMany(absl::string_view axis) {
  return Wrong(axis, absl::StrCat("makes more than ", kMaxPermutations,
                                  " permutations of a shader, the most that are accepted"));
}

// Returns the values of "0..3"; just the text if it is no range of integers.
absl::StatusOr<std::vector<std::string>> ValuesOf(absl::string_view axis, absl::string_view text) {
  const size_t dots = text.find("..");
  int64_t first = 0, last = 0;
  if (dots == absl::string_view::npos || !absl::SimpleAtoi(text.substr(0, dots), &first) ||
      !absl::SimpleAtoi(text.substr(dots + 2), &last)) {
    return std::vector<std::string>{std::string(text)};
  }
  constexpr int64_t kMaxValue = std::numeric_limits<int32_t>::max();
  if (first > last)
    return Wrong(axis, absl::StrCat(text, " goes down; give the smaller one first"));
  if (first < -kMaxValue || last > kMaxValue)
    return Wrong(axis, absl::StrCat(text, " has large numbers"));
  if (last - first >= static_cast<int64_t>(kMaxPermutations)) return TooMany(axis);
  std::vector<std::string> values;
  for (int64_t value = first; value <= last; ++value) values.push_back(absl::StrCat(value));
  return values;
}

bool IsId(absl::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_isdigit(static_cast<unsigned char>(c));
  });
}

}  // namespace

absl::StatusOr<Permutations::Axis> Permutations::ParseAxis(absl::string_view text) {
  Axis axis;
  const size_t equals = text.find('=');
  const bool optional = equals == absl::string_view::npos && absl::EndsWith(text, "?");
  if (equals == absl::string_view::npos && !optional) {
    return Wrong(text, "must be NAME=VALUE,VALUE..., NAME? or ID=TYPE:VALUE,VALUE...");
  }
  axis.name =
      std::string(absl::StripAsciiWhitespace(text.substr(0, optional ? text.size() - 1 : equals)));
  axis.is_define = !IsId(axis.name);
  if (axis.is_define) {
    if (absl::Status s = CheckDefine(axis.name); !s.ok()) {
      return Wrong(text,
                   "the name of a define must be an identifier, that of a specialisation "
                   "constant its number");
    }
  }
  if (optional) {
    if (!axis.is_define) return Wrong(text, "NAME? is of a define, not of a constant");
    axis.values = {{"", {}}, {axis.name, {}}};
    return axis;
  }
  absl::string_view list = absl::StripAsciiWhitespace(text.substr(equals + 1));
  std::string type;
  if (const size_t colon = list.find(':'); !axis.is_define && colon != absl::string_view::npos) {
    type = std::string(list.substr(0, colon + 1));
    list.remove_prefix(colon + 1);
  }
  std::set<std::string> seen;
  for (const absl::string_view part : absl::StrSplit(list, ',')) {
    const auto values = ValuesOf(text, absl::StripAsciiWhitespace(part));
    if (!values.ok()) return values.status();
    for (const std::string& value : *values) {
      if (!seen.insert(value).second) {
        return Wrong(text, absl::StrCat("has the value '", Quoted(value), "' twice"));
      }
      if (axis.values.size() >= kMaxPermutations) return TooMany(text);
      Value one;
      if (axis.is_define) {
        one.define = value.empty() ? axis.name : absl::StrCat(axis.name, "=", value);
      } else {
        auto constant = ParseSpecConstant(absl::StrCat(axis.name, "=", type, value));
        if (!constant.ok()) return Wrong(text, constant.status().message());
        one.constant = *std::move(constant);
      }
      axis.values.push_back(std::move(one));
    }
  }
  return axis;
}

absl::StatusOr<Permutations> Permutations::Parse(absl::string_view text) {
  Permutations all;
  std::set<std::string> names;
  if (!IsUtf8({text.data(), text.size()})) return absl::InvalidArgumentError("is not UTF-8");
  for (absl::string_view part : absl::StrSplit(text, ';')) {
    part = absl::StripAsciiWhitespace(part);
    if (part.empty()) continue;
    absl::StatusOr<Axis> axis = ParseAxis(part);
    if (!axis.ok()) return axis.status();
    if (!names.insert(axis->name).second) return Wrong(part, "this name was given before");
    all.size_ *= axis->values.size();
    if (all.size_ > kMaxPermutations) return TooMany(part);
    all.axes_.push_back(*std::move(axis));
  }
  if (all.axes_.empty()) return absl::InvalidArgumentError("names no define and no constant");
  return all;
}

bool Permutations::HasDefines() const {
  return std::any_of(axes_.begin(), axes_.end(), [](const Axis& axis) { return axis.is_define; });
}

Permutation Permutations::At(size_t i) const {
  std::vector<const Value*> values(axes_.size());
  for (size_t axis = axes_.size(); axis-- > 0;) {
    values[axis] = &axes_[axis].values[i % axes_[axis].values.size()];
    i /= axes_[axis].values.size();
  }
  Permutation permutation;
  for (size_t axis = 0; axis < axes_.size(); ++axis) {
    if (!axes_[axis].is_define) {
      permutation.spec_constants.push_back(values[axis]->constant);
    } else if (!values[axis]->define.empty()) {
      permutation.defines.push_back(values[axis]->define);
    }
  }
  return permutation;
}

}  // namespace kiln::client
