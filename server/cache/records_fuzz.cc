// Fuzz target: what the disk tier keeps.
//
// Byte 0 says what the rest is, and which property has to hold:
//   0  a record as it is on disk: if it opens, its value seals and opens to the same
//   1  three bytes of damage, then a value: the damaged record opens to the value or not at all
//   2  outputs asked for, then a stored result: filtering the bytes gives what parsing, clearing
//      and serialising gives
//   3  a stored translation: what is read of it is written and read again, equal
//   4  a name in the tier's directory: a generation's number maps back to the same name
// Opening allocates no more than so many bytes can hold.
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/util/message_differencer.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "proto/wire_mutator.h"
#include "server/cache/names.h"
#include "server/cache/record.h"
#include "server/cache/result_cache.h"
#include "server/cache/result_filter.h"

namespace {

using google::protobuf::util::MessageDifferencer;
using kiln::v1::OutputMask;
using kiln::v1::TargetResult;
using namespace kiln::cache;  // NOLINT: a fuzz driver, no header

constexpr std::string_view kKey = "r0123456789abcdef0123456789abcdef";

void Demand(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "property: %s\n", what);
  std::abort();
}

void OpenAny(std::string_view record) {
  std::string value;
  const bool open = OpenRecord(kKey, record, &value);
  Demand(value.capacity() <= kKey.size() + (record.size() + 4) * (size_t{64} << 10),
         "no more room than the bytes can hold");
  if (!open) return;
  std::string sealed, again;
  Demand(SealRecord(kKey, value, &sealed) && OpenRecord(kKey, sealed, &again) && again == value,
         "what opened seals and opens");
}

// How: 0x80 cuts the record after `place`, 0x40 adds a byte to it, otherwise bits of a byte change.
void OpenDamaged(uint8_t how, uint8_t place, uint8_t bits, std::string_view value) {
  std::string record;
  Demand(SealRecord(kKey, value, &record), "a value seals");
  std::string damaged = record;
  const size_t at = (place + 256 * (how & 0x3fu)) % record.size();
  if ((how & 0x80) != 0) {
    damaged.resize(at);
  } else if ((how & 0x40) != 0) {
    damaged.insert(at + 1, 1, static_cast<char>(bits));
  } else {
    damaged[at] = static_cast<char>(damaged[at] ^ bits);
  }
  std::string opened;
  const bool open = OpenRecord(kKey, damaged, &opened);
  Demand(open || damaged != record, "a whole record opens");
  Demand(!open || opened == value, "damage makes no other value");
  Demand(!OpenRecord("r1123456789abcdef0123456789abcdef", record, &opened), "a key is a key");
}

OutputMask MaskOf(uint8_t bits) {
  OutputMask mask;
  mask.set_binary((bits & kBinaryBit) != 0);
  mask.set_assembly((bits & kAssemblyBit) != 0);
  mask.set_launch_record((bits & kLaunchBit) != 0);
  mask.set_pass_records((bits & kPassesBit) != 0);
  mask.set_pass_sums((bits & kPassSumsBit) != 0);
  mask.set_remarks((bits & kRemarksBit) != 0);
  return mask;
}

// Clears the fields of a single request, and unknown fields.
void ClearOthers(TargetResult* result) {
  result->clear_cache();
  result->mutable_timings()->clear_queue_ns();
  result->mutable_timings()->clear_service_ns();
  result->DiscardUnknownFields();
}

bool Same(const TargetResult& a, const TargetResult& b) {
  MessageDifferencer differencer;
  differencer.set_message_field_comparison(MessageDifferencer::EQUIVALENT);
  return differencer.Compare(a, b);
}

void FilterStored(uint8_t bits, std::string_view stored) {
  bits = Outputs(MaskOf(bits)).bits();
  std::string bytes;
  ResultTag tag;
  const bool good = FilterResult(stored, bits, &bytes, &tag);
  TargetResult parsed, filtered;
  if (!parsed.ParseFromArray(stored.data(), static_cast<int>(stored.size()))) return;
  if (!good) return;
  // Five numbers replace a record without a name, which has two bytes.
  const size_t most = (bits & kPassSumsBit) == 0 ? stored.size() : 2 * stored.size() + 32;
  Demand(bytes.size() <= most + 16, "filtering adds nothing");
  Demand(filtered.ParseFromString(bytes), "what is left of a result is a result");
  Demand(tag.status == static_cast<uint8_t>(parsed.status()), "with its status");
  Demand(parsed.status() == filtered.status(), "in its bytes, too");
  Outputs(MaskOf(bits)).Filter(&parsed);
  ClearOthers(&parsed);
  ClearOthers(&filtered);
  Demand(Same(parsed, filtered), "filtered and parsed agree");
}

void ReadStored(std::string_view stored) {
  StoredTranslation translation, again;
  if (!ReadTranslation(stored, &translation)) return;
  Demand(ReadTranslation(WriteTranslation(translation), &again), "what was read is read again");
  Demand(again.status == translation.status && again.cause == translation.cause &&
             again.message == translation.message && again.nanoseconds == translation.nanoseconds &&
             (again.status != TargetResult::OK || again.module == translation.module),
         "as the same");
}

void ReadName(std::string_view name) {
  const uint64_t number = GenerationNumber(name);
  if (number != 0) Demand(GenerationName(number) == name, "a name is one");
  const uint64_t repaired = RepairedNumber(name);
  if (repaired != 0) Demand(RepairedName(repaired) == name, "of a repaired one too");
  Demand((number != 0) + (repaired != 0) + IsDoomedName(name) <= 1, "a name is of one thing");
}

}  // namespace

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size)
    __attribute__((weak));

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  const size_t head = size > 0 && data[0] == 2 ? 2 : 1;
  const bool is_message = size > head && (data[0] == 2 || data[0] == 3);
  if (!is_message || seed % 8 == 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::string mutated = kiln::proto::MutateWire(
      std::string_view(reinterpret_cast<const char*>(data) + head, size - head), seed);
  if (head == 2 && seed % 8 == 1) data[1] = static_cast<uint8_t>(seed >> 8);
  const size_t bytes = std::min(mutated.size(), max_size - head);
  std::memcpy(data + head, mutated.data(), bytes);
  return bytes + head;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // Protobuf would write a line for each text that is not UTF-8.
  static const auto* const kSilence = new google::protobuf::LogSilencer;
  (void)kSilence;
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0]) {
    case 0: OpenAny(rest); break;
    case 1:
      if (size >= 4) OpenDamaged(data[1], data[2], data[3], rest.substr(3));
      break;
    case 2:
      if (size >= 2) FilterStored(data[1], rest.substr(1));
      break;
    case 3: ReadStored(rest); break;
    case 4: ReadName(rest); break;
    default: break;
  }
  return 0;
}
