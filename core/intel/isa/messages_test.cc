#include "core/intel/isa/messages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace kiln::intel::isa {
namespace {

constexpr Generation kGen = Generation::kGen12;

MessageFields Make(Message message) {
  MessageFields f;
  f.message = message;
  return f;
}

// Return the reason why a descriptor cannot be made or read, or "none". The text before it names
// the message, or the shared function and the descriptor.
std::string ReasonOf(const absl::Status& status) {
  const std::string text(status.message());
  return status.ok() ? "none" : text.substr(text.find(": ") + 2);
}
std::string BuildError(const MessageFields& f) {
  return ReasonOf(BuildDescriptor(kGen, f).status());
}
std::string ParseError(Sfid sfid, uint32_t desc, uint32_t ex_desc) {
  return ReasonOf(ParseDescriptor(kGen, sfid, desc, ex_desc).status());
}

// Returns fields of a message with values that its layout keeps.
MessageFields Example(Message message, int lanes) {
  MessageFields f = Make(message);
  switch (Info(message).layout) {
    case MessageLayout::kScratch:
      f.scratch_offset = 0x123;
      f.scratch_registers = 4;
      f.dword_mode = true;
      return f;
    case MessageLayout::kBarrier:
    case MessageLayout::kEndOfThread: return f;
    case MessageLayout::kInterpolator:
      if (message == Message::kInterpolateOffset) f.offset_x = -8, f.offset_y = 7;
      if (message == Message::kInterpolateSample) f.sample = 9;
      f.linear = lanes == 8;
      f.high_slots = lanes == 16;
      f.lanes = static_cast<uint8_t>(lanes);
      return f;
    case MessageLayout::kUrb:
      f.urb_offset = 0x456;
      f.urb_masks = lanes == 8;
      f.urb_lane_offsets = lanes == 16;
      return f;
    case MessageLayout::kA64Channels:
    case MessageLayout::kA64Scattered:
    case MessageLayout::kA64Atomic:
    case MessageLayout::kA64AtomicFloat:
    case MessageLayout::kA64Block: f.bti = kBtiStatelessNonCoherent; break;
    default: f.bti = 7;
  }
  switch (Info(message).layout) {
    case MessageLayout::kChannels:
    case MessageLayout::kA64Channels: f.channels = 5; break;
    case MessageLayout::kTypedChannels: f.channels = 15; return f;
    case MessageLayout::kAtomic:
      f.op = 14;
      f.returns = true;
      break;
    case MessageLayout::kAtomicFloat: f.op = 3; break;
    case MessageLayout::kTypedAtomic:
      f.op = 7;
      f.high_slots = true;
      return f;
    case MessageLayout::kA64Atomic:
      f.op = 7;
      f.data64 = true;
      return f;
    case MessageLayout::kByteScattered:
    case MessageLayout::kA64Scattered: f.element_bytes = 2; break;
    case MessageLayout::kBlock:
      f.owords = 1;
      f.oword_high = true;
      return f;
    case MessageLayout::kA64Block:
      f.owords = 8;
      f.unaligned = message == Message::kA64BlockRead;
      return f;
    case MessageLayout::kA64AtomicFloat: f.op = 2; return f;
    case MessageLayout::kFence:
      f.bti = kBtiSlm;
      f.commit = true;
      return f;
    case MessageLayout::kTarget:
      f.form = lanes == 16 ? TargetForm::kSixteen : TargetForm::kDualHigh;
      f.target = 5;
      f.last_target = f.alpha0 = true;
      f.high_slots = lanes == 16;
      f.null_target = lanes == 8;
      break;
    case MessageLayout::kSample:
      f.sampler = 3;
      f.half_result = true;
      break;
    default: break;
  }
  f.lanes = std::min(static_cast<uint8_t>(lanes), Info(message).most_lanes);
  return f;
}

TEST(Messages, ParseInvertsBuildForEveryMessage) {
  for (int m = 0; m < kMessageCount; ++m) {
    for (int lanes : {8, 16}) {
      MessageFields f = Example(static_cast<Message>(m), lanes);
      SetLengths(kGen, f, 2);
      const auto desc = BuildDescriptor(kGen, f);
      ASSERT_TRUE(desc.ok()) << desc.status();
      const auto parsed = ParseDescriptor(kGen, Info(f.message).sfid, *desc, BuildExDescriptor(f));
      ASSERT_TRUE(parsed.ok()) << parsed.status();
      EXPECT_EQ(*parsed, f) << Info(f.message).name << " lanes " << lanes;
    }
  }
}

// Messages of Mesa's binaries: the fields of their descriptors, read by hand, and lengths.
TEST(Messages, PixelInterpolatorAndUrb) {
  const auto read = [](Sfid sfid, uint32_t desc, uint32_t ex_desc) {
    const auto f = ParseDescriptor(kGen, sfid, desc, ex_desc);
    EXPECT_TRUE(f.ok()) << f.status();
    return f.value_or(MessageFields{});
  };
  MessageFields f = read(Sfid::kPixelInterpolator, 0x02410011, 0);
  EXPECT_EQ(f.message, Message::kInterpolateOffset);
  EXPECT_EQ(f.offset_x, 1);
  EXPECT_EQ(f.offset_y, 1);
  EXPECT_EQ(f.lanes, 16);
  MessageFields good = f;
  SetLengths(kGen, good);
  EXPECT_EQ(good, f);
  good.message = Message::kInterpolateOffsets;
  good.offset_x = good.offset_y = 0;
  SetLengths(kGen, good);
  EXPECT_EQ(good.mlen, 4);  // x and y of 16 lanes
  EXPECT_EQ(good.rlen, 4);
  f.offset_x = 8;
  EXPECT_EQ(BuildError(f), "an offset exceeds half a pixel");
  f = read(Sfid::kUrb, 0x020800a7, 0x200);
  EXPECT_EQ(f.message, Message::kUrbWrite);
  EXPECT_EQ(f.urb_offset, 10);
  good = f;
  SetLengths(kGen, good, 8);
  EXPECT_EQ(good, f);
  good.urb_masks = good.urb_lane_offsets = true;
  SetLengths(kGen, good, 4);
  EXPECT_EQ(good.mlen, 3);
  EXPECT_EQ(good.ex_mlen, 4);
  // The coarse rate, offsets with a centroid, a read of the URB, an URB write without handles.
  EXPECT_EQ(ParseError(Sfid::kPixelInterpolator, 0x02418011, 0), "reserved bits 0x8000");
  EXPECT_EQ(ParseError(Sfid::kPixelInterpolator, 0x02412011, 0), "reserved bits 0x11");
  EXPECT_EQ(ParseError(Sfid::kUrb, 0x020800a8, 0x200), "the message is unknown");
  f.header = false;
  EXPECT_EQ(BuildError(f), "needs a header");
}

TEST(Messages, FormsOfTargetWritesSayTheirLanes) {
  MessageFields f = Make(Message::kTargetWrite);
  f.lanes = 16;
  f.form = TargetForm::kEight;
  EXPECT_EQ(BuildError(f), "the form is for another number of lanes");
  f.form = TargetForm::kRepeated;
  EXPECT_EQ(BuildError(f), "none");
}

// Surfaces that a message cannot reach, and writes that it cannot make.
TEST(Messages, FormsThatTheHardwareLacks) {
  MessageFields stateless = Make(Message::kUntypedRead);
  stateless.bti = kBtiStatelessNonCoherent;
  stateless.channels = 1;
  EXPECT_EQ(BuildError(stateless), "a surface message names no surface");
  MessageFields bytes = Make(Message::kByteScatteredRead);
  bytes.bti = kBtiStatelessNonCoherent;
  bytes.element_bytes = 4;
  EXPECT_EQ(BuildError(bytes), "a stateless access has no header");
  bytes.header = true;
  EXPECT_EQ(BuildError(bytes), "none");
  MessageFields shared = Make(Message::kBlockReadUnaligned);
  shared.header = true;
  shared.owords = 1;
  EXPECT_EQ(BuildError(shared), "none");
  shared.bti = kBtiSlm;
  EXPECT_EQ(BuildError(shared), "shared memory has only aligned blocks");
  MessageFields block = Make(Message::kA64BlockWrite);
  block.header = true;
  block.owords = 1;
  block.bti = kBtiStatelessNonCoherent;
  EXPECT_EQ(BuildError(block), "none");
  block.unaligned = true;
  EXPECT_EQ(BuildError(block), "the message writes aligned blocks only");
  MessageFields surface = Make(Message::kA64UntypedRead);
  surface.channels = 1;
  surface.bti = 3;
  EXPECT_EQ(BuildError(surface), "a message with 64-bit addresses names a surface");
  EXPECT_EQ(ParseError(Sfid::kSampler, 0x02420000, 0x400),
            "the extended descriptor has unknown bits");  // bit 10
  EXPECT_EQ(ParseError(Sfid::kSampler, 0x02420000, 0), "none");
}

// Mesa 25.0, lower_sampler_logical_send: a parameter of 16 bits takes a register at either width.
TEST(Messages, HalfParametersTakeARegisterEach) {
  MessageFields f = Make(Message::kSample);
  f.lanes = 16;
  f.half_params = true;
  SetLengths(kGen, f, 3);
  EXPECT_EQ(f.mlen, 3);
  f.half_params = false;
  SetLengths(kGen, f, 3);
  EXPECT_EQ(f.mlen, 6);
}

TEST(Messages, WhatNoMessageHasIsRefused) {
  MessageFields f = Make(Message::kSampleD);
  f.lanes = 16;
  EXPECT_EQ(BuildError(f), "takes fewer lanes");
  f = Make(Message::kUntypedRead);  // of no component
  EXPECT_EQ(BuildError(f), "no component is transferred");
  f = Make(Message::kUntypedAtomicFloat);
  f.op = 4;
  EXPECT_EQ(BuildError(f), "a field has no code");
  f = Make(Message::kMemoryFence);
  f.header = true;
  f.bti = 7;
  EXPECT_EQ(BuildError(f), "a fence names no memory");
}

// Descriptors as Mesa writes them on Tiger Lake.
TEST(Messages, KnownDescriptors) {
  MessageFields f = Make(Message::kUntypedRead);
  f.bti = kBtiSlm;
  f.lanes = 16;
  f.channels = 1;
  SetLengths(kGen, f);
  EXPECT_EQ(*BuildDescriptor(kGen, f), 0x04205EFEu);

  f = Make(Message::kUntypedWrite);
  f.bti = kBtiSlm;
  f.lanes = 16;
  f.channels = 15;
  SetLengths(kGen, f);
  EXPECT_EQ(*BuildDescriptor(kGen, f), 0x040250FEu);
  EXPECT_EQ(BuildExDescriptor(f), 0x200u);

  f = Make(Message::kMemoryFence);
  f.bti = kBtiSlm;
  f.commit = true;
  SetLengths(kGen, f);
  EXPECT_EQ(*BuildDescriptor(kGen, f), 0x0219E0FEu);

  f = Make(Message::kBarrier);
  SetLengths(kGen, f);
  EXPECT_EQ(*BuildDescriptor(kGen, f), 0x02000004u);

  f = Make(Message::kScratchWrite);
  f.scratch_offset = 5;
  f.scratch_registers = 1;
  SetLengths(kGen, f);
  EXPECT_EQ(*BuildDescriptor(kGen, f), 0x020E0005u);
  EXPECT_EQ(BuildExDescriptor(f), 0x40u);
}

TEST(Messages, OldGenerationPutsDataIntoTheFirstPayload) {
  MessageFields f = Example(Message::kUntypedWrite, 16);
  SetLengths(Generation::kGen7p5, f);
  EXPECT_EQ(f.mlen, 6);
  EXPECT_EQ(f.ex_mlen, 0);
  SetLengths(Generation::kGen9, f);
  EXPECT_EQ(f.mlen, 2);
  EXPECT_EQ(f.ex_mlen, 4);
}

TEST(Messages, LdOrdersItsParametersByGeneration) {
  const auto old = Params(Generation::kGen7p5, Message::kLd);
  const auto now = Params(Generation::kGen12, Message::kLd);
  ASSERT_EQ(old.size(), 4u);
  ASSERT_EQ(now.size(), 4u);
  EXPECT_EQ(old[1].kind, ParamKind::kLod);
  EXPECT_EQ(old[2].kind, ParamKind::kV);
  EXPECT_EQ(now[1].kind, ParamKind::kV);
  EXPECT_EQ(now[2].kind, ParamKind::kLod);
}

TEST(Messages, FirstSamplerParameterIsNeverDropped) {
  int lists = 0, droppable = 0;
  for (int m = 0; m < kMessageCount; ++m) {
    const auto message = static_cast<Message>(m);
    const absl::Span<const MessageParam> params = Params(kGen, message);
    if (Info(message).sfid != Sfid::kSampler || params.empty()) continue;
    ++lists;
    EXPECT_FALSE(params[0].droppable) << Info(message).name;
    for (const MessageParam& p : params) droppable += p.droppable ? 1 : 0;
  }
  EXPECT_GT(lists, 10);
  EXPECT_GT(droppable, 0);
}

TEST(Messages, ErrorsAreNamed) {
  MessageFields f = Make(Message::kBlockRead);
  f.owords = 3;
  f.header = true;
  EXPECT_EQ(BuildError(f), "a field has no code");
  f.owords = 2;
  f.header = false;
  EXPECT_EQ(BuildError(f), "needs a header");
  EXPECT_EQ(ParseError(Sfid::kVme, 0, 0), "the message is unknown");
  // Reserved bits: 14 in an untyped read makes it another type, 31 makes it invalid.
  EXPECT_EQ(ParseError(Sfid::kDataCache1, 0x84205EFE, 0), "reserved bits 0x80000000");
  EXPECT_EQ(ParseError(Sfid::kDataCache1, 0x04205EFE, 0x800),
            "the extended descriptor has unknown bits");
  EXPECT_EQ(ParseError(Sfid::kDataCache1, 0x04205EFE, 0), "none");
}

TEST(Messages, MakeSendFillsTheInstruction) {
  MessageFields f = Make(Message::kEndOfThread);
  f.lanes = 16;
  SetLengths(kGen, f);
  const auto send = MakeSend(kGen, f);
  ASSERT_TRUE(send.ok()) << send.status();
  EXPECT_TRUE(send->send.eot);
  EXPECT_EQ(send->send.desc, 0x02000000u);
  EXPECT_EQ(send->send.sfid, Sfid::kThreadSpawner);
  EXPECT_EQ(send->exec_size, 16);
}

}  // namespace
}  // namespace kiln::intel::isa
