#include "core/intel/emit/check_instructions.h"

#include <string>

#include "core/intel/device/testing.h"
#include "core/intel/emit/testing.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

struct Case {
  bool Instructions::*fact;
  std::string body;
  std::string error;  // without the fact
};

// The code passes for a device that has all of it, and is an error for one without the fact.
TEST(CheckInstructions, NamesWhatTheDeviceLacks) {
  const Case cases[] = {
      {&Instructions::rotate, "%1:ud@32 = rol %0:ud@0 #0x5:ud {w8}",
       "rol: the device has no rotate"},
      {&Instructions::dot4, "%1:d@32 = dp4a %0:d@0 %0:d@0 %0:d@0 {w8}",
       "dp4a: the device has no dot4"},
      {&Instructions::half_floats, "%1:f@32 = mov %0:hf@0 {w8}",
       "mov: the device has no half_floats"},
      {&Instructions::half_floats, "%0:hf@0 = mov %1:f@32 {w8}",
       "mov: the device has no half_floats"},
      {&Instructions::addresses,
       "%1:ud@32 = msg %16x16:ud@64 {w8 [a64_untyped_read bti 253 channels 1 lanes 8]}",
       "send: the device has no addresses"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(Emitted(c.body, 8).rfind("\n    ", 0), 0u) << Emitted(c.body, 8);
    EXPECT_EQ(Emitted(c.body, 8, TglBut(c.fact)), "emit: instruction 0, " + c.error);
  }
}

TEST(CheckInstructions, NamesWaitsThatHardwareDoesNotKnow) {
  isa::Program program(Tgl().generation);
  isa::Instruction sync;
  sync.op = isa::Opcode::kSync;
  program.Append({});
  program.Append(sync);
  EXPECT_EQ(CheckInstructions(Tgl(), program), absl::OkStatus());
  EXPECT_EQ(CheckInstructions(TglBut(&Instructions::software_scoreboard), program).message(),
            "emit: instruction 1, sync: the device has no software_scoreboard");
}

TEST(CheckInstructions, LeavesOthersAlone) {
  for (const auto fact : {&Instructions::rotate, &Instructions::dot4, &Instructions::half_floats,
                          &Instructions::addresses, &Instructions::software_scoreboard}) {
    EXPECT_EQ(Emitted("%1:f@32 = mov %0:ud@0 {w8}", 8, TglBut(fact)),
              Emitted("%1:f@32 = mov %0:ud@0 {w8}", 8));
  }
}

}  // namespace
}  // namespace kiln::intel
