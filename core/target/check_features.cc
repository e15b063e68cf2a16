#include "core/target/check_features.h"

#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "core/base/cause.h"
#include "core/mir/build.h"

namespace kiln {
namespace {

using mid::Features;
using mir::InstId;
using mir::Module;
using mir::Need;
using mir::Op;

struct Row {
  Need need;
  bool Features::*has;
  KnownCause cause;
  std::string_view what;
  std::string_view capability;  // which declares the feature; empty: none does
};

// In the order of core/mir/needs.def.
constexpr Row kRows[] = {
    {Need::kSharedInt64Atomics, &Features::shared_int64_atomics, "int64_atomics",
     "atomic of 64 bits on shared memory", "Int64Atomics"},
    {Need::kRoundingByWidth, &Features::rounding_by_width, "float_controls", "two rounding modes",
     ""},
};

constexpr bool HasEachNeed() {
  if (std::size(kRows) != mir::kNumNeeds) return false;
  for (int i = 0; i < mir::kNumNeeds; ++i) {
    if (static_cast<int>(kRows[i].need) != i) return false;
  }
  return true;
}
static_assert(HasEachNeed());

absl::Status CheckNeeds(const Module& m, const Features& features) {
  for (const mir::Needed& needed : m.needs) {
    const Row& row = kRows[static_cast<int>(needed.need)];
    if (features.*row.has) continue;
    Detail detail{std::string(row.what)};
    detail.capability = row.capability;
    return WithInstruction(Unsupported(row.cause, detail, needed.spirv_id), needed.instruction);
  }
  return absl::OkStatus();
}

// Gathers are left to the back end: how far their offsets reach depends on the message.
absl::Status CheckOffsets(const Module& m, const Features::TexelOffsets& range) {
  if (m.texel_ops.empty()) return absl::OkStatus();
  const auto is_far = [&](int32_t x) { return x < range.least || x > range.most; };
  InstId far;
  mir::ForEachInst(m, m.body, [&](InstId id) {
    const Op op = m.inst(id).op;
    if (far.valid() || (op != Op::kSample && op != Op::kSampleImplicit)) return;
    for (int8_t x : m.texel_ops[m.inst(id).imm1].offset) {
      if (is_far(x)) far = id;
    }
    const mir::TexelSources s = mir::TexelSourcesOf(m, id);
    for (int i = 0; i < s.num_offsets; ++i) {
      const mir::ValueId v = m.source(id, s.offsets + i);
      if (m.IsConstant(v) && is_far(static_cast<int32_t>(m.value(v).bits))) far = id;
    }
  });
  if (!far.valid()) return absl::OkStatus();
  return Unsupported("texel_offset_range",
                     absl::StrCat("texel offset beyond ", range.least, " to ", range.most),
                     m.inst(far).spirv_id);
}

}  // namespace

absl::Status CheckFeatures(const Module& m, const Features& features) {
  if (absl::Status s = CheckNeeds(m, features); !s.ok()) return s;
  return CheckOffsets(m, features.sample_offsets);
}

}  // namespace kiln
