// Message descriptors against iga64 -Xdsd: for each message, iga64 must name the same message,
// surface, width, data and lengths as the fields that the descriptor was built from.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/intel/isa/messages.h"
#include "tests/isa/iga.h"

namespace kiln::intel::isa {
namespace {

constexpr Generation kGen = Generation::kGen12;
constexpr const char* kSfids[] = {"",   "",    "smpl", "gtwy", "dc2", "rc",  "urb",
                                  "ts", "vme", "dcro", "dc0",  "pi",  "dc1", "cre"};

class MessagesIga : public testing::Test {
 protected:
  void SetUp() override {
    if (!tests::HaveIga()) GTEST_SKIP() << tests::kNoIga;
  }
};

MessageFields Make(Message message, int lanes = 8) {
  MessageFields f;
  f.message = message;
  f.bti = Info(message).name.substr(0, 3) == "a64" ? kBtiStatelessNonCoherent : 3;
  f.lanes = static_cast<uint8_t>(lanes);
  return f;
}

std::string ChannelNames(int mask) {
  std::string names;
  for (int c = 0; c < 4; ++c) {
    if (mask >> c & 1) names += "xyzw"[c];
  }
  return names;
}

// Builds the message, runs iga64, expects `symbol` in its output and the lengths as set.
void Expect(MessageFields f, const std::string& symbol, int params = 1) {
  SetLengths(kGen, f, params);
  const auto desc = BuildDescriptor(kGen, f);
  ASSERT_TRUE(desc.ok()) << desc.status();
  const tests::IgaResult run = tests::RunIga(
      absl::StrFormat("-Xdsd %s 0x%x 0x%x", kSfids[static_cast<int>(Info(f.message).sfid)],
                      BuildExDescriptor(f), *desc));
  EXPECT_NE(run.out.find(symbol), std::string::npos)
      << Info(f.message).name << ": expected " << symbol << " in\n"
      << run.out << run.error;
  const auto length = [&](const char* name) {
    std::smatch match;
    const std::regex pattern(absl::StrCat(name, " +0x([0-9A-Fa-f]+)"));
    return std::regex_search(run.out, match, pattern) ? std::stoi(match[1], nullptr, 16) : -1;
  };
  EXPECT_EQ(length("Mlen"), f.mlen) << run.out;
  EXPECT_EQ(length("Rlen"), f.rlen) << run.out;
  EXPECT_EQ(length("Xlen"), f.ex_mlen) << run.out;
  // iga64 does not show the header bit of messages that take no header.
  if (length("Header") >= 0) {
    EXPECT_EQ(length("Header"), f.header ? 1 : 0) << run.out;
  } else {
    EXPECT_FALSE(f.header) << run.out;
  }
}

TEST_F(MessagesIga, UntypedSurfaces) {
  for (int lanes : {8, 16}) {
    for (int mask : {1, 3, 7, 15, 8}) {
      for (int bti : {0, 239, 254}) {
        const std::string where = bti == 254 ? "slm" : absl::StrCat("bti[", bti, "]");
        for (bool write : {false, true}) {
          MessageFields f = Make(write ? Message::kUntypedWrite : Message::kUntypedRead, lanes);
          f.bti = static_cast<uint8_t>(bti);
          f.channels = static_cast<uint8_t>(mask);
          Expect(f, absl::StrCat("hdc_untyped_", write ? "store" : "load", "_simd", lanes, ".",
                                 where, ".a32.d32.", ChannelNames(mask)));
        }
      }
    }
  }
}

TEST_F(MessagesIga, Atomics) {
  const struct {
    AtomicOp op;
    const char* name;
  } kOps[] = {{AtomicOp::kAnd, "and"},
              {AtomicOp::kOr, "or"},
              {AtomicOp::kXor, "xor"},
              {AtomicOp::kExchange, "store"},
              {AtomicOp::kIncrement, "iinc"},
              {AtomicOp::kDecrement, "idec"},
              {AtomicOp::kAdd, "iadd"},
              {AtomicOp::kSub, "isub"},
              {AtomicOp::kSMax, "smax"},
              {AtomicOp::kSMin, "smin"},
              {AtomicOp::kUMax, "umax"},
              {AtomicOp::kUMin, "umin"},
              {AtomicOp::kCompareExchange, "icas"}};
  for (const auto& op : kOps) {
    for (int lanes : {8, 16}) {
      for (bool returns : {false, true}) {
        MessageFields f = Make(Message::kUntypedAtomic, lanes);
        f.op = static_cast<uint8_t>(op.op);
        f.returns = returns;
        Expect(f, absl::StrCat("hdc_untyped_atomic_", op.name, returns ? "_ret" : "", "_simd",
                               lanes, ".bti[3].a32.d32"));
      }
    }
  }
  const struct {
    AtomicFloatOp op;
    const char* name;
  } kFloatOps[] = {{AtomicFloatOp::kMax, "fmax"},
                   {AtomicFloatOp::kMin, "fmin"},
                   {AtomicFloatOp::kCompareExchange, "fcas"}};
  for (const auto& op : kFloatOps) {
    for (int lanes : {8, 16}) {
      MessageFields f = Make(Message::kUntypedAtomicFloat, lanes);
      f.op = static_cast<uint8_t>(op.op);
      f.returns = true;
      Expect(f, absl::StrCat("hdc_atomic_", op.name, "_ret_simd", lanes, ".bti[3].a32.d32"));
    }
  }
}

TEST_F(MessagesIga, TypedSurfaces) {
  for (bool high : {false, true}) {
    for (int mask : {1, 15}) {
      MessageFields f = Make(Message::kTypedRead);
      f.channels = static_cast<uint8_t>(mask);
      f.high_slots = high;
      Expect(f, absl::StrCat(".bti[3].a32.d32.", ChannelNames(mask)), 2);
      f.message = Message::kTypedWrite;
      Expect(f, absl::StrCat(".bti[3].a32.d32.", ChannelNames(mask)), 3);
    }
    MessageFields f = Make(Message::kTypedAtomic);
    f.op = static_cast<uint8_t>(AtomicOp::kAdd);
    f.high_slots = high;
    f.returns = true;
    Expect(f, "atomic_iadd_ret", 2);
  }
}

TEST_F(MessagesIga, ScatteredBytesAndDwords) {
  for (int lanes : {8, 16}) {
    for (int bytes : {1, 2, 4}) {
      for (bool write : {false, true}) {
        MessageFields f =
            Make(write ? Message::kByteScatteredWrite : Message::kByteScatteredRead, lanes);
        f.element_bytes = static_cast<uint8_t>(bytes);
        Expect(f, absl::StrCat("hdc_", write ? "store" : "load", "_simd", lanes, ".bti[3].a32.d",
                               8 * bytes));
      }
    }
    Expect(Make(Message::kDwordScatteredRead, lanes),
           absl::StrCat("hdc_load_simd", lanes, ".bti[3].a32.d32"));
    Expect(Make(Message::kDwordScatteredWrite, lanes),
           absl::StrCat("hdc_store_simd", lanes, ".bti[3].a32.d32"));
  }
}

TEST_F(MessagesIga, Blocks) {
  for (int owords : {1, 2, 4, 8}) {
    const std::string size = absl::StrCat(".d128x", owords);
    const std::string one = owords == 1 ? ".d128" : size;
    const struct {
      Message message;
      const char* name;
    } kBlocks[] = {{Message::kBlockRead, "hdc_load_block"},
                   {Message::kBlockReadUnaligned, "hdc_aligned_load_block"},
                   {Message::kBlockWrite, "hdc_store_block"},
                   {Message::kConstBlockRead, "hdc_const_load_block"},
                   {Message::kConstBlockReadUnaligned, "hdc_aligned_const_load_block"}};
    for (const auto& b : kBlocks) {
      MessageFields f = Make(b.message);
      f.owords = static_cast<uint8_t>(owords);
      Expect(f, b.name);
      Expect(f, one);
    }
  }
}

TEST_F(MessagesIga, A64) {
  for (int lanes : {8, 16}) {
    MessageFields f = Make(Message::kA64UntypedRead, lanes);
    f.bti = kBtiStatelessNonCoherent;
    f.channels = 7;
    Expect(f, absl::StrCat("hdc_untyped_load_simd", lanes, ".stateless_incoherent.a64.d32.xyz"));
    f.message = Message::kA64UntypedWrite;
    f.bti = kBtiStatelessCoherent;
    Expect(f, absl::StrCat("hdc_untyped_store_simd", lanes, ".stateless.a64.d32.xyz"));
    f = Make(Message::kA64ScatteredRead, lanes);
    f.element_bytes = 2;
    Expect(f, absl::StrCat("hdc_load_simd", lanes, ".stateless_incoherent.a64.d16"));
    f.message = Message::kA64ScatteredWrite;
    Expect(f, absl::StrCat("hdc_store_simd", lanes, ".stateless_incoherent.a64.d16"));
  }
  MessageFields f = Make(Message::kA64Atomic);
  f.op = static_cast<uint8_t>(AtomicOp::kAdd);
  f.returns = true;
  Expect(f, "hdc_untyped_atomic_iadd_ret_simd8.stateless_incoherent.a64.d32");
  f.data64 = true;
  Expect(f, "hdc_untyped_atomic_iadd_ret_simd8.stateless_incoherent.a64.d64");
}

TEST_F(MessagesIga, ScratchFenceBarrierEnd) {
  for (int registers : {1, 2, 4, 8}) {
    for (bool write : {false, true}) {
      MessageFields f = Make(write ? Message::kScratchWrite : Message::kScratchRead);
      f.bti = 0;
      f.scratch_registers = static_cast<uint8_t>(registers);
      f.scratch_offset = 0x7f;
      f.dword_mode = write;
      Expect(f, absl::StrCat(write ? "hdc_store_block" : "hdc_load_block", ".scratch+4064.a32"));
      Expect(f, absl::StrCat("x", registers, ")"));
    }
  }
  MessageFields f = Make(Message::kMemoryFence);
  f.commit = true;
  f.bti = kBtiSlm;
  Expect(f, "sync_slm_fence");
  f.bti = 0;
  Expect(f, "sync_global_fence");
  f = Make(Message::kBarrier);
  f.bti = 0;
  Expect(f, "signal barrier");
  f = Make(Message::kEndOfThread);
  f.bti = 0;
  Expect(f, "end of thread");
}

// The render target's number and the alpha of the first one are fields of the extended descriptor
// that iga64 does not name; Mesa's binaries have them (corpus_roundtrip).
TEST_F(MessagesIga, TargetWrites) {
  const struct {
    TargetForm form;
    const char* name;
  } kForms[] = {{TargetForm::kSixteen, "simd16"},
                {TargetForm::kRepeated, "rep16"},
                {TargetForm::kDualLow, "lo8ds"},
                {TargetForm::kDualHigh, "hi8ds"},
                {TargetForm::kEight, "simd8"}};
  for (const auto& form : kForms) {
    for (bool last : {false, true}) {
      MessageFields f = Make(Message::kTargetWrite, LanesOf(form.form));
      f.form = form.form;
      f.last_target = last;
      Expect(f, absl::StrCat("rtw.f32.", form.name, last ? ".lrts" : "", ".bti[3]"), 4);
      f.high_slots = true;
      Expect(f, "SLOTGRP_HI", 5);
      f.high_slots = false;
      f.per_sample = true;
      Expect(f, absl::StrCat("rtw.f32.", form.name), 5);
    }
  }
}

TEST_F(MessagesIga, UrbWrites) {
  for (int offset : {0, 2, 2047}) {
    for (int registers : {1, 4, 8}) {
      MessageFields f = Make(Message::kUrbWrite);
      f.urb_offset = static_cast<uint16_t>(offset);
      Expect(f, absl::StrCat(offset, " (in owords)"), registers);
      Expect(f, "(urb dword write)", registers);
      f.urb_lane_offsets = true;
      Expect(f, "(urb dword write with per-slot offset enabled)", registers);
      f.urb_masks = true;
      Expect(f, "(urb dword masked write with per-slot offset enabled)", registers);
    }
  }
}

TEST_F(MessagesIga, SamplerTypes) {
  const struct {
    Message message;
    const char* name;
  } kNames[] = {{Message::kSample, "sample"},
                {Message::kSampleB, "sample_b"},
                {Message::kSampleL, "sample_l"},
                {Message::kSampleC, "sample_c"},
                {Message::kSampleD, "sample_d"},
                {Message::kSampleBC, "sample_b_c"},
                {Message::kSampleLC, "sample_l_c"},
                {Message::kLd, "sample_ld"},
                {Message::kGather4, "sample_gather4"},
                {Message::kLod, "sample_lod"},
                {Message::kResinfo, "sample_resinfo"},
                {Message::kSampleinfo, "sample_info"},
                {Message::kGather4C, "sample_gather4_c"},
                {Message::kGather4Po, "sample_gather4_po"},
                {Message::kGather4PoC, "sample_gather4_po_c"},
                {Message::kSampleDC, "sample_d_c"},
                {Message::kSampleLz, "sample_lz"},
                {Message::kSampleCLz, "sample_c_lz"},
                {Message::kLdLz, "sample_ld_lz"},
                {Message::kLd2dmsW, "sample_ld2dms_w"},
                {Message::kLdMcs, "sample_ld_mcs"},
                {Message::kLd2dms, "sample_ld2dms"}};
  for (const auto& n : kNames) {
    for (int lanes : {8, 16}) {
      if (lanes > Info(n.message).most_lanes) continue;
      MessageFields f = Make(n.message, lanes);
      f.sampler = 5;
      Expect(f, absl::StrCat("simd", lanes, "_", n.name, "[5,3]"), 2);
    }
  }
}

// ---- Every value of every field ----
//
// The fields are those that iga64 names for a message's descriptor, each with its bits, so that a
// field of ours that is too short or at the wrong bits is found: for each value of each of them,
// the table must admit the descriptor exactly if iga64 knows it.

struct IgaField {
  int high = 0, low = 0;
};

struct IgaReading {
  std::vector<IgaField> fields;  // of the message descriptor
  bool known = false;            // it has a symbol, without a question mark
};

IgaReading Read(const MessageInfo& info, uint32_t desc, uint32_t ex_desc) {
  const tests::IgaResult run = tests::RunIga(
      absl::StrFormat("-Xdsd %s 0x%x 0x%x", kSfids[static_cast<int>(info.sfid)], ex_desc, desc));
  IgaReading reading;
  static const std::regex kField(R"( Desc\[(\d+)(:(\d+))?\])");
  for (std::sregex_iterator it(run.out.begin(), run.out.end(), kField), end; it != end; ++it) {
    const int high = std::stoi((*it)[1]);
    reading.fields.push_back({high, (*it)[3].matched ? std::stoi((*it)[3]) : high});
  }
  const size_t symbol = run.out.find("\n\n");
  const std::string line =
      symbol == std::string::npos
          ? ""
          : run.out.substr(symbol + 2, run.out.find('\n', symbol + 2) - symbol - 2);
  reading.known = run.ok && !line.empty() && line.find('?') == std::string::npos &&
                  run.out.find("nvalid") == std::string::npos;
  return reading;
}

// Returns fields of a row that are certainly legal.
MessageFields Plain(Message message) {
  MessageFields f = Make(message);
  f.header = Info(message).header == HeaderNeed::kRequired;
  f.channels = 1;
  f.op = 1;
  f.element_bytes = 4;
  f.owords = 1;
  f.scratch_registers = 1;
  switch (Info(message).layout) {
    case MessageLayout::kA64Channels:
    case MessageLayout::kA64Atomic:
    case MessageLayout::kA64AtomicFloat:
    case MessageLayout::kA64Scattered:
    case MessageLayout::kA64Block: f.bti = kBtiStatelessNonCoherent; break;
    case MessageLayout::kScratch:
    case MessageLayout::kFence:
    case MessageLayout::kBarrier:
    case MessageLayout::kEndOfThread:
    case MessageLayout::kUrb: f.bti = 0; break;
    default: break;
  }
  SetLengths(kGen, f, 1);
  return f;
}

constexpr int kHeaderBit = 19;  // rule "message header" of the verifier

bool Admits(Message message, uint32_t desc, uint32_t ex_desc) {
  const auto fields = ParseDescriptor(kGen, Info(message).sfid, desc, ex_desc);
  return fields.ok() && fields->message == message;
}

// Values that iga64 knows and that the table leaves out, since Kiln never sends them and Mesa's
// binaries have none: a new entry would be a field that the table has lost.
const std::set<std::string>& LeftOut() {
  static const std::set<std::string> fields = {
      // Addition, subtraction and 64 bits come with later generations; half of a pair of lanes.
      "untyped_atomic_float 10:8", "a64_atomic_float 10:8", "a64_atomic_float 12:12",
      // Operation 0: compare-exchange on 64 bits, with payloads of its own.
      "untyped_atomic 11:8", "typed_atomic 11:8", "a64_atomic 11:8",
      // Blocks of 16 owords and of the upper half alone; alignments; invalidation after reading.
      "block_read 10:8", "block_read_unaligned 10:8", "block_write 10:8", "const_block_read 10:8",
      "const_block_read 13:13", "const_block_read_unaligned 10:8",
      "const_block_read_unaligned 13:13", "a64_block_read 10:8", "a64_block_read 12:11",
      "a64_block_read 13:13", "a64_block_write 10:8", "a64_block_write 12:11",
      "a64_block_write 13:13",
      // Several elements a lane; invalidation after reading; the legacy mode of dwords, always set.
      "byte_scattered_read 11:10", "byte_scattered_read 13:13", "byte_scattered_write 11:10",
      "byte_scattered_write 13:13", "dword_scattered_read 9:9", "dword_scattered_read 11:10",
      "dword_scattered_read 13:13", "dword_scattered_write 9:9", "dword_scattered_write 11:10",
      "dword_scattered_write 13:13", "a64_scattered_read 9:8", "a64_scattered_read 11:10",
      "a64_scattered_read 13:13", "a64_scattered_write 9:8", "a64_scattered_write 11:10",
      "a64_scattered_write 13:13",
      // Flushes of single caches; other sub-functions of the gateway, and its answer.
      "memory_fence 8:8", "memory_fence 12:9", "barrier 2:0", "barrier 11:11",
      // 32 lanes, and 64-bit and packed forms of these widths.
      "gather4 18:17", "resinfo 18:17", "sample 18:17", "sample_l 18:17", "sampleinfo 18:17",
      // Derivatives take too many registers for 16 lanes.
      "sample_d 18:17", "sample_d_c 18:17",
      // Slots of a thread of 16 lanes at once.
      "typed_read 13:12", "typed_write 13:12",
      // Outputs for a coarse pixel and of 16 bits; reads and other writes of the URB.
      "target_write 18:18", "target_write 30:30", "urb_write 3:0"};
  return fields;
}

TEST_F(MessagesIga, EveryValueOfEveryField) {
  std::set<std::string> too_kind, left_out;
  for (int m = 0; m < kMessageCount; ++m) {
    const auto message = static_cast<Message>(m);
    const MessageInfo& info = Info(message);
    if (info.layout == MessageLayout::kInterpolator) continue;  // iga64 names none of its fields
    const MessageFields plain = Plain(message);
    const auto built = BuildDescriptor(kGen, plain);
    ASSERT_TRUE(built.ok()) << built.status();
    const uint32_t desc = *built, ex_desc = BuildExDescriptor(plain);
    const IgaReading reading = Read(info, desc, ex_desc);
    EXPECT_TRUE(reading.known) << info.name << absl::StrFormat(" 0x%x", desc);
    uint32_t read = 0;
    for (const IgaField& field : reading.fields) {
      const uint32_t mask = (uint32_t{2} << (field.high - field.low)) - 1;
      read |= mask << field.low;
      if (field.low == 19 || field.low == 20 || field.low == 25) continue;  // header, lengths
      if (mask > 31 && field.high - field.low == 7) continue;               // surface
      for (uint32_t v = 0; v <= std::min(mask, 31u); ++v) {
        const uint32_t other = (desc & ~(mask << field.low)) | v << field.low;
        const bool type = field.high - field.low == 4;  // another row, perhaps
        if (type && other != desc) continue;
        const bool known = Read(info, other, ex_desc).known;
        if (known == Admits(message, other, ex_desc)) continue;
        const std::string name =
            absl::StrFormat("%s %d:%d", std::string(info.name), field.high, field.low);
        known ? left_out.insert(name) : too_kind.insert(absl::StrCat(name, " = ", v));
      }
    }
    for (int bit = 0; bit < 31; ++bit) {
      if (bit != kHeaderBit && (read >> bit & 1) == 0 &&
          Admits(message, desc ^ 1u << bit, ex_desc)) {
        too_kind.insert(absl::StrFormat("%s bit %d, of no field", std::string(info.name), bit));
      }
    }
  }
  EXPECT_THAT(too_kind, testing::IsEmpty());
  EXPECT_THAT(left_out, testing::ContainerEq(LeftOut()));
}

}  // namespace
}  // namespace kiln::intel::isa
