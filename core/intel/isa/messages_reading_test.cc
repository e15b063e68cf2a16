// Tests the meaning of descriptors against an independent reading: rows drawn at random from a
// decoder that was written from the output of iga64 -Xdsd, without this table. The simulator used
// that decoder before it used the table. tests/isa/messages_iga_test (LeftOut) names the forms that
// the decoder accepted and the table does not.
#include <bit>

#include "absl/strings/str_format.h"
#include "core/intel/isa/messages.h"
#include "gtest/gtest.h"

namespace kiln::intel::isa {
namespace {

struct Reading {
  int sfid;
  uint32_t desc;  // without lengths
  int lanes;      // 1: a block
  int a64;
  int element_bytes;  // in memory; 4 where the message has no size
  int channels;       // 1 where it has none; for scratch, whether it masks dwords
  int op;
  int returns;  // an atomic's old value, a fence's commit
  int block_bytes;
  int upper_half;      // of the register, for a block of one oword
  int scratch_offset;  // bytes
  int high_slots;
  int header;
};

constexpr Reading kReadings[] = {
    {3, 0x00004, 8, 0, 4, 1, 0, 0, 0, 0, 0, 0, 0},
    {7, 0x00000, 8, 0, 4, 1, 0, 0, 0, 0, 0, 0, 0},
    {9, 0x80003, 1, 0, 4, 1, 0, 0, 16, 0, 0, 0, 1},
    {9, 0x801fd, 1, 0, 4, 1, 0, 0, 16, 1, 0, 0, 1},
    {9, 0x802ff, 1, 0, 4, 1, 0, 0, 32, 0, 0, 0, 1},
    {9, 0x803fd, 1, 0, 4, 1, 0, 0, 64, 0, 0, 0, 1},
    {9, 0x844ff, 1, 0, 4, 1, 0, 0, 128, 0, 0, 0, 1},
    {9, 0x84103, 1, 0, 4, 1, 0, 0, 16, 1, 0, 0, 1},
    {9, 0x840ff, 1, 0, 4, 1, 0, 0, 16, 0, 0, 0, 1},
    {9, 0x84203, 1, 0, 4, 1, 0, 0, 32, 0, 0, 0, 1},
    {10, 0x801fe, 1, 0, 4, 1, 0, 0, 16, 1, 0, 0, 1},
    {10, 0x802fd, 1, 0, 4, 1, 0, 0, 32, 0, 0, 0, 1},
    {10, 0x803fd, 1, 0, 4, 1, 0, 0, 64, 0, 0, 0, 1},
    {10, 0x80303, 1, 0, 4, 1, 0, 0, 64, 0, 0, 0, 1},
    {10, 0x841fd, 1, 0, 4, 1, 0, 0, 16, 1, 0, 0, 1},
    {10, 0x84303, 1, 0, 4, 1, 0, 0, 64, 0, 0, 0, 1},
    {10, 0x840ff, 1, 0, 4, 1, 0, 0, 16, 0, 0, 0, 1},
    {10, 0x840fd, 1, 0, 4, 1, 0, 0, 16, 0, 0, 0, 1},
    {10, 0x8c3fd, 16, 0, 4, 1, 0, 0, 0, 0, 0, 0, 1},
    {10, 0x8c2fe, 8, 0, 4, 1, 0, 0, 0, 0, 0, 0, 1},
    {10, 0x8c2fd, 8, 0, 4, 1, 0, 0, 0, 0, 0, 0, 1},
    {10, 0x90403, 8, 0, 2, 1, 0, 0, 0, 0, 0, 0, 1},
    {10, 0x90803, 8, 0, 4, 1, 0, 0, 0, 0, 0, 0, 1},
    {10, 0x90003, 8, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1},
    {10, 0x9e0fe, 8, 0, 4, 1, 0, 1, 0, 0, 0, 0, 1},
    {10, 0x9c000, 8, 0, 4, 1, 0, 0, 0, 0, 0, 0, 1},
    {10, 0x9c0fe, 8, 0, 4, 1, 0, 0, 0, 0, 0, 0, 1},
    {10, 0xa02fd, 1, 0, 4, 1, 0, 0, 32, 0, 0, 0, 1},
    {10, 0xa04fd, 1, 0, 4, 1, 0, 0, 128, 0, 0, 0, 1},
    {10, 0xa0300, 1, 0, 4, 1, 0, 0, 64, 0, 0, 0, 1},
    {10, 0xac2fc, 8, 0, 4, 1, 0, 0, 0, 0, 0, 0, 1},
    {10, 0xac3fd, 16, 0, 4, 1, 0, 0, 0, 0, 0, 0, 1},
    {10, 0xac303, 16, 0, 4, 1, 0, 0, 0, 0, 0, 0, 1},
    {10, 0xac3fc, 16, 0, 4, 1, 0, 0, 0, 0, 0, 0, 1},
    {10, 0xb09fd, 16, 0, 4, 1, 0, 0, 0, 0, 0, 0, 1},
    {10, 0xb09fe, 16, 0, 4, 1, 0, 0, 0, 0, 0, 0, 1},
    {10, 0x30103, 16, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0},
    {10, 0xb08fc, 8, 0, 4, 1, 0, 0, 0, 0, 0, 0, 1},
    {10, 0xc24fe, 1, 0, 4, 0, 0, 0, 128, 0, 40896, 0, 1},
    {10, 0xc0dfe, 1, 0, 4, 0, 0, 0, 32, 0, 114624, 0, 1},
    {10, 0xc04fe, 1, 0, 4, 0, 0, 0, 32, 0, 40896, 0, 1},
    {10, 0xc3dfd, 1, 0, 4, 0, 0, 0, 256, 0, 114592, 0, 1},
    {10, 0xd21fd, 1, 0, 4, 1, 0, 0, 128, 0, 16288, 0, 1},
    {10, 0xd3100, 1, 0, 4, 1, 0, 0, 256, 0, 8192, 0, 1},
    {10, 0xd1bfc, 1, 0, 4, 1, 0, 0, 64, 0, 98176, 0, 1},
    {10, 0xd19ff, 1, 0, 4, 1, 0, 0, 64, 0, 81888, 0, 1},
    {10, 0xe0cfd, 1, 0, 4, 0, 0, 0, 32, 0, 106400, 0, 1},
    {10, 0xe38fd, 1, 0, 4, 0, 0, 0, 256, 0, 73632, 0, 1},
    {10, 0xe24fd, 1, 0, 4, 0, 0, 0, 128, 0, 40864, 0, 1},
    {10, 0xe31fc, 1, 0, 4, 0, 0, 0, 256, 0, 16256, 0, 1},
    {10, 0xf23fd, 1, 0, 4, 1, 0, 0, 128, 0, 32672, 0, 1},
    {10, 0xf29fd, 1, 0, 4, 1, 0, 0, 128, 0, 81824, 0, 1},
    {10, 0xf3ffc, 1, 0, 4, 1, 0, 0, 256, 0, 130944, 0, 1},
    {10, 0xf3f00, 1, 0, 4, 1, 0, 0, 256, 0, 122880, 0, 1},
    {12, 0x06e00, 8, 0, 4, 1, 0, 0, 0, 0, 0, 0, 0},
    {12, 0x05cfe, 16, 0, 4, 3, 0, 0, 0, 0, 0, 0, 0},
    {12, 0x85a00, 16, 0, 4, 5, 0, 0, 0, 0, 0, 0, 1},
    {12, 0x09503, 8, 0, 4, 1, 5, 0, 0, 0, 0, 0, 0},
    {12, 0x087fe, 16, 0, 4, 1, 7, 0, 0, 0, 0, 0, 0},
    {12, 0x89603, 8, 0, 4, 1, 6, 0, 0, 0, 0, 0, 1},
    {12, 0x952fc, 8, 0, 4, 13, 0, 0, 0, 0, 0, 0, 1},
    {12, 0x15a03, 8, 0, 4, 5, 0, 0, 0, 0, 0, 0, 0},
    {12, 0x998fe, 8, 0, 4, 1, 8, 0, 0, 0, 0, 1, 1},
    {12, 0xa5dfc, 16, 0, 4, 2, 0, 0, 0, 0, 0, 0, 1},
    {12, 0xa6efe, 8, 0, 4, 1, 0, 0, 0, 0, 0, 0, 1},
    {12, 0xa6c03, 8, 0, 4, 3, 0, 0, 0, 0, 0, 0, 1},
    {12, 0x358fe, 8, 0, 4, 7, 0, 0, 0, 0, 0, 0, 0},
    {12, 0xb5800, 8, 0, 4, 7, 0, 0, 0, 0, 0, 0, 1},
    {12, 0xb6e03, 8, 0, 4, 1, 0, 0, 0, 0, 0, 1, 1},
    {12, 0x404ff, 8, 1, 2, 1, 0, 0, 0, 0, 0, 0, 0},
    {12, 0x404fd, 8, 1, 2, 1, 0, 0, 0, 0, 0, 0, 0},
    {12, 0x414fd, 16, 1, 2, 1, 0, 0, 0, 0, 0, 0, 0},
    {12, 0x408fd, 8, 1, 4, 1, 0, 0, 0, 0, 0, 0, 0},
    {12, 0x453fd, 16, 1, 4, 12, 0, 0, 0, 0, 0, 0, 0},
    {12, 0x46dfd, 8, 1, 4, 2, 0, 0, 0, 0, 0, 0, 0},
    {12, 0x467fd, 8, 1, 4, 8, 0, 0, 0, 0, 0, 0, 0},
    {12, 0x4bbff, 8, 1, 8, 1, 11, 1, 0, 0, 0, 0, 0},
    {12, 0x4b7fd, 8, 1, 8, 1, 7, 1, 0, 0, 0, 0, 0},
    {12, 0x4affd, 8, 1, 4, 1, 15, 1, 0, 0, 0, 0, 0},
    {12, 0x48ffd, 8, 1, 4, 1, 15, 0, 0, 0, 0, 0, 0},
    {12, 0xd02fd, 1, 1, 4, 1, 0, 0, 32, 0, 0, 0, 1},
    {12, 0xd0afd, 1, 1, 4, 1, 0, 0, 32, 0, 0, 0, 1},
    {12, 0xd0bff, 1, 1, 4, 1, 0, 0, 64, 0, 0, 0, 1},
    {12, 0xd09fd, 1, 1, 4, 1, 0, 0, 16, 1, 0, 0, 1},
    {12, 0xd41fd, 1, 1, 4, 1, 0, 0, 16, 1, 0, 0, 1},
    {12, 0xd43fd, 1, 1, 4, 1, 0, 0, 64, 0, 0, 0, 1},
    {12, 0x667ff, 8, 1, 4, 8, 0, 0, 0, 0, 0, 0, 0},
    {12, 0x658ff, 16, 1, 4, 7, 0, 0, 0, 0, 0, 0, 0},
    {12, 0x65dfd, 16, 1, 4, 2, 0, 0, 0, 0, 0, 0, 0},
    {12, 0x661ff, 8, 1, 4, 14, 0, 0, 0, 0, 0, 0, 0},
    {12, 0x690fd, 16, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0},
    {12, 0x694fd, 16, 1, 2, 1, 0, 0, 0, 0, 0, 0, 0},
    {12, 0x690ff, 16, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0},
    {12, 0x680fd, 8, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0},
    {12, 0x6e200, 16, 0, 4, 1, 2, 1, 0, 0, 0, 0, 0},
    {12, 0xee2fc, 16, 0, 4, 1, 2, 1, 0, 0, 0, 0, 1},
    {12, 0x743fd, 8, 1, 4, 1, 3, 0, 0, 0, 0, 0, 0},
    {12, 0x762fd, 8, 1, 4, 1, 2, 1, 0, 0, 0, 0, 0},
    {12, 0x742fd, 8, 1, 4, 1, 2, 0, 0, 0, 0, 0, 0},
    {12, 0x761fd, 8, 1, 4, 1, 1, 1, 0, 0, 0, 0, 0},
};

bool IsBlock(MessageLayout l) {
  return l == MessageLayout::kBlock || l == MessageLayout::kA64Block ||
         l == MessageLayout::kScratch;
}

TEST(MessagesReading, IsThatOfAnotherHand) {
  for (const Reading& r : kReadings) {
    const auto f = ParseDescriptor(Generation::kGen12, static_cast<Sfid>(r.sfid), r.desc, 0);
    ASSERT_TRUE(f.ok()) << f.status();
    const MessageInfo& info = Info(f->message);
    const std::string where = absl::StrFormat("%s 0x%x", std::string(info.name), r.desc);
    const bool a64 = std::string(info.name).substr(0, 3) == "a64";
    const bool scratch = info.layout == MessageLayout::kScratch;
    EXPECT_EQ(a64, r.a64 != 0) << where;
    EXPECT_EQ(IsBlock(info.layout) ? 1 : int{f->lanes}, r.lanes) << where;
    EXPECT_EQ(f->data64               ? 8
              : f->element_bytes != 0 ? int{f->element_bytes}
                                      : 4,
              r.element_bytes)
        << where;
    EXPECT_EQ(scratch            ? int{f->dword_mode}
              : f->channels != 0 ? int{f->channels}
                                 : 1,
              r.channels)
        << where;
    EXPECT_EQ(int{f->op}, r.op) << where;
    EXPECT_EQ(f->returns || f->commit, r.returns != 0) << where;
    EXPECT_EQ(scratch ? 32 * f->scratch_registers : 16 * f->owords, r.block_bytes) << where;
    EXPECT_EQ(f->oword_high, r.upper_half != 0) << where;
    EXPECT_EQ(32 * f->scratch_offset, r.scratch_offset) << where;
    EXPECT_EQ(f->high_slots, r.high_slots != 0) << where;
    EXPECT_EQ(f->header, r.header != 0) << where;
  }
}

}  // namespace
}  // namespace kiln::intel::isa
