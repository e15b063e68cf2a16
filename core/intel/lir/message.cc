#include "core/intel/lir/message.h"

#include <limits>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace kiln::intel {
namespace {

using isa::MessageFields;

// Lengths have no text: at this stage they are not set.
struct Field {
  const char* name;
  std::variant<uint8_t MessageFields::*, int8_t MessageFields::*, uint16_t MessageFields::*,
               bool MessageFields::*, isa::TargetForm MessageFields::*>
      member;
};

constexpr Field kFields[] = {{"header", &MessageFields::header},
                             {"bti", &MessageFields::bti},
                             {"lanes", &MessageFields::lanes},
                             {"channels", &MessageFields::channels},
                             {"op", &MessageFields::op},
                             {"returns", &MessageFields::returns},
                             {"data64", &MessageFields::data64},
                             {"element_bytes", &MessageFields::element_bytes},
                             {"owords", &MessageFields::owords},
                             {"oword_high", &MessageFields::oword_high},
                             {"unaligned", &MessageFields::unaligned},
                             {"high_slots", &MessageFields::high_slots},
                             {"scratch_offset", &MessageFields::scratch_offset},
                             {"scratch_registers", &MessageFields::scratch_registers},
                             {"dword_mode", &MessageFields::dword_mode},
                             {"commit", &MessageFields::commit},
                             {"sampler", &MessageFields::sampler},
                             {"half_params", &MessageFields::half_params},
                             {"half_result", &MessageFields::half_result},
                             {"form", &MessageFields::form},
                             {"target", &MessageFields::target},
                             {"last_target", &MessageFields::last_target},
                             {"per_sample", &MessageFields::per_sample},
                             {"null_target", &MessageFields::null_target},
                             {"alpha0", &MessageFields::alpha0},
                             {"offset_x", &MessageFields::offset_x},
                             {"offset_y", &MessageFields::offset_y},
                             {"sample", &MessageFields::sample},
                             {"linear", &MessageFields::linear},
                             {"urb_offset", &MessageFields::urb_offset},
                             {"urb_masks", &MessageFields::urb_masks},
                             {"urb_lane_offsets", &MessageFields::urb_lane_offsets}};

int64_t Get(const MessageFields& f, const Field& field) {
  return std::visit([&](auto member) { return static_cast<int64_t>(f.*member); }, field.member);
}

bool Set(MessageFields& f, const Field& field, int64_t value) {
  return std::visit(
      [&](auto member) {
        using T = std::remove_reference_t<decltype(f.*member)>;
        if constexpr (std::is_enum_v<T>) {
          if (value < 0 || value > static_cast<int64_t>(isa::TargetForm::kEight)) return false;
        } else {
          using Limits = std::numeric_limits<T>;
          if (value < Limits::min() || value > Limits::max()) return false;
        }
        f.*member = static_cast<T>(value);
        return true;
      },
      field.member);
}

bool SetByName(MessageFields& f, absl::string_view name, int64_t value) {
  for (const Field& field : kFields) {
    if (field.name == name) return Set(f, field, value);
  }
  return false;
}

bool SetMessage(MessageFields& f, absl::string_view name) {
  for (int m = 0; m < isa::kMessageCount; ++m) {
    f.message = static_cast<isa::Message>(m);
    if (isa::Info(f.message).name == name) return true;
  }
  return false;
}

}  // namespace

std::string PrintMessage(const lir::SideRow& row) {
  const auto message = lir::RecordOf<LirMessage>(row);
  const bool known = static_cast<int>(message.fields.message) < isa::kMessageCount;
  std::string text = known ? std::string(isa::Info(message.fields.message).name) : "unknown";
  const MessageFields defaults;
  for (const Field& field : kFields) {
    const int64_t value = Get(message.fields, field);
    if (value != Get(defaults, field)) absl::StrAppend(&text, " ", field.name, " ", value);
  }
  if (message.indirect) text += " indirect";
  if (message.bindless) text += " bindless";
  return text;
}

bool ParseMessage(std::string_view text, lir::SideRow* row) {
  const std::vector<absl::string_view> words =
      absl::StrSplit(absl::string_view(text.data(), text.size()), ' ', absl::SkipEmpty());
  LirMessage message;
  if (words.empty() || !SetMessage(message.fields, words[0])) return false;
  for (size_t i = 1; i < words.size(); ++i) {
    int64_t value = 0;
    if (words[i] == "indirect") {
      message.indirect = true;
    } else if (words[i] == "bindless") {
      message.bindless = true;
    } else if (i + 1 == words.size() || !absl::SimpleAtoi(words[i + 1], &value) ||
               !SetByName(message.fields, words[i], value)) {
      return false;
    } else {
      ++i;
    }
  }
  *row = lir::RowOf(message);
  return true;
}

}  // namespace kiln::intel
