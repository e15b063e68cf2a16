// Tests client_memory.h: loads find old bytes until PutBack, stores change them for all, and what
// was needed is told.
#include "core/sim/rdna2/client_memory.h"

#include <optional>
#include <set>

#include "gtest/gtest.h"

namespace kiln::sim::rdna2 {
namespace {

constexpr uint32_t kHere = 0, kOtherCu = 1, kOtherArray = 4;

struct Machine {
  explicit Machine(uint64_t seed) : random(seed) {
    dispatch.buffers.resize(2);
    for (scene::ClientBuffer& b : dispatch.buffers) b.bytes.resize(256);
    memory.emplace(dispatch, random, &needs);
    op.info = &isa::Info(static_cast<int>(op.inst.op));
    message.op = &op;
  }

  uint8_t* At(size_t offset) { return dispatch.buffers[1].bytes.data() + offset; }
  void Store(uint32_t cu, size_t offset, uint8_t value) {
    op.offset = 100;
    memory->Access(message, cu, At(offset), 1, Use::kWrite);
    *At(offset) = value;
  }
  uint8_t Load(uint32_t cu, size_t offset) {
    op.offset = 200;
    memory->Access(message, cu, At(offset), 1, Use::kRead);
    const uint8_t found = *At(offset);
    memory->PutBack();
    return found;
  }

  Splitmix random;
  scene::Dispatch dispatch;
  Needs needs;
  std::optional<ClientMemory> memory;
  Op op;
  InFlight message;
};

TEST(ClientMemory, LoadsMayFindOldBytesButLeaveTheNewOnes) {
  std::set<uint8_t> found;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    Machine m(seed);
    m.Store(kOtherCu, 3, 7);
    found.insert(m.Load(kHere, 3));
    EXPECT_EQ(*m.At(3), 7);
    EXPECT_EQ(m.Load(kOtherCu, 3), 7);
  }
  EXPECT_EQ(found, (std::set<uint8_t>{0, 7}));
}

// A store brings its own bytes into the copy of a line, not what others changed beside them.
TEST(ClientMemory, AStoreLeavesOtherBytesOfItsLineOld) {
  for (const bool loads : {false, true}) {
    std::set<uint8_t> found;
    for (uint64_t seed = 0; seed < 100; ++seed) {
      Machine m(seed);
      if (loads) m.Load(kHere, 3);
      m.Store(kOtherArray, 3, 7);
      m.Store(kHere, 64, 9);
      found.insert(m.Load(kHere, 3));
      EXPECT_EQ(m.Load(kHere, 64), 9);
    }
    EXPECT_EQ(found, (std::set<uint8_t>{0, 7}));
  }
}

// The CU's own store stays in its copy when another changes the byte after it.
TEST(ClientMemory, OwnStoresNeverVanish) {
  std::set<uint8_t> found;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Machine m(seed);
    m.Store(kHere, 3, 7);
    m.Store(kOtherArray, 3, 8);
    if (seed % 2 == 0) m.memory->caches().EmptyVector(kHere);
    if (seed % 4 < 2) m.memory->caches().EmptyArray(kHere);
    found.insert(m.Load(kHere, 3));
  }
  EXPECT_EQ(found, (std::set<uint8_t>{7, 8}));
}

TEST(ClientMemory, TrialsAreUndone) {
  Machine m(1);
  m.memory->Remember(m.At(0), 2);
  *m.At(1) = 9;
  m.memory->PutBack();
  EXPECT_EQ(*m.At(1), 0);
}

TEST(ClientMemory, NamesAreOfTheClientsBytes) {
  Machine m(1);
  EXPECT_EQ(m.memory->NameOf(m.At(5)), m.memory->NameOf(m.At(0)) + 5);
  EXPECT_EQ(m.memory->NameOf(m.At(0)) % kLineBytes, 0u);
  uint8_t other = 0;
  EXPECT_EQ(m.memory->NameOf(&other), ClientMemory::kNoName);
}

TEST(ClientMemory, TellsWhatWasNeeded) {
  Machine m(1);
  m.Store(kHere, 3, 7);
  m.Load(kHere, 3);
  m.Load(kOtherCu, 4 * 3);
  EXPECT_TRUE(m.needs.empty());
  m.Load(kOtherCu, 3);
  EXPECT_EQ(m.needs, (Needs{{200, Need::kLoad}}));
  m.Load(kOtherArray, 3);
  EXPECT_EQ(m.needs, (Needs{{200, Need::kLoad}, {200, Need::kFarLoad}}));
  m.message.whole_lines = true;
  m.Store(kHere, 3, 8);
  m.Load(kOtherCu, 3);
  EXPECT_EQ(m.needs, (Needs{{100, Need::kStore}, {200, Need::kLoad}, {200, Need::kFarLoad}}));
  m.message.waits = std::make_shared<std::set<uint32_t>>(std::set<uint32_t>{150});
  m.Store(kHere, 4, 8);
  EXPECT_FALSE(m.needs.count({150, Need::kVscnt}));
  m.Load(kOtherCu, 4);
  EXPECT_TRUE(m.needs.count({150, Need::kVscnt}));
}

}  // namespace
}  // namespace kiln::sim::rdna2
