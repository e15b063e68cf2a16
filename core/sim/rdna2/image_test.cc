// Tests image.h: addresses in a row and scattered, registers of results, lanes that are off.
#include "core/sim/rdna2/image.h"

#include "core/sim/rdna2/testing.h"
#include "gtest/gtest.h"

namespace kiln::sim::rdna2 {
namespace {

// Runs a body with a 32 x 2 image of r32ui whose texels are 100 + their number, its T# in s[16:23].
std::vector<uint32_t> RunOnImage(const Words& body, scene::ClientImage* after = nullptr) {
  TestProgram p{.lanes = 32, .body = {
      0xf40c0400, 0xfa000020,  // s_load_dwordx8 s[16:23], s[0:1], 0x20
      0xbf8cc07f,  // s_waitcnt lgkmcnt(0)
  }};
  p.body.insert(p.body.end(), body.begin(), body.end());
  out::LaunchRecord record = RecordOf(p);
  record.resources.push_back({out::ResourceKind::kStorageImage, 0, 2, 1, ""});
  out::DescriptorRange range;
  range.resource = 2;
  range.count = 1;
  range.offset = 32;
  range.stride = 32;
  range.form = out::DescriptorForm::kImageResource;
  record.descriptor_memory.push_back(range);
  scene::Dispatch dispatch = DispatchOf(p);
  scene::ClientImage image;
  image.where = {0, 2, 0};
  image.format = scene::TexelFormat::kR32ui;
  image.width = 32;
  image.height = 2;
  for (uint32_t i = 0; i < 64; ++i) {
    image.texels.insert(image.texels.end(), {static_cast<uint8_t>(100 + i), 0, 0, 0});
  }
  dispatch.images.push_back(image);
  const auto stats = Run(CodeOf(p), record, {}, dispatch);
  EXPECT_TRUE(stats.ok()) << stats.status();
  if (after != nullptr) *after = dispatch.images[0];
  std::vector<uint32_t> lanes;
  for (size_t i = 0; i < 32; ++i) {
    const uint8_t* b = &dispatch.buffers[0].bytes[4 * i];
    lanes.push_back(b[0] | b[1] << 8 | b[2] << 16 | uint32_t{b[3]} << 24);
  }
  return lanes;
}

TEST(ImageTest, AddressesInARowAndScattered) {
  const std::vector<uint32_t> row = RunOnImage({
      0x7e040300,  // v_mov_b32_e32 v2, v0
      0x7e060281,  // v_mov_b32_e32 v3, 1
      0xf0001108, 0x00040102,  // image_load v1, v[2:3], s[16:23] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm
  });
  const std::vector<uint32_t> scattered = RunOnImage({
      0x7e0a0281,  // v_mov_b32_e32 v5, 1
      0xf000110a, 0x00040100, 0x00000005,  // image_load v1, [v0, v5], s[16:23] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm
  });
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(row[i], 132 + i);
  EXPECT_EQ(row, scattered);
}

TEST(ImageTest, ResultMayLieOverTheAddress) {
  const std::vector<uint32_t> lanes = RunOnImage({
      0x7e020300,  // v_mov_b32_e32 v1, v0
      0x7e040280,  // v_mov_b32_e32 v2, 0
      0xf0001908, 0x00040101,  // image_load v[1:2], v[1:2], s[16:23] dmask:0x9 dim:SQ_RSRC_IMG_2D unorm
      0xbf8c3f70,  // s_waitcnt vmcnt(0)
      0xd76f0001, 0x04052102,  // v_lshl_or_b32 v1, v2, 16, v1
  });
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(lanes[i], (100 + i) | 1u << 16);
}

TEST(ImageTest, StoresForLanesThatAreOn) {
  scene::ClientImage after;
  RunOnImage({
      0x7e040280,  // v_mov_b32_e32 v2, 0
      0x7e020287,  // v_mov_b32_e32 v1, 7
      0xbefe0382,  // s_mov_b32 exec_lo, 2
      0xf020110a, 0x00040100, 0x00000002,  // image_store v1, [v0, v2], s[16:23] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm
  }, &after);
  EXPECT_EQ(after.texels[0], 100);
  EXPECT_EQ(after.texels[4], 7);
  EXPECT_EQ(after.texels[8], 102);
}

TEST(ImageTest, AtomicsReturnUnderGlc) {
  scene::ClientImage after;
  const std::vector<uint32_t> lanes = RunOnImage({
      0x7e040283,  // v_mov_b32_e32 v2, 3
      0x7e060280,  // v_mov_b32_e32 v3, 0
      0x7e020281,  // v_mov_b32_e32 v1, 1
      0xf0443108, 0x00040102,  // image_atomic_add v1, v[2:3], s[16:23] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm glc
  }, &after);
  EXPECT_EQ(after.texels[12], 135);
  EXPECT_EQ(lanes[31], 134u);
}

TEST(ImageTest, NothingAtTheBase) {
  const TestProgram p{.lanes = 32, .body = {
      0xbe9003ff, 0x00001234,  // s_mov_b32 s16, 0x1234
      0xbe9103ff, 0xc1400000,  // s_mov_b32 s17, 0xc1400000
      0xbe9203ff, 0x80000000,  // s_mov_b32 s18, 0x80000000
      0xbe9303ff, 0x90000fac,  // s_mov_b32 s19, 0x90000fac
      0xbe940380,  // s_mov_b32 s20, 0
      0xbe950380,  // s_mov_b32 s21, 0
      0xbe960380,  // s_mov_b32 s22, 0
      0xbe970380,  // s_mov_b32 s23, 0
      0x7e040280,  // v_mov_b32_e32 v2, 0
      0xf000110a, 0x00040100, 0x00000002,  // image_load v1, [v0, v2], s[16:23] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm
  }};
  EXPECT_FALSE(ErrorOf(p).ok());
}

}  // namespace
}  // namespace kiln::sim::rdna2
