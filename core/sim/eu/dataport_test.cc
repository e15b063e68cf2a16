// Messages: each kind reads or writes as its descriptor says, in whole programs.
#include "core/sim/eu/dataport.h"

#include <cstring>
#include <numeric>

#include "core/sim/eu/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln::sim::eu::testing {
namespace {

using isa::Opcode;
using isa::Sfid;
using isa::Type;
using ::testing::HasSubstr;

class DataportTest : public ::testing::Test {
 protected:
  DataportTest() : memory_(1024), shared_(256), scratch_(4096) {
    std::iota(memory_.begin(), memory_.end(), 0);
    view_.surfaces = {Surface{reinterpret_cast<uint8_t*>(memory_.data()), 4 * 256}};
    view_.shared = {shared_.data(), shared_.size()};
    view_.scratch = {scratch_.data(), scratch_.size()};
    view_.addresses = &addresses_;
    for (uint32_t i = 0; i < 256; ++i) memory_[i] = 0x01010101u * i;
    base_ = addresses_.Map(absl::MakeSpan(reinterpret_cast<uint8_t*>(memory_.data()), 1024));
    thread_.active = thread_.dispatch = 0xffff;
  }

  absl::Status Do(Sfid sfid, uint32_t desc, uint32_t ex_desc, uint32_t lanes, int dst, int src0,
                  int src1) {
    absl::StatusOr<Message> m = DecodeMessage(sfid, false, desc, ex_desc);
    if (!m.ok()) return m.status();
    return ExecuteMessage(*m, {dst, src0, src1}, lanes, view_, thread_);
  }

  uint32_t Reg(int nr, int dword) { return Dword(thread_, nr, dword); }
  void SetReg(int nr, int dword, uint32_t v) { SetDword(thread_, nr, dword, v); }
  void SetAddress64(int nr, int lane, uint64_t a) {
    std::memcpy(thread_.regs.data() + kGrfBytes * nr + 8 * lane, &a, 8);
  }

  std::vector<uint32_t> memory_;
  std::vector<uint8_t> shared_, scratch_;
  scene::AddressSpace addresses_;
  uint64_t base_ = 0;
  MemoryView view_;
  Thread thread_;
};

TEST_F(DataportTest, UntypedReadOfSelectedComponentsSimd16) {
  for (int i = 0; i < 16; ++i) SetReg(10, i, static_cast<uint32_t>(16 * i));
  // x and z (mask 0b1010 disables y and w): two components of two registers.
  ASSERT_TRUE(Do(Sfid::kDataCache1, 0x04405a00, 0, 0xfffb, 20, 10, -1).ok());
  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(Reg(20, i), i == 2 ? 0u : memory_[4 * i]);
    EXPECT_EQ(Reg(22, i), i == 2 ? 0u : memory_[4 * i + 2]);
  }
}

TEST_F(DataportTest, OutOfBoundsReadsGiveZeroAndWritesAreDropped) {
  SetReg(10, 0, 1020);
  SetReg(10, 1, 1024);
  SetReg(10, 2, 0xfffffffc);
  for (int i = 0; i < 8; ++i) SetReg(20, i, 77);
  ASSERT_TRUE(Do(Sfid::kDataCache1, 0x02106e00, 0, 7, 20, 10, -1).ok());
  EXPECT_EQ(Reg(20, 0), memory_[255]);
  EXPECT_EQ(Reg(20, 1), 0u);
  EXPECT_EQ(Reg(20, 2), 0u);
  EXPECT_EQ(Reg(20, 3), 77u);
  memory_[256] = 5;
  ASSERT_TRUE(Do(Sfid::kDataCache1, 0x02026e00, 1 << 6, 7, -1, 10, 20).ok());
  EXPECT_EQ(memory_[256], 5u);
}

TEST_F(DataportTest, TheLastDwordOfASurfaceIsInsideAsAWhole) {
  view_.surfaces[0].size = 1022;
  const uint32_t before = memory_[255];
  SetReg(10, 0, 1020);
  SetReg(10, 1, 1024);
  SetReg(20, 1, 77);
  ASSERT_TRUE(Do(Sfid::kDataCache1, 0x02106e00, 0, 3, 20, 10, -1).ok());
  EXPECT_EQ(Reg(20, 0) & 0xffff, before & 0xffff);
  EXPECT_NE(Reg(20, 0) >> 16, before >> 16) << "what is not the client's";
  EXPECT_EQ(Reg(20, 1), 0u);
  SetReg(20, 0, 0x12345678);
  ASSERT_TRUE(Do(Sfid::kDataCache1, 0x02026e00, 0x40, 3, -1, 10, 20).ok());
  EXPECT_EQ(memory_[255], (before & 0xffff0000u) | 0x5678u);
}

TEST_F(DataportTest, UntypedWriteWithBothPayloads) {
  for (int i = 0; i < 8; ++i) {
    SetReg(10, i, static_cast<uint32_t>(8 * i));
    SetReg(20, i, 100u + i);
    SetReg(21, i, 200u + i);
  }
  ASSERT_TRUE(Do(Sfid::kDataCache1, 0x02026c00, 2 << 6, 0xff, -1, 10, 20).ok());
  for (uint32_t i = 0; i < 8; ++i) {
    EXPECT_EQ(memory_[2 * i], 100 + i);
    EXPECT_EQ(memory_[2 * i + 1], 200 + i);
  }
}

TEST_F(DataportTest, ByteScattered) {
  for (int i = 0; i < 8; ++i) SetReg(10, i, static_cast<uint32_t>(3 * i + 1));
  const uint8_t* bytes = reinterpret_cast<const uint8_t*>(memory_.data());
  for (int size = 0; size < 3; ++size) {
    const uint32_t desc = 0x02110000 | static_cast<uint32_t>(size) << 10;
    ASSERT_TRUE(Do(Sfid::kDataCache0, desc, 0, 0xff, 20, 10, -1).ok());
    // The rest of the dword of a shorter element is not zero: no program may read it.
    const uint32_t mask = 0xffffffffu >> (32 - (8 << size));
    for (int i = 0; i < 8; ++i) {
      uint32_t want = 0;
      std::memcpy(&want, bytes + 3 * i + 1, 1 << size);
      EXPECT_EQ(Reg(20, i) & mask, want);
      if (size < 2) {
        EXPECT_NE(Reg(20, i) & ~mask, 0u);
      }
    }
  }
}

TEST_F(DataportTest, AtomicsReturnTheOldValue) {
  const struct {
    uint32_t op, old, a, b, want;
  } cases[] = {{1, 0xff, 0x0f, 0, 0x0f},
               {2, 0xf0, 0x0f, 0, 0xff},
               {3, 0xff, 0x0f, 0, 0xf0},
               {4, 1, 9, 0, 9},
               {5, 1, 0, 0, 2},
               {6, 0, 0, 0, 0xffffffff},
               {7, 3, 4, 0, 7},
               {8, 3, 4, 0, 0xffffffff},
               {9, 3, 4, 0, 1},
               {10, 0xffffffff, 1, 0, 1},
               {11, 0xffffffff, 1, 0, 0xffffffff},
               {12, 0xffffffff, 1, 0, 0xffffffff},
               {13, 0xffffffff, 1, 0, 1},
               {14, 5, 5, 8, 8},
               {14, 6, 5, 8, 6}};
  for (const auto& c : cases) {
    const uint32_t operands = c.op == 14 ? 2 : c.op == 5 || c.op == 6 ? 0 : 1;
    memory_[3] = c.old;
    SetReg(10, 0, 12);
    SetReg(20, 0, c.a);
    SetReg(21, 0, c.b);
    const uint32_t desc = 0x0210b000 | c.op << 8;  // SIMD8, returns
    ASSERT_TRUE(Do(Sfid::kDataCache1, desc, operands << 6, 1, 30, 10, 20).ok()) << c.op;
    EXPECT_EQ(Reg(30, 0), c.old);
    EXPECT_EQ(memory_[3], c.want) << c.op;
  }
}

TEST_F(DataportTest, AtomicsOfAllLanesOnOneAddress) {
  memory_[0] = 0;
  for (int i = 0; i < 16; ++i) SetReg(10, i, 0);
  for (int i = 0; i < 16; ++i) SetReg(20, i, 1);
  ASSERT_TRUE(Do(Sfid::kDataCache1, 0x0420a700, 2 << 6, 0xf0f0, 30, 10, 20).ok());
  EXPECT_EQ(memory_[0], 8u);
  EXPECT_EQ(Reg(30, 4), 0u);
  EXPECT_EQ(Reg(30, 15), 7u);
}

TEST_F(DataportTest, FloatAtomics) {
  const float two = 2.0f, three = 3.0f;
  for (const auto& [op, want] : {std::pair<uint32_t, float>{1, 3.0f}, {2, 2.0f}}) {
    std::memcpy(&memory_[3], &two, 4);
    SetReg(10, 0, 12);
    std::memcpy(thread_.regs.data() + kGrfBytes * 20, &three, 4);
    ASSERT_TRUE(Do(Sfid::kDataCache1, 0x0216f000 | op << 8, 1 << 6, 1, 30, 10, 20).ok());
    float got;
    std::memcpy(&got, &memory_[3], 4);
    EXPECT_EQ(got, want);
  }
}

// Half of the mask applies to the first and third register, half to the others (isa/ERRATA.md, 15).
TEST(Blocks, OfSeveralRegistersAreForSixteenChannels) {
  for (const auto& [desc, ex_desc] :
       {std::pair{0x02280300u, 0u}, std::pair{0x020a0300u, 2u << 6}, std::pair{0x022c1000u, 0u},
        std::pair{0x020f1000u, 2u << 6}}) {
    const bool write = ex_desc != 0;
    for (int channels : {8, 16}) {
      isa::Instruction block =
          SendTo(Sfid::kDataCache0, desc, ex_desc, channels, write ? -1 : 20, 0, write ? 30 : -1);
      block.no_mask = true;
      block.swsb = 0x40;
      isa::Program p(isa::Generation::kGen12);
      p.Append(block);
      p.Append(EndOfThread());
      out::LaunchRecord record = Record(8);
      record.scratch_bytes_per_thread = 1024;
      const auto result = RunProgram(p, record, Options{}, std::vector<uint32_t>(32));
      EXPECT_EQ(result.ok(), channels == 16) << result.status();
      if (channels == 8) {
        EXPECT_THAT(result.status().message(), HasSubstr("fewer than 16 channels"));
      }
    }
  }
}

TEST_F(DataportTest, BlocksWithOwordAndByteOffsets) {
  SetReg(10, 2, 3);  // owords
  ASSERT_TRUE(Do(Sfid::kDataCache0, 0x02280300, 0, 0xffff, 20, 10, -1).ok());
  for (int i = 0; i < 16; ++i) EXPECT_EQ(Reg(20, i), memory_[12 + i]);
  SetReg(10, 2, 20);  // bytes
  ASSERT_TRUE(Do(Sfid::kConstantCache, 0x02184200, 0, 0xff, 20, 10, -1).ok());
  for (int i = 0; i < 8; ++i) EXPECT_EQ(Reg(20, i), memory_[5 + i]);
  SetReg(10, 2, 1);
  ASSERT_TRUE(Do(Sfid::kDataCache0, 0x020a0200, 1 << 6, 0xff, -1, 10, 20).ok());
  for (int i = 0; i < 8; ++i) EXPECT_EQ(memory_[4 + i], Reg(20, i));
}

TEST_F(DataportTest, ScratchBlocks) {
  SetReg(0, 5, 1024);
  for (int i = 0; i < 16; ++i) SetReg(20, i, 50u + i);
  // Write of 2 registers at HWord 5, oword mode; base from the header.
  ASSERT_TRUE(Do(Sfid::kDataCache0, 0x020e1005, 2 << 6, 0xffff, -1, 0, 20).ok());
  uint32_t at;
  std::memcpy(&at, scratch_.data() + 1024 + 160, 4);
  EXPECT_EQ(at, 50u);
  ASSERT_TRUE(Do(Sfid::kDataCache0, 0x022c1005, 0, 0xffff, 30, 0, -1).ok());
  for (int i = 0; i < 16; ++i) EXPECT_EQ(Reg(30, i), 50u + i);
  // Dword mode obeys the mask.
  for (int i = 0; i < 16; ++i) SetReg(20, i, 90u + i);
  ASSERT_TRUE(Do(Sfid::kDataCache0, 0x020f1005, 2 << 6, 0x8001, -1, 0, 20).ok());
  ASSERT_TRUE(Do(Sfid::kDataCache0, 0x022c1005, 0, 0xffff, 30, 0, -1).ok());
  for (int i = 0; i < 16; ++i) EXPECT_EQ(Reg(30, i), (i == 0 || i == 15 ? 90u : 50u) + i);
  SetReg(0, 5, 4096);
  EXPECT_EQ(Do(Sfid::kDataCache0, 0x022c1005, 0, 0xffff, 30, 0, -1).code(),
            absl::StatusCode::kOutOfRange);
}

TEST_F(DataportTest, A64ReadsWritesAndRefusals) {
  for (int i = 0; i < 8; ++i) SetAddress64(10, i, base_ + 16 * static_cast<uint64_t>(i));
  ASSERT_TRUE(Do(Sfid::kDataCache1, 0x04246cfd, 0, 0xff, 20, 10, -1).ok());
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(Reg(20, i), memory_[4 * i]);
    EXPECT_EQ(Reg(21, i), memory_[4 * i + 1]);
  }
  for (int i = 0; i < 8; ++i) SetReg(30, i, 0xaa00u + i);
  ASSERT_TRUE(Do(Sfid::kDataCache1, 0x040684fd, 1 << 6, 0xff, -1, 10, 30).ok());  // 16 bits
  EXPECT_EQ(memory_[4] & 0xffff, 0xaa01u);
  SetAddress64(10, 3, 0x1234);
  EXPECT_EQ(Do(Sfid::kDataCache1, 0x04246cfd, 0, 0xff, 20, 10, -1).code(),
            absl::StatusCode::kOutOfRange);
  EXPECT_TRUE(Do(Sfid::kDataCache1, 0x04246cfd, 0, 0xf7, 20, 10, -1).ok()) << "lane off";
}

TEST_F(DataportTest, A64Atomics64Bit) {
  SetAddress64(10, 0, base_);
  SetAddress64(10, 1, base_);
  SetAddress64(20, 0, 0x100000000ull);
  SetAddress64(20, 1, 1);
  const uint64_t before = memory_[0] | static_cast<uint64_t>(memory_[1]) << 32;
  ASSERT_TRUE(Do(Sfid::kDataCache1, 0x0424b7fd, 2 << 6, 3, 30, 10, 20).ok());
  uint64_t after;
  std::memcpy(&after, memory_.data(), 8);
  EXPECT_EQ(after, before + 0x100000001ull);
  EXPECT_EQ(thread_.Read64(kGrfBytes * 30), before);
  EXPECT_EQ(thread_.Read64(kGrfBytes * 30 + 8), before + 0x100000000ull);
}

TEST_F(DataportTest, LengthsAreChecked) {
  EXPECT_EQ(DecodeMessage(Sfid::kDataCache1, false, 0x02206e00, 0).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(DecodeMessage(Sfid::kDataCache1, false, 0x02026e00, 0).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(DataportTest, UnsupportedMessagesAreNamed) {
  const auto refusal = [](Sfid sfid, uint32_t desc) {
    const absl::Status s = DecodeMessage(sfid, false, desc, 0).status();
    EXPECT_EQ(s.code(), absl::StatusCode::kUnimplemented);
    return std::string(s.message());
  };
  EXPECT_THAT(refusal(Sfid::kRenderCache, 0x02106e00), HasSubstr("shared function 5"));
  EXPECT_THAT(refusal(Sfid::kUrb, 0x02106e00), HasSubstr("shared function 6"));
  // A typed atomic on halves; an addition of floats, which only later generations have.
  EXPECT_THAT(refusal(Sfid::kDataCache1, 0x0441c001), HasSubstr("the message is unknown"));
  EXPECT_THAT(refusal(Sfid::kDataCache1, 0x0216f400), HasSubstr("reserved code"));
}

TEST_F(DataportTest, BindlessSurfacesAreFoundByHandle) {
  view_.surfaces.resize(kBindlessPlace + 2);
  std::swap(view_.surfaces[0], view_.surfaces[kBindlessPlace + 1]);
  SetReg(10, 0, 8);
  const auto read = [this](uint32_t handle) {
    return Do(Sfid::kDataCache1, 0x02106efc, handle | 0xc, 1, 20, 10, -1);
  };
  ASSERT_TRUE(read(BindlessSurface(1)).ok());
  EXPECT_EQ(Reg(20, 0), memory_[2]);
  EXPECT_THAT(std::string(read(BindlessSurface(0)).message()), HasSubstr("handle 0x2a300000"));
  EXPECT_EQ(read(BindlessSurface(2)).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(read(0).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(read(1u << 12).code(), absl::StatusCode::kNotFound) << "a number is no handle";
}

TEST_F(DataportTest, UnboundSurfaceIsAnError) {
  EXPECT_EQ(Do(Sfid::kDataCache1, 0x02106e07, 0, 1, 20, 10, -1).code(),
            absl::StatusCode::kNotFound);
}

// Two threads pass data through shared memory across a barrier.
TEST(Workgroup, BarrierAndSharedMemory) {
  isa::Program p(isa::Generation::kGen12);
  AppendLaneIds(p, 10, 8);
  const auto add = [&p](isa::Instruction i, uint8_t swsb) {
    i.swsb = swsb;
    p.Append(i);
  };
  // r12 = own global id (subgroup id is pushed to r1.0), r14 = 4 * id, r16 = 4 * (15 - id).
  add(Make(Opcode::kShl, 8, Dst(12, Type::kUD), Scalar(1, Type::kUD), Imm(Type::kUD, 3)), 1);
  add(Make(Opcode::kAdd, 8, Dst(12, Type::kUD), Grf(12, Type::kUD), Grf(10, Type::kUD)), 1);
  add(Make(Opcode::kShl, 8, Dst(14, Type::kUD), Grf(12, Type::kUD), Imm(Type::kUD, 2)), 1);
  isa::Operand minus = Grf(14, Type::kD);
  minus.negate = true;
  add(Make(Opcode::kAdd, 8, Dst(16, Type::kD), minus, Imm(Type::kD, 60)), 1);
  add(SendTo(isa::Sfid::kDataCache1, 0x02026efe, 1 << 6, 8, -1, 14, 12), 0x80 | 1 << 4 | 0);
  add(SendTo(isa::Sfid::kGateway, 0x02000004, 0, 8, -1, 13, -1), 0x41);
  isa::Instruction wait;
  wait.op = Opcode::kSync;
  wait.sync = isa::SyncFunction::kBar;
  wait.no_mask = true;
  wait.src[0] = Null(Type::kUB);
  p.Append(wait);
  add(SendTo(isa::Sfid::kDataCache1, 0x02106efe, 0, 8, 18, 16, -1), 0x42);
  isa::Instruction sync = wait;
  sync.sync = isa::SyncFunction::kNop;
  add(sync, 0x22);
  add(SendTo(isa::Sfid::kDataCache1, 0x02026e00, 1 << 6, 8, -1, 14, 18), 0x43);
  p.Append(EndOfThread());
  out::LaunchRecord record = Record(8, 64);
  AddSecondThread(1, record);
  const auto after = RunProgram(p, record, Options{}, std::vector<uint32_t>(16, 99));
  ASSERT_TRUE(after.ok()) << after.status();
  for (uint32_t i = 0; i < 16; ++i) EXPECT_EQ((*after)[i], 15 - i);
  Options opposite;
  opposite.opposite = true;
  EXPECT_EQ(*RunProgram(p, record, opposite, std::vector<uint32_t>(16, 99)), *after);
}

// A message that the simulator lacks is an error only if it is sent.
TEST(Workgroup, UnsupportedMessageWithoutChannelsIsSkipped) {
  for (const bool sent : {false, true}) {
    isa::Program p(isa::Generation::kGen12);
    isa::Instruction cmp =
        Make(Opcode::kCmp, 8, Null(Type::kUD), Scalar(0, Type::kUD), Scalar(0, Type::kUD));
    cmp.cmod = sent ? isa::CondMod::kZ : isa::CondMod::kNz;
    p.Append(cmp);
    isa::Instruction sample = SendTo(Sfid::kSampler, 0x02106e00, 0, 8, 20, 10, -1);
    sample.pred = isa::PredCtrl::kNormal;
    sample.swsb = 0x41;
    p.Append(sample);
    p.Append(EndOfThread());
    const absl::Status status = RunProgram(p, Record(8), Options{}, {0}).status();
    EXPECT_EQ(status.code(), sent ? absl::StatusCode::kUnimplemented : absl::StatusCode::kOk)
        << status;
  }
}

// An index beyond the surfaces would change it into another message.
TEST(Workgroup, IndicesMayNotChangeOtherFieldsOfADescriptor) {
  for (const uint32_t index : {0u, 0x100u, 0xffffffffu}) {
    isa::Program p(isa::Generation::kGen12);
    isa::Instruction add = Make(Opcode::kAdd, 1, Register(isa::Arf::kAddress, Type::kUD),
                                Imm(Type::kUD, index), Imm(Type::kUD, 0x02106e00));
    add.no_mask = true;
    // The index comes from a register: instructions have one immediate.
    isa::Instruction mov = Make(Opcode::kMov, 1, Dst(30, Type::kUD), Imm(Type::kUD, index));
    mov.no_mask = true;
    p.Append(mov);
    add.src[0] = Scalar(30, Type::kUD);
    add.swsb = 0x01;
    p.Append(add);
    isa::Instruction read = SendTo(Sfid::kDataCache1, 0, 0, 8, 20, 10, -1);
    read.send.desc_is_register = true;
    read.swsb = 0x41;
    isa::Instruction sync;
    sync.op = Opcode::kSync;
    sync.no_mask = true;
    sync.swsb = 0x01;
    p.Append(sync);
    p.Append(read);
    p.Append(EndOfThread());
    const absl::Status status = RunProgram(p, Record(8), Options{}, {0}).status();
    const bool refused = status.message().find("other fields") != std::string::npos;
    EXPECT_EQ(refused, index != 0) << status;
  }
}

TEST(Workgroup, BarrierThatOneThreadMissesIsADeadlock) {
  isa::Program p(isa::Generation::kGen12);
  isa::Instruction cmp =
      Make(Opcode::kCmp, 1, Null(Type::kUD), Scalar(1, Type::kUD), Imm(Type::kUD, 0));
  cmp.cmod = isa::CondMod::kNz;
  cmp.no_mask = true;
  p.Append(cmp);
  isa::Instruction jump;
  jump.op = Opcode::kJmpi;
  jump.exec_size = 1;
  jump.no_mask = true;
  jump.pred = isa::PredCtrl::kNormal;
  const int32_t over = p.Append(jump);
  isa::Instruction signal = SendTo(isa::Sfid::kGateway, 0x02000004, 0, 8, -1, 13, -1);
  signal.swsb = 0x41;
  p.Append(signal);
  isa::Instruction wait;
  wait.op = Opcode::kSync;
  wait.sync = isa::SyncFunction::kBar;
  wait.no_mask = true;
  wait.src[0] = Null(Type::kUB);
  p.Append(wait);
  p.targets[over].jip = p.Next();
  p.Append(EndOfThread());
  out::LaunchRecord record = Record(8);
  AddSecondThread(1, record);
  const auto result = RunProgram(p, record, Options{}, {0});
  EXPECT_EQ(result.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(result.status().message().find("deadlock"), std::string::npos);
}

}  // namespace
}  // namespace kiln::sim::eu::testing
