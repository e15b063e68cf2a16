#include "core/base/cause.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"

namespace kiln {
namespace {

// Names of payloads.
constexpr char kCauseUrl[] = "type.kiln/cause";
constexpr char kSpirvIdUrl[] = "type.kiln/spirv_id";
constexpr char kInstructionUrl[] = "type.kiln/instruction";
constexpr char kFileUrl[] = "type.kiln/file";
constexpr char kLineUrl[] = "type.kiln/line";
constexpr char kWhatUrl[] = "type.kiln/what";
constexpr char kSeenUrl[] = "type.kiln/seen";
constexpr char kLimitUrl[] = "type.kiln/limit";
constexpr char kCapabilityUrl[] = "type.kiln/capability";

absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

// An empty text takes an earlier one away.
void Attach(const char* url, std::string_view text, absl::Status* status) {
  if (text.empty()) {
    status->ErasePayload(url);
  } else {
    status->SetPayload(url, absl::Cord(View(text)));
  }
}

std::string Attached(const char* url, const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(url);
  return payload.has_value() ? std::string(*payload) : "";
}

std::string Digits(std::optional<uint64_t> n) { return n.has_value() ? absl::StrCat(*n) : ""; }

std::optional<uint64_t> Number(const std::string& digits) {
  uint64_t n = 0;
  if (!absl::SimpleAtoi(digits, &n)) return std::nullopt;
  return n;
}

absl::Status Refusal(absl::StatusCode code, KnownCause cause, const Detail& detail, uint32_t id) {
  return WithSpirvId(WithDetail(WithCause(absl::Status(code, DetailText(detail)), cause), detail),
                     id);
}

KnownCause CauseOfCode(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kInvalidArgument: return "invalid_module";
    case absl::StatusCode::kNotFound: return "not_found";
    case absl::StatusCode::kCancelled: return "cancelled";
    case absl::StatusCode::kDeadlineExceeded: return "deadline_exceeded";
    case absl::StatusCode::kResourceExhausted: return "limit_exceeded";
    case absl::StatusCode::kUnimplemented: return "unsupported";
    default: return "internal";
  }
}

}  // namespace

const CauseInfo* FindCause(std::string_view name) {
  const auto row = std::find_if(std::begin(kCauses), std::end(kCauses),
                                [&](const CauseInfo& info) { return info.name == name; });
  return row == std::end(kCauses) ? nullptr : row;
}

absl::Status WithCause(absl::Status status, KnownCause cause) {
  return WithForeignCause(std::move(status), cause.name());
}

absl::Status WithForeignCause(absl::Status status, std::string_view cause) {
  if (!status.ok()) Attach(kCauseUrl, cause, &status);
  return status;
}

absl::Status Unsupported(KnownCause cause, const Detail& detail, uint32_t spirv_id) {
  return Refusal(absl::StatusCode::kUnimplemented, cause, detail, spirv_id);
}

absl::Status BeyondLimit(KnownCause cause, const Detail& detail, uint32_t spirv_id) {
  return Refusal(absl::StatusCode::kResourceExhausted, cause, detail, spirv_id);
}

std::string DetailText(const Detail& detail) {
  std::string text = detail.what;
  if (detail.seen.has_value()) {
    absl::StrAppend(&text, ": ", *detail.seen);
    if (detail.limit.has_value()) absl::StrAppend(&text, ", at most ", *detail.limit);
  } else if (detail.limit.has_value()) {
    absl::StrAppend(&text, ": more than ", *detail.limit);
  }
  if (!detail.capability.empty()) absl::StrAppend(&text, " [capability ", detail.capability, "]");
  return text;
}

absl::Status WithDetail(absl::Status status, const Detail& detail) {
  if (status.ok()) return status;
  Attach(kWhatUrl, detail.what, &status);
  Attach(kSeenUrl, Digits(detail.seen), &status);
  Attach(kLimitUrl, Digits(detail.limit), &status);
  Attach(kCapabilityUrl, detail.capability, &status);
  return status;
}

Detail DetailOf(const absl::Status& status) {
  Detail detail(Attached(kWhatUrl, status));
  detail.seen = Number(Attached(kSeenUrl, status));
  detail.limit = Number(Attached(kLimitUrl, status));
  detail.capability = Attached(kCapabilityUrl, status);
  return detail;
}

std::string CauseOf(const absl::Status& status) {
  if (status.ok()) return "ok";
  const std::string attached = Attached(kCauseUrl, status);
  return attached.empty() ? std::string(CauseOfCode(status.code()).name()) : attached;
}

namespace {

absl::Status Rebuilt(const absl::Status& status, absl::StatusCode code, absl::string_view message) {
  absl::Status rebuilt(code, message);
  status.ForEachPayload(
      [&](absl::string_view url, const absl::Cord& payload) { rebuilt.SetPayload(url, payload); });
  return rebuilt;
}

// Without a number the status stays as it is.
absl::Status WithNumber(const char* url, uint32_t number, absl::Status status) {
  if (!status.ok() && number != 0) Attach(url, absl::StrCat(number), &status);
  return status;
}

uint32_t NumberOf(const char* url, const absl::Status& status) {
  return static_cast<uint32_t>(Number(Attached(url, status)).value_or(0));
}

}  // namespace

absl::Status WithMessage(const absl::Status& status, std::string_view message) {
  return Rebuilt(status, status.code(), View(message));
}

absl::Status AsOwnFault(absl::Status status) {
  if (!absl::IsInvalidArgument(status) && !absl::IsNotFound(status)) return status;
  return Rebuilt(status, absl::StatusCode::kInternal, status.message());
}

absl::Status WithSpirvId(absl::Status status, uint32_t id) {
  return WithNumber(kSpirvIdUrl, id, std::move(status));
}

uint32_t SpirvIdOf(const absl::Status& status) { return NumberOf(kSpirvIdUrl, status); }

absl::Status WithInstruction(absl::Status status, uint32_t offset) {
  return WithNumber(kInstructionUrl, offset, std::move(status));
}

uint32_t InstructionOf(const absl::Status& status) { return NumberOf(kInstructionUrl, status); }

absl::Status WithSource(absl::Status status, const SourceLine& source) {
  if (status.ok()) return status;
  Attach(kFileUrl, source.file, &status);
  Attach(kLineUrl, source.line == 0 ? "" : absl::StrCat(source.line), &status);
  return status;
}

SourceLine SourceOf(const absl::Status& status) {
  return {Attached(kFileUrl, status), NumberOf(kLineUrl, status)};
}

std::string TextOf(const absl::Status& status) {
  const std::string cause = Attached(kCauseUrl, status);
  std::string text = cause.empty() ? "" : cause + ": ";
  text.append(status.message().data(), status.message().size());
  if (const uint32_t id = SpirvIdOf(status); id != 0) absl::StrAppend(&text, " (%", id, ")");
  return text;
}

}  // namespace kiln
