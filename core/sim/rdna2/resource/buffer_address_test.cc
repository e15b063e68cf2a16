// Addresses of buffer accesses: sums, swizzling, and the four rules for what is outside.
#include "core/sim/rdna2/resource/buffer_address.h"

#include <set>

#include "gtest/gtest.h"

namespace kiln::sim::rdna2 {
namespace {

BufferResource Buffer(OutOfBoundsCheck check, uint32_t records, uint32_t stride = 0) {
  BufferResource r;
  r.base = 0x100000000;
  r.records = records;
  r.stride = stride;
  r.check = check;
  return r;
}

std::optional<uint64_t> At(const BufferResource& r, BufferOffsets o, uint32_t at = 0) {
  const std::optional<uint64_t> a = BufferAddress(r, o, at);
  if (!a) return a;
  return *a - r.base;
}

TEST(BufferAddressTest, SumsAllParts) {
  const BufferResource r = Buffer(OutOfBoundsCheck::kStructured, 100, 20);
  EXPECT_EQ(At(r, {.index = 3, .voffset = 8, .soffset = 1000, .inst = 4}), 3 * 20 + 8 + 1000 + 4);
  BufferResource tid = r;
  tid.add_thread_id = true;
  EXPECT_EQ(At(tid, {.index = 3, .thread = 5}), 8 * 20);
  EXPECT_EQ(At(r, {.index = 3, .thread = 5}), 3 * 20);
}

TEST(BufferAddressTest, RawJudgesTheOffsetOfEachDword) {
  const BufferResource r = Buffer(OutOfBoundsCheck::kRaw, 16);
  EXPECT_EQ(At(r, {.voffset = 12}), 12u);
  EXPECT_EQ(At(r, {.voffset = 15}), 15u) << "the first byte decides";
  EXPECT_EQ(At(r, {.voffset = 12}, 4), std::nullopt) << "the second dword of two";
  EXPECT_EQ(At(r, {.voffset = 8, .soffset = 8}), std::nullopt);
  EXPECT_EQ(At(r, {.voffset = 8, .soffset = 4}), 12u);
  EXPECT_EQ(At(r, {.voffset = 12, .inst = 4}), std::nullopt);
  // A negative offset does not come back into the buffer.
  EXPECT_EQ(At(r, {.voffset = 0xfffffffc}), std::nullopt);
  EXPECT_EQ(At(r, {.voffset = 0xfffffffc}, 4), std::nullopt);
  EXPECT_EQ(At(r, {.voffset = 0xfffffffc, .inst = 8}), std::nullopt);
}

TEST(BufferAddressTest, StructuredJudgesTheIndex) {
  const BufferResource r = Buffer(OutOfBoundsCheck::kStructured, 4, 8);
  EXPECT_EQ(At(r, {.index = 3, .voffset = 100}), 124u) << "whatever the offset";
  EXPECT_EQ(At(r, {.index = 4}), std::nullopt);
  const BufferResource with = Buffer(OutOfBoundsCheck::kStructuredWithOffset, 4, 8);
  EXPECT_EQ(At(with, {.index = 3, .voffset = 7}), 31u);
  EXPECT_EQ(At(with, {.index = 3, .voffset = 8}), std::nullopt);
  EXPECT_EQ(At(with, {.index = 3, .inst = 4}, 4), std::nullopt);
  EXPECT_EQ(At(with, {.index = 4}), std::nullopt);
  EXPECT_EQ(At(with, {.index = 0, .soffset = 64}), 64u) << "soffset is not judged";
}

TEST(BufferAddressTest, DisabledKeepsEmptyBuffersOut) {
  EXPECT_EQ(At(Buffer(OutOfBoundsCheck::kDisabled, 1), {.voffset = 4000}), 4000u);
  EXPECT_EQ(At(Buffer(OutOfBoundsCheck::kDisabled, 0), {}), std::nullopt);
}

TEST(BufferAddressTest, NullDescriptorIsAllOutside) {
  EXPECT_EQ(BufferAddress(DecodeBuffer({}), {}), std::nullopt);
  EXPECT_EQ(ScalarBufferAddress(DecodeBuffer({}), 0), std::nullopt);
}

// RDNA2 ISA guide 8.1.5: INDEX_STRIDE records lie together, element by element.
TEST(BufferAddressTest, SwizzledRecordsLieTogether) {
  BufferResource r = Buffer(OutOfBoundsCheck::kStructured, 64, 16);
  r.swizzle = true;
  r.index_stride = 1;  // 16 records
  EXPECT_EQ(At(r, {.index = 0, .voffset = 4}), 64u) << "element 1 behind element 0 of 16 records";
  EXPECT_EQ(At(r, {.index = 3, .voffset = 5}), 64u + 12 + 1);
  EXPECT_EQ(At(r, {.index = 17, .voffset = 0}), 16u * 16 + 4);
  // Every byte of the buffer belongs to one record and offset.
  std::set<uint64_t> bytes;
  for (uint32_t index = 0; index < 64; ++index) {
    for (uint32_t offset = 0; offset < 16; ++offset) {
      bytes.insert(*At(r, {.index = index, .voffset = offset}));
    }
  }
  EXPECT_EQ(bytes.size(), 64u * 16);
  EXPECT_EQ(*bytes.rbegin(), 64u * 16 - 1);
  r.check = OutOfBoundsCheck::kRaw;
  r.records = 65;
  EXPECT_EQ(At(r, {.index = 0, .voffset = 4}), 64u);
  EXPECT_EQ(At(r, {.index = 1, .voffset = 4}), std::nullopt) << "the swizzled place is judged";
}

TEST(BufferAddressTest, ScalarLoadsJudgeBytes) {
  EXPECT_EQ(ScalarBufferAddress(Buffer(OutOfBoundsCheck::kRaw, 16), 15), 0x10000000c);
  EXPECT_EQ(ScalarBufferAddress(Buffer(OutOfBoundsCheck::kRaw, 16), 16), std::nullopt);
  EXPECT_EQ(ScalarBufferAddress(Buffer(OutOfBoundsCheck::kStructured, 4, 12), 44), 0x10000002c);
  EXPECT_EQ(ScalarBufferAddress(Buffer(OutOfBoundsCheck::kStructured, 4, 12), 48), std::nullopt);
}

}  // namespace
}  // namespace kiln::sim::rdna2
