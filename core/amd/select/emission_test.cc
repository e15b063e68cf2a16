#include "core/amd/select/emission.h"

#include <string>
#include <vector>

#include "core/amd/lir/machine.h"
#include "core/mir/parse.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

using testing::ElementsAre;

class EmissionTest : public testing::Test {
 protected:
  EmissionTest() { e_.builder().Enter(e_.builder().NewBlock()); }

  // Copies an operand of a file to V: a value, or two dwords of one that has three.
  Operand Copied(LirFile file, int comps, uint8_t mods) {
    Operand o = Use(e_.New(file, comps + 1), 1, comps);
    o.mods = mods;
    const Operand v = e_.ToV(o);
    EXPECT_TRUE(e_.IsIn(v, kFileV));
    EXPECT_EQ(v.mods, 0);
    EXPECT_EQ(v.comps, comps);
    return v;
  }

  // Returns the operations made since the last call.
  std::vector<std::string> Made() {
    std::vector<std::string> names;
    const lir::Function& f = e_.function();
    for (; known_ < f.insts.size(); ++known_) {
      names.emplace_back(Gfx1030Machine().ops[f.insts[known_].op].name);
    }
    return names;
  }

  mir::Module m_ = *mir::Parse("mir 1\nlocal_size 64, 1, 1\nbody {\nreturn\n}\n");
  Abi abi_ = *AssignAbi(m_);
  Emission e_{m_, abi_, 32};
  size_t known_ = 0;
};

constexpr uint8_t kNegate = Operand::kNegate, kAbsolute = Operand::kAbsolute;

TEST_F(EmissionTest, CopiesToVectorRegisters) {
  Made();
  Copied(kFileV, 1, 0);
  EXPECT_THAT(Made(), ElementsAre());
  Copied(kFileS, 1, 0);
  EXPECT_THAT(Made(), ElementsAre("v_copy"));
  Copied(kFileS, 2, 0);
  EXPECT_THAT(Made(), ElementsAre("v_copy"));
}

// A copy of a number with modifiers has its changed sign bit.
TEST_F(EmissionTest, CopiesApplyModifiers) {
  Made();
  for (const LirFile file : {kFileV, kFileS}) {
    Copied(file, 1, kNegate);
    EXPECT_THAT(Made(), ElementsAre("v_xor_b32"));
    Copied(file, 1, kAbsolute);
    EXPECT_THAT(Made(), ElementsAre("v_and_b32"));
    Copied(file, 1, kAbsolute | kNegate);
    EXPECT_THAT(Made(), ElementsAre("v_or_b32"));
  }
  // The low dword of a double is copied as it is.
  Copied(kFileV, 2, kNegate);
  EXPECT_THAT(Made(), ElementsAre("v_xor_b32", "collect"));
  Copied(kFileS, 2, kAbsolute);
  EXPECT_THAT(Made(), ElementsAre("v_and_b32", "v_copy", "collect"));
}

}  // namespace
}  // namespace kiln::amd
