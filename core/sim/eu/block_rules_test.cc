// Every message of the data ports: the bytes that it moves under each mask, and its alignment.
#include "core/sim/eu/block_rules.h"

#include <cstring>
#include <optional>
#include <set>
#include <vector>

#include "core/sim/eu/dataport.h"
#include "core/sim/eu/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln::sim::eu::testing {
namespace {

using isa::Sfid;
using ::testing::HasSubstr;
using M = isa::Message;

// A block message and the descriptor's bits except lengths and size.
struct Block {
  M message;
  Sfid sfid;
  uint32_t desc;
  bool write;
  bool scratch;
};

constexpr uint32_t Type(uint32_t type) { return type << 14; }
constexpr uint32_t kScratchBlock = 1u << 18, kScratchStore = 1u << 17, kDwordMode = 1u << 16;
constexpr uint32_t kUnaligned = 1u << 11;

constexpr Block kBlocks[] = {
    {M::kBlockRead, Sfid::kDataCache0, Type(0), false, false},
    {M::kBlockReadUnaligned, Sfid::kDataCache0, Type(1), false, false},
    {M::kBlockWrite, Sfid::kDataCache0, Type(8), true, false},
    {M::kConstBlockRead, Sfid::kConstantCache, Type(0), false, false},
    {M::kConstBlockReadUnaligned, Sfid::kConstantCache, Type(1), false, false},
    {M::kA64BlockRead, Sfid::kDataCache1, Type(0x14) | 0xfd, false, false},
    {M::kA64BlockRead, Sfid::kDataCache1, Type(0x14) | kUnaligned | 0xfd, false, false},
    {M::kA64BlockWrite, Sfid::kDataCache1, Type(0x15) | 0xfd, true, false},
    {M::kScratchRead, Sfid::kDataCache0, kScratchBlock, false, true},
    {M::kScratchWrite, Sfid::kDataCache0, kScratchBlock | kScratchStore, true, true},
    {M::kScratchWrite, Sfid::kDataCache0, kScratchBlock | kScratchStore | kDwordMode, true, true},
};

// Size codes and their numbers of owords.
struct Size {
  uint32_t code;
  int owords;
  bool high;
};
constexpr Size kSizes[] = {
    {0, 1, false}, {1, 1, true}, {2, 2, false}, {3, 4, false}, {4, 8, false}};
constexpr Size kScratchSizes[] = {{0, 2, false}, {1, 4, false}, {2, 8, false}, {3, 16, false}};

class BlockRulesTest : public ::testing::Test {
 protected:
  BlockRulesTest() : memory_(1024), scratch_(4096) {
    base_ = addresses_.Map(absl::MakeSpan(reinterpret_cast<uint8_t*>(memory_.data()), 4096));
    view_.surfaces = {Surface{reinterpret_cast<uint8_t*>(memory_.data()), 4096}};
    view_.scratch = {scratch_.data(), scratch_.size()};
    view_.addresses = &addresses_;
  }

  // Memory that a message of this kind reaches, at byte 512.
  uint32_t* Place(const Block& b) {
    return reinterpret_cast<uint32_t*>(b.scratch ? scratch_.data()
                                                 : reinterpret_cast<uint8_t*>(memory_.data())) +
           128;
  }

  absl::Status Send(const Block& b, const Size& size, uint32_t lanes, uint32_t off = 0) {
    const auto registers = static_cast<uint32_t>((size.owords + 1) / 2);
    uint32_t desc = b.desc | 1u << 25 | 1u << 19 | (b.write ? 0 : registers << 20);
    desc |= b.scratch ? size.code << 12 | 16 : size.code << 8;
    const uint32_t ex_desc = b.write ? registers << 6 : 0;
    const absl::StatusOr<Message> m = DecodeMessage(b.sfid, false, desc, ex_desc);
    if (!m.ok()) return m.status();
    EXPECT_EQ(m->message, b.message);
    const uint64_t address = base_ + 512 + off;
    if (m->a64) {
      std::memcpy(thread_.regs.data() + 320, &address, 8);
    } else if (!b.scratch) {
      thread_.Write32(320 + 8, m->byte_offset ? 512 + off : 32);
    }
    return ExecuteMessage(*m, {b.write ? -1 : 20, 10, b.write ? 20 : -1}, lanes, view_, thread_);
  }

  // Fills memory and registers and returns the dwords of the block that a message moved; changes of
  // others are failures.
  std::vector<bool> Moved(const Block& b, const Size& size, uint32_t lanes, absl::Status* status) {
    uint32_t* memory = Place(b);
    const int skip = size.high ? 4 : 0;
    for (uint32_t i = 0; i < 128; ++i) memory[i] = 0x10000 + i;
    for (uint32_t i = 0; i < 128; ++i) thread_.Write32(640 + 4 * i, 0x20000 + i);
    *status = Send(b, size, lanes);
    std::vector<bool> moved;
    for (uint32_t i = 0; i < 128; ++i) {
      const uint32_t in_register = thread_.Read32(640 + 4 * i);
      if (b.write) {
        const bool now = memory[i] != 0x10000 + i;
        if (now) {
          EXPECT_EQ(memory[i], 0x20000 + i + skip);
        }
        moved.push_back(now);
      } else if (i >= static_cast<uint32_t>(skip)) {
        const bool now = in_register != 0x20000 + i;
        if (now) {
          EXPECT_EQ(in_register, 0x10000 + i - skip);
        }
        moved.push_back(now);
      } else {
        EXPECT_EQ(in_register, 0x20000 + i);
      }
    }
    moved.resize(124);
    return moved;
  }

  std::vector<uint32_t> memory_;
  std::vector<uint8_t> scratch_;
  scene::AddressSpace addresses_;
  uint64_t base_ = 0;
  MemoryView view_;
  Thread thread_;
};

// Returns the dwords that a mask lets through, or nothing if no source says. Written independently
// of the rules, from Mesa's spills: eight channels per register, two registers at most.
std::optional<uint64_t> Expected(const Block& b, const Size& size, uint32_t lanes) {
  const uint64_t whole = size.owords == 16 ? ~0ull : (1ull << (4 * size.owords)) - 1;
  const uint32_t all = size.owords > 2 ? 0xffff : 0xff;
  if ((lanes & all) == all) return whole;
  const bool masked =
      b.message == M::kBlockWrite || (b.message == M::kScratchWrite && (b.desc & kDwordMode) != 0);
  if (!masked || (size.owords != 2 && size.owords != 4)) return std::nullopt;
  return lanes & all;
}

TEST_F(BlockRulesTest, EveryBlockUnderEveryKindOfMask) {
  for (const Block& b : kBlocks) {
    const absl::Span<const Size> sizes =
        b.scratch ? absl::MakeConstSpan(kScratchSizes) : absl::MakeConstSpan(kSizes);
    for (const Size& size : sizes) {
      for (const uint32_t lanes : {0xffffu, 0xffu, 0xff00u, 0x1u, 0x8000u, 0x00f0u, 0x5aa5u}) {
        absl::Status status;
        const std::vector<bool> moved = Moved(b, size, lanes, &status);
        const std::optional<uint64_t> want = Expected(b, size, lanes);
        const std::string where = std::string(isa::Info(b.message).name) + " of " +
                                  std::to_string(size.owords) + " owords, lanes " +
                                  std::to_string(lanes);
        EXPECT_EQ(status.ok(), want.has_value()) << where << status;
        if (!want) {
          EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented) << where;
          EXPECT_THAT(status.message(), HasSubstr("unsupported message")) << where;
        }
        for (size_t i = 0; i < moved.size(); ++i) {
          EXPECT_EQ(moved[i], i < 64 && (want.value_or(0) >> i & 1)) << where << " dword " << i;
        }
      }
    }
  }
}

// Blocks are aligned to owords or dwords, depending on their messages.
TEST_F(BlockRulesTest, MisplacedBlocksAreRefused) {
  for (const Block& b : kBlocks) {
    if (b.scratch || b.message == M::kBlockRead || b.message == M::kBlockWrite ||
        b.message == M::kConstBlockRead) {
      continue;  // their units are owords and registers
    }
    const uint32_t alignment = b.sfid == Sfid::kDataCache1 && !(b.desc & kUnaligned) ? 16 : 4;
    for (const uint32_t off : {0u, 2u, 4u, 8u, 16u}) {
      const absl::Status status = Send(b, kSizes[2], 0xff, off);
      EXPECT_EQ(status.ok(), off % alignment == 0) << isa::Info(b.message).name << " " << off;
      if (!status.ok()) {
        EXPECT_THAT(status.message(), HasSubstr("not a multiple of"));
      }
    }
  }
}

// Accesses of lanes are aligned to dwords.
TEST_F(BlockRulesTest, MisplacedLanesAreRefused) {
  struct Access {
    Sfid sfid;
    uint32_t desc, ex_desc;
    uint32_t alignment;
  };
  for (const Access& a : {Access{Sfid::kDataCache1, 0x02106e00, 0, 4},       // untyped read
                          Access{Sfid::kDataCache1, 0x02026e00, 1 << 6, 4},  // untyped write
                          Access{Sfid::kDataCache1, 0x0210b700, 1 << 6, 4},  // untyped atomic
                          Access{Sfid::kDataCache0, 0x02110800, 0, 1}}) {    // bytes, four a lane
    for (const uint32_t at : {64u, 65u, 66u, 68u}) {
      thread_.Write32(320, at);
      const absl::StatusOr<Message> m = DecodeMessage(a.sfid, false, a.desc, a.ex_desc);
      ASSERT_TRUE(m.ok()) << m.status();
      const absl::Status status = ExecuteMessage(*m, {30, 10, 20}, 1, view_, thread_);
      EXPECT_EQ(status.ok(), at % a.alignment == 0) << a.desc << " " << at << status;
    }
  }
}

TEST(MaskRows, AreThoseOfTheMessagesThatAccessMemory) {
  std::set<M> rows;
  for (const MaskRow& row : MaskRows()) {
    EXPECT_TRUE(rows.insert(row.message).second) << isa::Info(row.message).name;
    EXPECT_FALSE(row.source.empty());
  }
  std::set<M> messages;
  for (int i = 0; i < isa::kMessageCount; ++i) {
    const isa::MessageInfo& info = isa::Info(static_cast<M>(i));
    const bool port = info.sfid == Sfid::kDataCache0 || info.sfid == Sfid::kDataCache1 ||
                      info.sfid == Sfid::kConstantCache;
    const bool typed = info.layout == isa::MessageLayout::kTypedChannels ||
                       info.layout == isa::MessageLayout::kTypedAtomic;
    if (port && !typed && info.layout != isa::MessageLayout::kFence) {
      messages.insert(static_cast<M>(i));
    }
  }
  EXPECT_EQ(rows, messages);
  for (const Block& b : kBlocks) EXPECT_TRUE(rows.contains(b.message));
}

}  // namespace
}  // namespace kiln::sim::eu::testing
