// Why a shader has no code: see reason.h.
#include "client/output/reason.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "client/cli/terminal.h"
#include "core/base/cause.h"

namespace kiln::client {
namespace {

using kiln::v1::Reason;
using kiln::v1::TargetResult;

std::string WhatText(const TargetResult& result) {
  const Reason& reason = result.reason();
  if (reason.what().empty()) {
    absl::string_view message = absl::StripTrailingAsciiWhitespace(result.message());
    // Messages of daemons before there were reasons begin with the cause.
    absl::ConsumePrefix(&message, absl::StrCat(result.cause(), ": "));
    return PrintableLines(message);
  }
  Detail detail(reason.what());
  if (reason.has_seen()) detail.seen = reason.seen();
  if (reason.has_limit()) detail.limit = reason.limit();
  detail.capability = reason.capability();
  return Printable(DetailText(detail));
}

// Returns true if the text has the id by itself: "%1" is no part of "%12".
bool HasId(absl::string_view text, absl::string_view id) {
  const auto is_word = [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  for (size_t at = text.find(id); at != text.npos; at = text.find(id, at + 1)) {
    const size_t end = at + id.size();
    if (end == text.size() || !is_word(text[end])) return true;
  }
  return false;
}

// "%12 "tile"", as far as there is any of it.
std::string IdText(const TargetResult& result, const std::string& said) {
  const Reason& reason = result.reason();
  const std::string id = result.spirv_id() == 0 ? "" : absl::StrCat("%", result.spirv_id());
  if (reason.name().empty()) return HasId(said, id) ? "" : id;
  return absl::StrCat(id, " \"", Printable(reason.name()), "\"");
}

}  // namespace

Reason CompleteReason(const TargetResult& result) {
  Reason reason = result.reason();
  const CauseInfo* row = FindCause(result.cause());
  if (row == nullptr || result.status() == TargetResult::OK) return reason;
  if (reason.sentence().empty()) reason.set_sentence(std::string(row->sentence));
  if (reason.remedy().empty()) reason.set_remedy(std::string(row->remedy));
  return reason;
}

std::string BlameText(const TargetResult& result) {
  const Reason& reason = result.reason();
  std::string text = WhatText(result);
  std::string where = IdText(result, text);
  if (!reason.source_file().empty()) {
    absl::StrAppend(&where, where.empty() ? "" : ", ", Printable(reason.source_file()));
    if (reason.source_line() != 0) absl::StrAppend(&where, ":", reason.source_line());
  }
  if (!where.empty()) absl::StrAppend(&text, text.empty() ? "" : " ", "(", where, ")");
  return text;
}

std::string WhyText(const TargetResult& result) {
  if (result.status() == TargetResult::INVALID) return "";
  const Reason reason = CompleteReason(result);
  std::string text;
  if (!reason.sentence().empty()) absl::StrAppend(&text, "\n  why: ", Printable(reason.sentence()));
  if (!reason.remedy().empty()) {
    absl::StrAppend(&text, "\n  what to do: ", Printable(reason.remedy()));
  }
  return text;
}

}  // namespace kiln::client
