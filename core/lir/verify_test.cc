// Each numbered invariant: a program that breaks this one and none before it.
#include "core/lir/verify.h"

#include <string>

#include "core/lir/parse.h"
#include "core/lir/testing.h"
#include "core/lir/testing_scalar.h"
#include "gtest/gtest.h"

namespace kiln::lir {
namespace {

using testing::TestMachine;

constexpr char kValues[] =
    "function test width 8\n"
    "value %0 G 4x1\n"
    "value %1 G 4x1\n"
    "value %2 F 0x1\n"
    "value %3 G 4x2\n"
    "value %4 U 4x1\n";

std::string VerdictOf(const std::string& body) {
  const auto f = Parse(TestMachine(), kValues + body);
  if (!f.ok()) return std::string(f.status().message());
  const absl::Status s = Verify(TestMachine(), *f);
  if (s.ok()) return "ok";
  const std::string m(s.message());
  return m.substr(4, m.find_first_of(" :", 4) - 4);  // after "LIR "
}

TEST(VerifyTest, NamesTheBrokenRule) {
  const struct {
    const char* rule;
    const char* body;
  } cases[] = {
      {"ok",
       "livein %0 at 8\nblock b0 depth 0\n  %2:ud = cmp %0:ud #0x1:ud\n  if %2:ud {pred 1}\n"
       "  -> b1, b2\nblock b1 depth 0\n  else\n  -> b3(%0:ud)\n  ~> b2\nblock b2 depth 0\n"
       "  endif\n  -> b3(_)\nblock b3 depth 0 params %1\n  end %1:ud\n"},
      {"L1", "block b0 depth 0\n  -> b7\n"},
      {"L19", "pool grf units 1025\npool flag units 4\nblock b0 depth 0\n"},
      {"L19", "pool grf units 1024\nblock b0 depth 0\n"},
      {"L19", "reserved grf at 1020 units 8\nblock b0 depth 0\n"},
      {"L19", "reserved grf at 8 units 4\nreserved grf at 11 units 1\nblock b0 depth 0\n"},
      {"L16", "reserved grf at 8 units 4\nlivein %0 at 8\nblock b0 depth 0\n"},
      {"L4", "block b0 depth 0\n  %0:ud = const #0x1:ud\n  %0:ud = const #0x1:ud\n"},
      {"L4", "block b0 depth 0\n  store %0:ud %0:ud\n"},
      {"L5", "block b0 depth 0\n  %3:ud = const #0x1:ud\n"},
      {"L5", "block b0 depth 0\n  #0x1:ud = const #0x1:ud\n"},
      {"L6", "block b0 depth 0\n  %3x2:ud = const #0x1:ud\n  store %3.1x2:ud\n"},
      {"L7", "block b0 depth 0\n  endif\n  barrier\n"},
      {"L8", "block b0 depth 0\n  -> b1\nblock b1 depth 0 params %0\n"},
      {"L8",
       "block b0 depth 0\n  %0:ud = const #0x1:ud\n  %2:ud = cmp %0:ud\n  if %2:ud {pred 1}\n"
       "  -> b1(%0:ud), b2\nblock b1 depth 0 params %1\n  endif\n  -> b2\nblock b2 depth 0\n"},
      {"L8",
       "block b0 depth 0\n  %0:ud = const #0x1:ud\n  %2:ud = cmp %0:ud\n  while %2:ud {pred 1}\n"
       "  -> b1(%0:ud)\nblock b1 depth 0 params %1\n"},
      {"L9",
       "block b0 depth 0\n  %4:ud = const #0x1:ud\n  -> b1(%4:ud)\nblock b1 depth 0 params %0\n"},
      {"L9", "block b0 depth 0\n  -> b1(_)\nblock b1 depth 0 params %2\n"},
      {"L10", "block b0 depth 0\n  %0:ud = const #0x1:ud\n  %1:ud = sel %0:ud %0:ud {pred 1}\n"},
      {"L11", "block b0 depth 0\n  %1:ud = add %0:ud %0:ud\n  %0:ud = const #0x1:ud\n"},
      {"L11",
       "block b0 depth 0\n  %2:ud = cmp #0x1:ud\n  if %2:ud {pred 1}\n  -> b1, b2\n"
       "block b1 depth 0\n  %0:ud = const #0x1:ud\n  endif\n  -> b2\nblock b2 depth 0\n"
       "  store %0:ud\n"},
      {"L12", "block b0 depth 0\n  -> b0\n"},
      {"L12", "block b0 depth 0\n  -> b2\nblock b1 depth 0\nblock b2 depth 0\n"},
      {"L13", "block b0 depth 0\n  endif\n  -> b1\n  ~> b1\nblock b1 depth 0\n"},
      {"L14", "block b0 depth 0\n  else\n  -> b2\nblock b1 depth 0\nblock b2 depth 0\n"},
      {"L15", "block b0 depth 0\n  %0:ud = const #0x1:ud\n  %3x2:ud = collect %0:ud\n"},
      {"L16", "livein %0 at 0\nscratch_header %1\nblock b0 depth 0\n"},
      {"L16", "livein %0 at 4\nblock b0 depth 0\n"},
      {"L16", "livein %0 at 1024\nblock b0 depth 0\n"},
      {"L16", "livein %0 at 4294967288\nblock b0 depth 0\n"},  // its end is 0 in 32 bits
      // L18: %4 is uniform, %0 is not.
      {"ok",
       "exit_block b1\nblock b0 depth 0\n  %4:ud = const #0x1:ud\n  %2:ud = cmp %4:ud\n"
       "  exit %2:ud {pred 1}\n  %0:ud = const #0x1:ud\n  exit %2:ud {pred 1}\n  -> b1\n"
       "block b1 depth 0\n  store %0:ud\n  end %4:ud\n"},
      {"L18", "block b0 depth 0\n  %2:ud = cmp #0x1:ud\n  exit %2:ud {pred 1}\n  end\n"},
      {"L18", "exit_block b0\nblock b0 depth 0\n  %2:ud = cmp #0x1:ud\n  exit %2:ud {pred 1}\n"},
      {"L18", "exit_block b0\nblock b0 depth 0\n  -> b1\nblock b1 depth 0\n  end\n"},
      {"L18", "exit_block b1\nblock b0 depth 0\n  -> b1\nblock b1 depth 1\n  while\n  -> b1\n"},
      {"L1", "exit_block b7\nblock b0 depth 0\n  end\n"},
      {"L18",  // the second of two exits has it, the first does not
       "exit_block b1\nblock b0 depth 0\n  %2:ud = cmp #0x1:ud\n  exit %2:ud {pred 1}\n"
       "  %4:ud = const #0x1:ud\n  exit %2:ud {pred 1}\n  -> b1\n"
       "block b1 depth 0\n  end %4:ud\n"},
      {"L18",  // a lane's own value, read for all
       "exit_block b1\nblock b0 depth 0\n  %2:ud = cmp #0x1:ud\n  exit %2:ud {pred 1}\n"
       "  %0:ud = const #0x1:ud\n  -> b1\n"
       "block b1 depth 0\n  store %0:ud {nomask}\n  end\n"},
      {"L18",  // one side of an if does not dominate the exit after it
       "exit_block b3\nblock b0 depth 0\n  %2:ud = cmp #0x1:ud\n  if %2:ud {pred 1}\n  -> b1, b2\n"
       "block b1 depth 0\n  exit %2:ud {pred 1}\n  endif\n  -> b2\nblock b2 depth 0\n"
       "  %4:ud = const #0x1:ud\n  -> b3\nblock b3 depth 0\n  end %4:ud\n"},
      {"L18",  // its parameter has no value for the thread that arrives from the exit
       "exit_block b1\nblock b0 depth 0\n  %4:ud = const #0x1:ud\n  %2:ud = cmp #0x1:ud\n"
       "  exit %2:ud {pred 1}\n  -> b1(%4:ud)\nvalue %5 U 4x1\n"
       "block b1 depth 0 params %5\n  end %5:ud\n"},
      {"L2", "value %5 G 0x1\nlivein %5 at 8\nblock b0 depth 0\n"},  // aligned to nothing
  };
  for (const auto& c : cases) EXPECT_EQ(VerdictOf(c.body), c.rule) << c.body;
}

TEST(VerifyTest, NamesTheBrokenRuleOfScalarMachines) {
  const std::string head =
      "function scalar width 64\nvalue %0 V 4x1\nvalue %1 V 4x1\nvalue %2 V 8x1\nvalue %3 V 4x2\n"
      "value %4 S 4x1\n";
  const std::string in = "livein %0 at 0\nlivein %2 at 2\nlivein %4 at 0\nblock b0 depth 0\n";
  const struct {
    const char* rule;
    std::string body;
  } cases[] = {
      {"ok", in + "  %1:b32 = v_mac %4:b32 %0:b32 %0:b32\n"},
      {"L20", in + "  %1:b32 = v_mac %0:b32 %0:b32\n"},
      {"L20", in + "  %1:b32 = v_mac %0:b32 %0:b32 %2:b32\n"},
      {"L20", in + "  %1:b32 = v_mac %0:b32 %0:b32 %4:b32\n"},
      {"L20", in + "  %1:b32 = v_mac %0:b32 %0:b32 #0x1:b32\n"},
      {"L20", in + "  %3x2:b32 = v_mac %0:b32 %0:b32 %0:b32\n"},
      {"L20", in + "  %1:b32 = v_mac %0:b32 %0:b32 -%0:b32\n"},
      {"L21", in + "  %1:b32 = v_add %4:b32 %4:b32 {nomask}\n"},
      {"L21", in + "  v_store %4:b32 %0:b32 {nomask}\n"},
      {"ok", "reserved v at 8 units 2 spilled s\nreserved s at 8 units 2\n" + in},
      {"L19", "reserved v at 8 units 2 spilled s\nreserved v at 12 units 1 spilled s\n" + in},
  };
  for (const auto& c : cases) {
    const auto f = Parse(testing::ScalarTestMachine(), head + c.body);
    ASSERT_TRUE(f.ok()) << f.status();
    const absl::Status s = Verify(testing::ScalarTestMachine(), *f);
    const std::string rule = s.ok() ? "ok" : std::string(s.message()).substr(4, 3);
    EXPECT_EQ(rule, c.rule) << c.body << s;
  }
  const auto elsewhere = Parse(testing::ScalarTestMachine(),
                               head + in + "  %1:b32@5 = v_mac %4:b32@0 %0:b32@0 %0:b32@0\n");
  const absl::Status s = VerifyAllocated(testing::ScalarTestMachine(), *elsewhere);
  EXPECT_NE(s.message().find("P2"), std::string::npos) << s;
}

TEST(VerifyTest, AllocatedFormWantsRegisters) {
  const std::string head = std::string(kValues) + "block b0 depth 0\n";
  const auto status = [&](const std::string& inst) {
    return VerifyAllocated(TestMachine(), *Parse(TestMachine(), head + inst));
  };
  EXPECT_TRUE(status("  %0:ud@8 = add %0:ud@8 %4:ud@3\n").ok());
  EXPECT_FALSE(status("  %0:ud@8 = add %0:ud\n").ok());
  EXPECT_FALSE(status("  %0:ud@4 = add %0:ud@8\n").ok());
  EXPECT_FALSE(status("  %0:ud@1024 = add %0:ud@8\n").ok());
  EXPECT_FALSE(status("  %0:ud@4294967288 = add %0:ud@8\n").ok());
  EXPECT_FALSE(status("  %3x2:ud@8 = collect %0:ud@8 %0:ud@16\n").ok());
}

}  // namespace
}  // namespace kiln::lir
