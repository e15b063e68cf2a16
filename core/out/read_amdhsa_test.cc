// Tests read_amdhsa.h on files of the writer; tests/exec/code_objects_test.cc reads LLVM's.
#include "core/out/read_amdhsa.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace kiln::out {
namespace {

using Bytes = std::vector<uint8_t>;

AmdHsaKernel Kernel() {
  AmdHsaKernel k;
  k.name = "blur";
  k.code = {0, 0, 0x81, 0xbf, 1, 2, 3, 4};
  k.rsrc1 = 0x60cc0041;
  k.rsrc2 = 0x1389;
  k.rsrc3 = 0x3;
  k.lanes = 64;
  k.vgprs = 33;
  k.sgprs = 20;
  k.lds_bytes = 0x4c4453;
  k.scratch_bytes_per_lane = 0x534352;
  k.kernarg_bytes = 48;
  k.local_size = {8, 4, 2};
  k.arguments = {{"push_constants", 0, 20, false, false},
                 {"buffer_0_0_0", 32, 8, true, true},
                 {"buffer_0_0_0_bytes", 40, 4, false, false}};
  return k;
}

size_t DescriptorIn(const Bytes& file) {
  constexpr std::string_view kStart("SDL\0RCS\0", 8);  // LDS and scratch bytes
  return static_cast<size_t>(std::search(file.begin(), file.end(), kStart.begin(), kStart.end()) -
                             file.begin());
}

std::string ErrorOf(const Bytes& file) {
  const auto read = ReadAmdHsa(file);
  return read.ok() ? "" : std::string(read.status().message());
}

TEST(ReadAmdHsa, ReadsWhatTheWriterWrites) {
  for (const uint32_t lanes : {32u, 64u}) {
    AmdHsaKernel k = Kernel();
    k.lanes = lanes;
    const auto read = ReadAmdHsa(AmdHsaCodeObject(k));
    ASSERT_TRUE(read.ok()) << read.status();
    ASSERT_EQ(read->size(), 1u);
    const AmdHsaKernel& got = read->front().kernel;
    EXPECT_EQ(got.name, k.name);
    EXPECT_EQ(got.code, k.code);
    EXPECT_EQ(got.rsrc1, k.rsrc1);
    EXPECT_EQ(got.rsrc2, k.rsrc2);
    EXPECT_EQ(got.rsrc3, k.rsrc3);
    EXPECT_EQ(got.lanes, lanes);
    EXPECT_EQ(got.vgprs, k.vgprs);
    EXPECT_EQ(got.sgprs, k.sgprs + 2);  // VCC
    EXPECT_EQ(got.lds_bytes, k.lds_bytes);
    EXPECT_EQ(got.scratch_bytes_per_lane, k.scratch_bytes_per_lane);
    EXPECT_EQ(got.kernarg_bytes, k.kernarg_bytes);
    EXPECT_EQ(got.kernarg_alignment, k.kernarg_alignment);
    EXPECT_EQ(got.local_size, k.local_size);
    ASSERT_EQ(got.arguments.size(), 3u);
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(got.arguments[i].name, k.arguments[i].name);
      EXPECT_EQ(got.arguments[i].offset, k.arguments[i].offset);
      EXPECT_EQ(got.arguments[i].bytes, k.arguments[i].bytes);
      EXPECT_EQ(got.arguments[i].buffer, k.arguments[i].buffer);
      EXPECT_EQ(got.arguments[i].read_only, k.arguments[i].read_only);
      EXPECT_EQ(got.arguments[i].other_kind, "");
    }
    EXPECT_EQ(read->front().properties,
              kAmdHsaKernargAddress | kAmdHsaFlatScratchInit | (lanes == 32 ? kAmdHsaWave32 : 0));
    EXPECT_EQ(read->front().preload, 0u);
  }
}

TEST(ReadAmdHsa, SaysWhatAFileIsInstead) {
  const struct {
    size_t at;
    uint8_t value;
    const char* error;
  } kFlips[] = {{0, 0, "no ELF file"},
                {18, 62, "code object: an ELF file for machine 62, not for AMDGPU (224)"},
                {7, 65, "code object: made for another system than ROCm: OSABI 65, not 64"},
                {8, 4, "code object: version 6 of code objects; versions 4 and 5 are read"},
                {48, 0x41, "code object: made for another device: e_flags 0x41, gfx1030 has 0x36"},
                {49, 1, "code object: made for another device: e_flags 0x136, gfx1030 has 0x36"},
                {16, 1, "code object: not linked yet (ET_REL); link it with `ld.lld -shared`"},
                {16, 2, "code object: an ELF file of type 2, not 3"}};
  for (const auto& flip : kFlips) {
    Bytes file = AmdHsaCodeObject(Kernel());
    file[flip.at] = flip.value;
    EXPECT_EQ(ErrorOf(file), flip.error);
  }
}

// A descriptor that contradicts the metadata, or has reserved bits.
TEST(ReadAmdHsa, EachFieldOfTheDescriptorIsChecked) {
  const Bytes good = AmdHsaCodeObject(Kernel());
  const size_t at = DescriptorIn(good);
  ASSERT_LT(at, good.size());
  const struct {
    size_t offset;
    uint8_t flip;
    const char* error;
  } kFlips[] = {{0, 1, "differ in group_segment_fixed_size"},
                {4, 1, "differ in private_segment_fixed_size"},
                {8, 1, "differ in kernarg_segment_size"},
                {57, 4, "differ in wavefront_size"},
                {12, 1, "reserved bytes"},
                {24, 1, "reserved bytes"},
                {31, 1, "reserved bytes"},
                {36, 1, "reserved bytes"},
                {60, 1, "reserved bytes"},
                {54, 1, "LDS_SIZE"},
                {16, 4, "entry is not at its symbol"},
                {23, 0x80, "entry is not at its symbol"}};
  for (const auto& flip : kFlips) {
    Bytes file = good;
    file[at + flip.offset] = static_cast<uint8_t>(file[at + flip.offset] ^ flip.flip);
    EXPECT_NE(ErrorOf(file).find(flip.error), std::string::npos)
        << flip.offset << ": " << ErrorOf(file);
  }
}

// Renames a key of the metadata, so that it is missing.
TEST(ReadAmdHsa, EachKeyThatIsNeededIsMissed) {
  for (const char* key :
       {"amdhsa.kernels", ".name", ".symbol", ".group_segment_fixed_size",
        ".private_segment_fixed_size", ".kernarg_segment_size", ".kernarg_segment_align",
        ".wavefront_size", ".vgpr_count", ".sgpr_count", ".offset", ".size", ".value_kind"}) {
    Bytes file = AmdHsaCodeObject(Kernel());
    // Metadata have texts with their length before.
    const std::string packed =
        absl::StrCat(std::string(1, static_cast<char>(0xa0 | std::strlen(key))), key);
    size_t found = 0;
    for (auto it = file.begin();; ++it) {
      it = std::search(it, file.end(), packed.begin(), packed.end(),
                       [](uint8_t a, char b) { return a == static_cast<uint8_t>(b); });
      if (it == file.end()) break;
      it[1] = '!';
      ++found;
    }
    EXPECT_GT(found, 0u) << key;
    const std::string error = ErrorOf(file);
    if (std::string_view(key) == "amdhsa.kernels") {
      EXPECT_EQ(error, "code object: no list of kernels");
    } else {
      EXPECT_NE(error.find(absl::StrCat(key, " is missing or wrong")), std::string::npos)
          << key << ": " << error;
    }
  }
}

TEST(ReadAmdHsa, ArgumentsBeyondTheSegmentAreAnError) {
  AmdHsaKernel k = Kernel();
  k.arguments[2].offset = 45;
  EXPECT_EQ(ErrorOf(AmdHsaCodeObject(k)),
            "code object: kernel blur: an argument lies beyond the argument segment");
}

TEST(ReadAmdHsa, CutFilesAreErrors) {
  const Bytes file = AmdHsaCodeObject(Kernel());
  for (size_t n = 0; n < file.size(); n += n < 1024 ? 1 : 61) {
    EXPECT_FALSE(ReadAmdHsa(absl::MakeConstSpan(file).first(n)).ok()) << n;
  }
}

}  // namespace
}  // namespace kiln::out
