// Tests launch_code_object.h: arguments by name, registers, refusals by name.
#include "core/amd/pipeline/launch_code_object.h"

#include <string>

#include "core/amd/pipeline/simulate.h"
#include "core/amd/pipeline/testing.h"
#include "core/out/amdhsa.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

using sim::scene::Dispatch;

out::AmdHsaKernel Kernel() {
  out::AmdHsaKernel k;
  k.name = "main";
  k.code = {0, 0, 0x81, 0xbf};  // s_endpgm
  k.rsrc1 = 0x40ac0000;
  k.rsrc2 = 4u << 1;
  k.kernarg_bytes = 80;
  k.local_size = {32, 1, 1};
  k.arguments = {{"push_constants", 0, 8, false, false},
                 {"num_workgroups", 16, 12, false, false},
                 {"base_workgroup", 32, 12, false, false},
                 {"buffer_0_1_0", 48, 8, true, false},
                 {"buffer_0_1_0_bytes", 56, 4, false, false}};
  return k;
}

Dispatch Data() {
  Dispatch d;
  d.groups = {3, 4, 5};
  d.base = {6, 7, 8};
  d.push_constants = {1, 2, 3, 4, 5, 6, 7, 8};
  d.buffers.resize(1);
  d.buffers[0].where = {0, 1, 0};
  d.buffers[0].bytes.resize(100);
  return d;
}

uint64_t At(const std::vector<uint8_t>& bytes, size_t at, size_t size) {
  uint64_t v = 0;
  for (size_t i = size; i-- > 0;) v = v << 8 | bytes.at(at + i);
  return v;
}

TEST(LaunchCodeObject, FillsTheSegmentByName) {
  Dispatch d = Data();
  const auto launch = LaunchCodeObject(out::AmdHsaCodeObject(Kernel()), d);
  ASSERT_TRUE(launch.ok()) << launch.status();
  ASSERT_EQ(d.buffers.size(), 2u);
  EXPECT_FALSE(d.buffers[1].bound);
  const std::vector<uint8_t>& segment = d.buffers[1].bytes;
  ASSERT_EQ(segment.size(), 80u);
  EXPECT_EQ(At(segment, 0, 8), 0x0807060504030201u);
  EXPECT_EQ(At(segment, 8, 4), 0xc5c5c5c5u);  // no argument's
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(At(segment, 16 + 4 * i, 4), 3 + i);
    EXPECT_EQ(At(segment, 32 + 4 * i, 4), 6 + i);
  }
  EXPECT_NE(d.buffers[0].address, 0u);
  EXPECT_EQ(At(segment, 48, 8), d.buffers[0].address);
  EXPECT_EQ(At(segment, 56, 4), 100u);
  // User SGPRs: the segment, scratch. The kernel adds the base itself.
  EXPECT_EQ(At(d.push_constants, 0, 8), d.buffers[1].address);
  EXPECT_EQ(d.push_constants.size(), 16u);
  EXPECT_EQ(d.base, (std::array<uint32_t, 3>{0, 0, 0}));
  EXPECT_EQ(launch->code, Kernel().code);
  EXPECT_EQ(launch->record.push.size(), 1u);
}

TEST(LaunchCodeObject, TheClientsDataAreBackAfterARun) {
  const std::vector<uint8_t> file = out::AmdHsaCodeObject(Kernel());
  Dispatch d = Data();
  ASSERT_TRUE(Simulate(file, {}, {}, d).ok());
  EXPECT_EQ(d.buffers.size(), 1u);
  EXPECT_EQ(d.push_constants, Data().push_constants);
  EXPECT_EQ(d.base, Data().base);
  SimulationOptions few;
  few.max_instructions = 0;
  EXPECT_FALSE(Simulate(file, {}, few, d).ok());
  EXPECT_EQ(d.buffers.size(), 1u);
  EXPECT_EQ(d.push_constants, Data().push_constants);
}

std::string ErrorOf(const out::AmdHsaKernel& k, uint16_t properties = 0x28) {
  std::vector<uint8_t> file = out::AmdHsaCodeObject(k);
  if (properties != 0x28) {
    // The descriptor is 64 bytes before the end of the page that its properties are in; they are
    // the only bytes that differ between both wave sizes behind the metadata.
    out::AmdHsaKernel other = k;
    other.lanes = 32;
    const std::vector<uint8_t> narrow = out::AmdHsaCodeObject(other);
    size_t at = file.size();
    for (size_t i = 0; i < file.size(); ++i) {
      if (file[i] != narrow[i]) at = i;
    }
    file.at(at - 1) = static_cast<uint8_t>(properties);
  }
  Dispatch d = Data();
  const auto launch = LaunchCodeObject(file, d);
  return launch.ok() ? "" : std::string(launch.status().message());
}

TEST(LaunchCodeObject, RefusesByNameWhatItDoesNotGive) {
  out::AmdHsaKernel k = Kernel();
  k.lanes = 64;
  EXPECT_EQ(ErrorOf(k), "");
  EXPECT_EQ(ErrorOf(k, 0x2a),
            "code object: the address of the dispatch packet, which the simulator does not give");
  EXPECT_EQ(ErrorOf(k, 0x2c),
            "code object: the address of the queue, which the simulator does not give");
  EXPECT_EQ(ErrorOf(k, 0x20),
            "code object: USER_SGPR of rsrc2 is not the number of SGPRs that the properties ask "
            "for");
  k.scratch_bytes_per_lane = 16;
  EXPECT_EQ(ErrorOf(k, 0x29),
            "code object: a V# of scratch in SGPRs, which the simulator does not give");
  k = Kernel();
  k.arguments[0].name = "x";
  EXPECT_EQ(ErrorOf(k),
            "code object: an argument of the name 'x', which the simulator does not give");
  k = Kernel();
  k.arguments[1].bytes = 8;
  EXPECT_EQ(ErrorOf(k), "code object: argument num_workgroups has 8 bytes, not 12");
}

// Workgroup ids that the kernel reads without a base to add.
TEST(LaunchCodeObject, ABaseNeedsItsArgument) {
  out::AmdHsaKernel k = Kernel();
  k.rsrc2 |= 1u << 7;
  EXPECT_EQ(ErrorOf(k), "");
  k.arguments.erase(k.arguments.begin() + 2);
  EXPECT_NE(ErrorOf(k).find("base"), std::string::npos) << ErrorOf(k);
}

}  // namespace
}  // namespace kiln::amd
