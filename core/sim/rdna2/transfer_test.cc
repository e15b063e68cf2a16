// Tests transfer.h.
#include "core/sim/rdna2/transfer.h"

#include "gtest/gtest.h"

namespace kiln::sim::rdna2 {
namespace {

WaveState Wave() {
  WaveState w;
  w.vector.resize(4);
  return w;
}

TEST(TransferTest, ExtendsAndKeepsHalves) {
  WaveState w = Wave();
  const uint8_t bytes[4] = {0xfe, 0x80, 3, 4};
  StoreLoaded(AccessOf(isa::Opcode::kBufferLoadSbyte), bytes, 0, 5, w);
  EXPECT_EQ(w.vector[0][5], 0xfffffffeu);
  StoreLoaded(AccessOf(isa::Opcode::kBufferLoadUshort), bytes, 0, 5, w);
  EXPECT_EQ(w.vector[0][5], 0x80feu);
  StoreLoaded(AccessOf(isa::Opcode::kBufferLoadUbyteD16Hi), bytes, 0, 5, w);
  EXPECT_EQ(w.vector[0][5], 0x00fe80feu);
  StoreLoaded(AccessOf(isa::Opcode::kBufferLoadSbyteD16), bytes, 0, 5, w);
  EXPECT_EQ(w.vector[0][5], 0x00fefffeu);
  EXPECT_EQ(w.vector[0][4], 0u);
}

TEST(TransferTest, StoresFromTheUpperHalf) {
  WaveState w = Wave();
  w.vector[1][0] = 0xaabbccdd;
  EXPECT_EQ(BytesToStore(AccessOf(isa::Opcode::kBufferStoreShortD16Hi), 1, 0, w)[0], 0xbb);
  EXPECT_EQ(BytesToStore(AccessOf(isa::Opcode::kBufferStoreShort), 1, 0, w)[0], 0xdd);
}

TEST(TransferTest, AtomicsOutsideReturnZero) {
  WaveState w = Wave();
  w.vector[0][0] = 5;
  w.vector[2][0] = 7;
  AtomicAt(AccessOf(isa::Opcode::kBufferAtomicAdd), nullptr, 0, 2, 0, w);
  EXPECT_EQ(w.vector[2][0], 0u);
  EXPECT_EQ(w.vector[0][0], 5u);
}

}  // namespace
}  // namespace kiln::sim::rdna2
