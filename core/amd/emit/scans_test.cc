// Reductions, scans and shuffles in the simulator, with all lanes on and with the even ones alone.
#include <algorithm>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/amd/emit/testing.h"
#include "core/amd/lir/lanes.h"
#include "core/sim/rdna2/testing.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

using isa::Opcode;

// Runs LIR text and returns v1 of each lane; v0 is the lane.
std::vector<uint32_t> LanesOf(const std::string& text, uint8_t width) {
  const auto program =
      testing::EmitText(absl::StrCat("block b0 depth 0\n", text, "\nend\n"), width);
  EXPECT_TRUE(program.ok()) << program.status();
  if (!program.ok()) return {};
  const Binary binary = testing::Compile(*program);
  if (binary.instruction_bytes < 4) return {};
  std::vector<uint32_t> words(binary.instruction_bytes / 4 - 1);
  std::memcpy(words.data(), binary.bytes.data(), binary.instruction_bytes - 4);
  return sim::rdna2::Lanes({.lanes = width, .body = words});
}

// v5 = 3 * lane + 1; v1 = 7.
constexpr char kStart[] =
    "%v5 = v_mul_u32_u24 #0x3 %v0 {[]}\n%v5 = v_add_nc_u32 #0x1 %v5 {[]}\n%v1 = v_copy #0x7\n"
    "%v2 = v_and_b32 #0x1 %v0 {[]}\n%m20 = v_cmp_ne_u32 #0x0 %v2 {[]}\n";
uint32_t ValueOf(uint32_t lane) { return 3 * lane + 1; }
constexpr uint32_t kOff = 7;

// Runs `text` with the even lanes alone.
std::string InEvenLanes(const std::string& text) {
  return absl::StrCat("mask_if %m20 {inv}\n-> b1, b2\nblock b1 depth 0\n", text,
                      "mask_endif\n-> b2\nblock b2 depth 0\n");
}

struct Operator {
  Opcode op;
  uint32_t identity;
  std::function<uint32_t(uint32_t, uint32_t)> apply;
};
const Operator kOperators[] = {
    {Opcode::kVAddNcU32, 0, [](uint32_t a, uint32_t b) { return a + b; }},
    {Opcode::kVMulLoU32, 1, [](uint32_t a, uint32_t b) { return a * b; }},
    {Opcode::kVMinU32, ~0u, [](uint32_t a, uint32_t b) { return std::min(a, b); }},
    {Opcode::kVMaxI32, 0x80000000u, [](uint32_t a, uint32_t b) {
       return static_cast<int32_t>(a) > static_cast<int32_t>(b) ? a : b;
     }}};

// Returns what the lane gets if every `step`-th lane is on.
uint32_t Want(const ScanAux& aux, const Operator& op, uint32_t lane, uint32_t step) {
  const uint32_t first =
      aux.kind == ScanAux::kReduceClusters ? lane / aux.cluster * aux.cluster : 0;
  const uint32_t end = aux.kind == ScanAux::kInclusive   ? lane + 1
                       : aux.kind == ScanAux::kExclusive ? lane
                                                         : first + aux.cluster;
  uint32_t sum = op.identity;
  for (uint32_t l = first; l < end; ++l) {
    if (l % step == 0) sum = op.apply(sum, ValueOf(l));
  }
  return sum;
}

void Expect(ScanAux aux, const Operator& op, uint8_t width) {
  aux.op = op.op;
  const bool scalar = aux.kind == ScanAux::kReduce;
  const std::string scan = absl::StrCat(
      scalar ? "%s30" : "%v1", " %w8 %w9 %s31 = lane_scan %v5 #0x", absl::Hex(op.identity),
      " {aux ", aux.Pack(), "}\n", scalar ? "%v1 = v_copy %s30\n" : "");
  for (uint32_t step : {1, 2}) {
    const auto got = LanesOf(absl::StrCat(kStart, step == 1 ? scan : InEvenLanes(scan)), width);
    ASSERT_EQ(got.size(), width);
    for (uint32_t lane = 0; lane < width; ++lane) {
      const uint32_t want = lane % step == 0 ? Want(aux, op, lane, step) : kOff;
      ASSERT_EQ(got[lane], want) << "lane " << lane << " of " << int{width} << ", every " << step
                                 << "\n"
                                 << scan;
    }
  }
}

TEST(ScansTest, EveryKindOfEveryOperator) {
  for (const Operator& op : kOperators) {
    for (uint8_t width : {32, 64}) {
      for (ScanAux::Kind kind : {ScanAux::kReduce, ScanAux::kInclusive, ScanAux::kExclusive}) {
        Expect({.kind = kind, .cluster = width}, op, width);
      }
      for (uint8_t cluster = 2; cluster < width; cluster *= 2) {
        Expect({.kind = ScanAux::kReduceClusters, .cluster = cluster}, op, width);
      }
    }
  }
}

// Lane i reads 5 * i + 3, modulo the wave.
TEST(ScansTest, ShuffleOverBothHalves) {
  const std::string shuffle =
      "%v6 = v_mul_u32_u24 #0x5 %v0 {[]}\n%v6 = v_add_nc_u32 #0x3 %v6 {[]}\n"
      "%v1 %s30 %s31 %p32 = lane_shuffle %v5 %v6\n";
  for (uint8_t width : {32, 64}) {
    for (uint32_t step : {1, 2}) {
      const auto got =
          LanesOf(absl::StrCat(kStart, step == 1 ? shuffle : InEvenLanes(shuffle)), width);
      ASSERT_EQ(got.size(), width);
      for (uint32_t lane = 0; lane < width; ++lane) {
        const uint32_t want = lane % step == 0 ? ValueOf((5 * lane + 3) % width) : kOff;
        EXPECT_EQ(got[lane], want) << "lane " << lane << " of " << int{width};
      }
    }
  }
}

}  // namespace
}  // namespace kiln::amd
