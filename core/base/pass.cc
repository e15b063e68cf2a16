#include "core/base/pass.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/cause.h"
#include "core/base/utf8.h"

namespace kiln {
namespace {

// Debian's Abseil has a string_view of its own.
absl::string_view Abs(std::string_view s) { return absl::string_view(s.data(), s.size()); }

const PassRow* FindRow(absl::Span<const PassRow> rows, std::string_view name) {
  for (const PassRow& row : rows) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

absl::Status CheckName(absl::Span<const PassRow> rows, std::string_view option,
                       std::string_view name) {
  if (FindRow(rows, name) != nullptr) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(Abs(option), ": there is no pass named '", Quoted(name), "'"));
}

}  // namespace

bool IsDisabled(const PassOptions& options, std::string_view name) {
  return std::find(options.disabled.begin(), options.disabled.end(), name) !=
         options.disabled.end();
}

bool PassContext::Rewrite() {
  if (!optional_) return true;
  if (remaining_ == 0) return false;
  if (remaining_ > 0) --remaining_;
  ++rewrites_;
  return true;
}

bool PassContext::Cancelled() const { return budget_ != nullptr && budget_->Cancelled(); }

void PassContext::Remark(std::string_view kind, uint32_t spirv_id, std::string text) {
  if (sink_ != nullptr) sink_->OnRemark({pass_, kind, spirv_id, std::move(text), width_});
}

PassContext PassContext::ForTest(int64_t rewrite_limit) {
  PassContext context;
  context.remaining_ = rewrite_limit;
  return context;
}

absl::Status CheckTable(absl::Span<const PassRow> rows, absl::Span<const PassOrder> orders) {
  for (size_t i = 0; i < rows.size(); ++i) {
    const PassRow& row = rows[i];
    if (FindRow(rows.subspan(i + 1), row.name) != nullptr) {
      return absl::InternalError(absl::StrCat("pass ", Abs(row.name), " is in the table twice"));
    }
    if (row.group != 0 && i > 0 && rows[i - 1].group != row.group) {
      for (size_t j = 0; j < i; ++j) {
        if (rows[j].group != row.group) continue;
        return absl::InternalError(
            absl::StrCat("the group of ", Abs(row.name), " is in two parts"));
      }
    }
  }
  for (const PassOrder& order : orders) {
    const PassRow* first = FindRow(rows, order.first);
    const PassRow* then = FindRow(rows, order.then);
    if (first == nullptr || then == nullptr) {
      return absl::InternalError(absl::StrCat("an ordering constraint names an unknown pass: ",
                                              Abs(first == nullptr ? order.first : order.then)));
    }
    if (first >= then) {
      return absl::InternalError(absl::StrCat("pass ", Abs(order.first), " must come before ",
                                              Abs(order.then), ": ", Abs(order.reason)));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckOptions(absl::Span<const PassRow> rows, const PassOptions& options) {
  for (const std::string& name : options.disabled) {
    if (absl::Status s = CheckName(rows, "disable-pass", name); !s.ok()) return s;
    if (!FindRow(rows, name)->optional) {
      return absl::InvalidArgumentError(
          absl::StrCat("disable-pass: ", name, " is needed for correctness"));
    }
  }
  if (!options.stop_after.empty()) {
    if (absl::Status s = CheckName(rows, "stop-after", options.stop_after); !s.ok()) return s;
  }
  if (!options.print_after.empty() && options.print_after != "all" &&
      options.print_after != "changed") {
    return CheckName(rows, "print-after", options.print_after);
  }
  return absl::OkStatus();
}

PassContext Runner::Begin(std::string_view name, bool optional) {
  PassContext context;
  context.pass_ = name;
  context.sink_ = sink_;
  context.budget_ = &budget_;
  context.width_ = width_;
  context.options_ = &options_;
  context.optional_ = optional;
  if (options_.bisect_limit >= 0) {
    context.remaining_ = std::max<int64_t>(0, options_.bisect_limit - rewrites_);
  }
  if (sink_ != nullptr) sink_->OnPassBegin(name);
  return context;
}

absl::Status Runner::End(const PassContext& context, PassRecord& record, bool changed) {
  rewrites_ += context.rewrites_;
  record.width = width_;
  record.changed = changed;
  record.rewrites = context.rewrites_;
  record.max_live = context.max_live_;
  if (sink_ != nullptr) sink_->OnPass(record);
  if (budget_.Cancelled()) {
    return WithCause(absl::CancelledError(absl::StrCat("cancelled after ", Abs(record.pass))),
                     "cancelled");
  }
  if (options_.max_instructions > 0 && record.instructions_after > options_.max_instructions) {
    return BeyondLimit("too_many_instructions",
                       {absl::StrCat("instructions after ", Abs(record.pass)),
                        static_cast<uint64_t>(record.instructions_after),
                        static_cast<uint64_t>(options_.max_instructions)});
  }
  return absl::OkStatus();
}

bool Runner::WantsSnapshot(std::string_view name, bool changed) const {
  if (sink_ == nullptr || options_.print_after.empty()) return false;
  return options_.print_after == "all" || (options_.print_after == "changed" && changed) ||
         options_.print_after == name;
}

absl::Status Runner::Annotate(const absl::Status& status, std::string_view name) const {
  if (status.ok()) return status;
  return AsOwnFault(WithMessage(status, absl::StrCat(Abs(name), ": ", status.message())));
}

}  // namespace kiln
