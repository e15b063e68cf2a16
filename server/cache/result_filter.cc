// Filters a serialised TargetResult: see result_filter.h.
#include "server/cache/result_filter.h"

#include <utility>

#include "proto/pass_sums.h"
#include "server/cache/wire.h"

namespace kiln::cache {
namespace {

using kiln::v1::PassRecord;
using kiln::v1::TargetResult;
using kiln::v1::Variant;

void AppendVarint(uint64_t n, std::string* out) {
  for (; n >= 0x80; n >>= 7) out->push_back(static_cast<char>(n | 0x80));
  out->push_back(static_cast<char>(n));
}

bool WantedInVariant(uint32_t number, uint8_t bits) {
  switch (number) {
    case Variant::kCodeFieldNumber: return (bits & kBinaryBit) != 0;
    case Variant::kAssemblyFieldNumber: return (bits & kAssemblyBit) != 0;
    case Variant::kLaunchFieldNumber: return (bits & kLaunchBit) != 0;
    default: return true;
  }
}

// Rewrites a variant with its new length: one pass to add up, one to copy.
bool FilterVariant(const WireField& variant, uint8_t bits, std::string* out, ResultTag* tag) {
  size_t kept = 0;
  WireField field;
  std::string_view statistics;
  for (std::string_view in = variant.contents; !in.empty();) {
    if (!ReadField(&in, &field)) return false;
    if (WantedInVariant(field.number, bits)) kept += field.bytes.size();
    if (field.number == Variant::kStatisticsFieldNumber) statistics = field.contents;
  }
  tag->AddVariant(statistics);
  AppendVarint((uint64_t{variant.number} << 3) | 2, out);
  AppendVarint(kept, out);
  for (std::string_view in = variant.contents; !in.empty();) {
    if (!ReadField(&in, &field)) return false;
    if (WantedInVariant(field.number, bits)) out->append(field.bytes);
  }
  return true;
}

// Returns false if it is no pass record.
bool AddRecord(const WireField& field, PassRecord* record, PassSummer* sums) {
  const std::string_view bytes = field.contents;
  if (field.wire != 2 || !record->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return false;
  }
  sums->Add(*record);
  return true;
}

void AppendSums(PassSummer sums, std::string* out) {
  if (sums.empty()) return;
  TargetResult rest;
  *rest.mutable_pass_sums() = std::move(sums).Take();
  rest.AppendToString(out);
}

}  // namespace

bool FilterResult(std::string_view result, uint8_t bits, std::string* out, ResultTag* tag) {
  *tag = {};
  out->reserve(out->size() + ((bits & (kBinaryBit | kLaunchBit)) != 0 ? result.size() : 1024) + 1);
  WireField field;
  PassRecord record;  // outside the loop, to reuse its text's memory
  PassSummer sums;
  // In the order of the numbers, as a serialised message is.
  bool summed = false;
  const auto append_sums = [&] {
    if (!std::exchange(summed, true)) AppendSums(std::move(sums), out);
  };
  while (!result.empty()) {
    if (!ReadField(&result, &field)) return false;
    if (field.number > TargetResult::kPassSumsFieldNumber) append_sums();
    switch (field.number) {
      case TargetResult::kStatusFieldNumber:
        if (field.wire == 0) tag->status = static_cast<uint8_t>(field.value);
        out->append(field.bytes);
        break;
      case TargetResult::kStageFieldNumber:
        tag->stage = StageIndex(field.contents);
        out->append(field.bytes);
        break;
      case TargetResult::kVariantsFieldNumber:
        if (field.wire != 2 || !FilterVariant(field, bits, out, tag)) return false;
        break;
      case TargetResult::kPassesFieldNumber:
        if ((bits & kPassesBit) != 0) out->append(field.bytes);
        if ((bits & kPassSumsBit) == 0) break;
        if (summed || !AddRecord(field, &record, &sums)) return false;
        break;
      case TargetResult::kPassSumsFieldNumber:  // they are not stored
        break;
      case TargetResult::kRemarksFieldNumber:
        if ((bits & kRemarksBit) != 0) out->append(field.bytes);
        break;
      default: out->append(field.bytes);
    }
  }
  append_sums();
  return tag->status != TargetResult::UNSPECIFIED;
}

}  // namespace kiln::cache
