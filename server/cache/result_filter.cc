// Filters a serialised TargetResult: see result_filter.h.
#include "server/cache/result_filter.h"

#include <utility>

#include "proto/pass_sums.h"

namespace kiln::cache {
namespace {

using kiln::v1::PassRecord;
using kiln::v1::TargetResult;
using kiln::v1::Variant;

// One field of the wire format.
struct Field {
  uint32_t number = 0;
  uint32_t wire = 0;
  uint64_t value = 0;         // of a varint
  std::string_view contents;  // of a length-delimited field
  std::string_view bytes;     // all of it
};

bool ReadVarint(std::string_view* in, uint64_t* value) {
  *value = 0;
  for (int shift = 0; shift < 64 && !in->empty(); shift += 7) {
    auto byte = static_cast<unsigned char>(in->front());
    in->remove_prefix(1);
    *value |= uint64_t{byte & 0x7fU} << shift;
    if ((byte & 0x80) == 0) return true;
  }
  return false;
}

// Takes one field off the front.
bool ReadField(std::string_view* in, Field* field) {
  std::string_view start = *in;
  uint64_t tag = 0;
  if (!ReadVarint(in, &tag)) return false;
  field->number = static_cast<uint32_t>(tag >> 3);
  field->wire = static_cast<uint32_t>(tag & 7);
  uint64_t length = 0;
  switch (field->wire) {
    case 0:
      if (!ReadVarint(in, &field->value)) return false;
      break;
    case 1: length = 8; break;
    case 2:
      if (!ReadVarint(in, &length)) return false;
      break;
    case 5: length = 4; break;
    default: return false;
  }
  if (length > in->size()) return false;
  field->contents = in->substr(0, length);
  in->remove_prefix(length);
  field->bytes = start.substr(0, start.size() - in->size());
  return true;
}

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
bool FilterVariant(const Field& variant, uint8_t bits, std::string* out) {
  size_t kept = 0;
  Field field;
  for (std::string_view in = variant.contents; !in.empty();) {
    if (!ReadField(&in, &field)) return false;
    if (WantedInVariant(field.number, bits)) kept += field.bytes.size();
  }
  AppendVarint((uint64_t{variant.number} << 3) | 2, out);
  AppendVarint(kept, out);
  for (std::string_view in = variant.contents; !in.empty();) {
    if (!ReadField(&in, &field)) return false;
    if (WantedInVariant(field.number, bits)) out->append(field.bytes);
  }
  return true;
}

// Returns false if it is no pass record.
bool AddRecord(const Field& field, PassRecord* record, PassSummer* sums) {
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

bool FilterResult(std::string_view result, uint8_t bits, std::string* out,
                  TargetResult::Status* status) {
  *status = TargetResult::UNSPECIFIED;
  out->reserve(out->size() + ((bits & (kBinaryBit | kLaunchBit)) != 0 ? result.size() : 1024) + 1);
  Field field;
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
        if (field.wire == 0) *status = static_cast<TargetResult::Status>(field.value);
        out->append(field.bytes);
        break;
      case TargetResult::kVariantsFieldNumber:
        if (field.wire != 2 || !FilterVariant(field, bits, out)) return false;
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
  return *status != TargetResult::UNSPECIFIED;
}

}  // namespace kiln::cache
