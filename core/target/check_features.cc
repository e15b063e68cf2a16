#include "core/target/check_features.h"

#include <iterator>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "core/base/cause.h"

namespace kiln {
namespace {

using mid::Features;
using mir::Module;
using mir::Need;

struct Row {
  Need need;
  bool (*meets)(const Features& features, int32_t amount);
  KnownCause cause;
  std::string (*what)(const Features& features, int32_t amount);
  std::string_view capability;  // which declares the feature; empty: none does
};

std::string FarOffset(const Features& f, int32_t) {
  return absl::StrCat("texel offset beyond ", f.sample_offsets.least, " to ",
                      f.sample_offsets.most);
}

std::string Doubles(const Features&, int32_t use) {
  switch (static_cast<mir::DoubleUse>(use)) {
    case mir::DoubleUse::kValue: return "value of this type";
    case mir::DoubleUse::kConstant: return "constant";
    case mir::DoubleUse::kVariable: return "variable";
    case mir::DoubleUse::kLocal: return "local variable";
    case mir::DoubleUse::kElement: return "element of an array or vector in memory";
    case mir::DoubleUse::kPack: return "GLSL.std.450 PackDouble2x32";
    case mir::DoubleUse::kUnpack: return "GLSL.std.450 UnpackDouble2x32";
  }
  return "float of 64 bits";
}

// In the order of core/mir/needs.def.
constexpr Row kRows[] = {
    {Need::kHalfFloats, [](const Features& f, int32_t) { return f.half_floats; }, "half_floats",
     [](const Features&, int32_t) -> std::string { return "float of 16 bits"; }, ""},
    {Need::kAddresses, [](const Features& f, int32_t) { return f.addresses; }, "device_addresses",
     [](const Features&, int32_t) -> std::string { return "access by a 64-bit address"; },
     "PhysicalStorageBufferAddresses"},
    {Need::kSharedInt64Atomics, [](const Features& f, int32_t) { return f.shared_int64_atomics; },
     "int64_atomics",
     [](const Features&, int32_t) -> std::string { return "atomic of 64 bits on shared memory"; },
     "Int64Atomics"},
    {Need::kRoundingByWidth, [](const Features& f, int32_t) { return f.rounding_by_width; },
     "float_controls", [](const Features&, int32_t) -> std::string { return "two rounding modes"; },
     ""},
    {Need::kFloat64, [](const Features& f, int32_t) { return f.float64; }, "float64", Doubles,
     "Float64"},
    {Need::kFloat64Atomics, [](const Features& f, int32_t) { return f.float64_atomics; },
     "float64_atomics",
     [](const Features&, int32_t) -> std::string { return "atomic on a float of 64 bits"; }, ""},
    {Need::kBarycentrics, [](const Features& f, int32_t) { return f.barycentrics; },
     "barycentric_coordinates",
     [](const Features&, int32_t) -> std::string {
       return "barycentric coordinate, or input with a value for each vertex";
     },
     "FragmentBarycentricKHR"},
    {Need::kClocks, [](const Features& f, int32_t) { return f.clocks; }, "shader_clock",
     [](const Features&, int32_t) -> std::string { return "clock"; }, ""},
    {Need::kInt64Images, [](const Features& f, int32_t) { return f.int64_images; }, "images",
     [](const Features&, int32_t) -> std::string { return "image of 64-bit integers"; },
     "Int64ImageEXT"},
    {Need::kLeastTexelOffset,
     [](const Features& f, int32_t least) { return least >= f.sample_offsets.least; },
     "texel_offset_range", FarOffset, ""},
    {Need::kGreatestTexelOffset,
     [](const Features& f, int32_t most) { return most <= f.sample_offsets.most; },
     "texel_offset_range", FarOffset, ""},
};

constexpr bool HasEachNeed() {
  if (std::size(kRows) != mir::kNumNeeds) return false;
  for (int i = 0; i < mir::kNumNeeds; ++i) {
    if (static_cast<int>(kRows[i].need) != i) return false;
  }
  return true;
}
static_assert(HasEachNeed());

}  // namespace

absl::Status CheckFeatures(const Module& m, const Features& features) {
  for (const mir::Needed& needed : m.needs) {
    const Row& row = kRows[static_cast<int>(needed.need)];
    if (row.meets(features, needed.amount)) continue;
    Detail detail{row.what(features, needed.amount)};
    detail.capability = row.capability;
    return WithInstruction(Unsupported(row.cause, detail, needed.spirv_id), needed.instruction);
  }
  return absl::OkStatus();
}

}  // namespace kiln
