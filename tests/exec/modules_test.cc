// Modules as other compilers emit them (tests/shaders/*.spvasm) through the whole compiler:
// validated, compiled, and run in the simulator against the interpreter.
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "core/driver/compile.h"
#include "core/driver/prepared.h"
#include "core/front/import.h"
#include "core/mir/print.h"
#include "core/oracle/interp.h"
#include "gtest/gtest.h"
#include "tests/exec/exec.h"
#include "tests/exec/fragments.h"

namespace kiln {
namespace {

std::vector<uint32_t> Words(const std::string& name) {
  std::ifstream in("tests/shaders/" + name + ".spv", std::ios::binary);
  const std::string bytes{(std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>()};
  EXPECT_FALSE(bytes.empty()) << name;
  std::vector<uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), words.size() * 4);
  return words;
}

mir::Module Imported(const std::string& name, std::optional<mir::Stage> stage) {
  front::ImportOptions options;
  options.stage = stage;
  auto module = front::ImportSpirv(Words(name), options);
  EXPECT_TRUE(module.ok()) << name << module.status();
  return module.ok() ? *std::move(module) : mir::Module();
}

// Computes maximal_reconvergence.spvasm lane by lane for a subgroup of 32, by the rules of
// SPV_KHR_maximal_reconvergence: lanes that take a branch are apart until its merge block; all
// lanes that begin an iteration of a loop execute it together; at a merge block all lanes that
// entered its construct reconverge, except those that left an outer one.
class Tangles {
 public:
  explicit Tangles(const std::vector<uint32_t>& input) {
    for (uint32_t lane = 0; lane < 32; ++lane) key_[lane] = input[lane] & 7;
  }

  std::vector<uint32_t> Run() {
    const uint32_t even = Which(kAll, [&](uint32_t l) { return key_[l] % 2 == 0; });
    Each(even, [&](uint32_t l) { seen_[l] = even; });
    Each(~even, [&](uint32_t l) { seen_[l] = even; });  // the complement of the odd ones
    Each(kAll, [&](uint32_t l) { seen_[l] = seen_[l] * 5 + kAll; });
    LoopWithBreaks();
    Each(kAll, [&](uint32_t l) { seen_[l] = seen_[l] * 11 + kAll; });
    Switch();
    Each(kAll, [&](uint32_t l) { seen_[l] = seen_[l] * 13 + kAll; });
    LoopWithReturns();
    Each(kAll, [&](uint32_t l) { seen_[l] = seen_[l] * 17 + kAll + returned_[l]; });
    return seen_;
  }

 private:
  static constexpr uint32_t kAll = 0xffffffff;

  template <class Predicate>
  static uint32_t Which(uint32_t lanes, Predicate predicate) {
    uint32_t which = 0;
    Each(lanes, [&](uint32_t l) { which |= predicate(l) ? 1u << l : 0; });
    return which;
  }

  template <class Action>
  static void Each(uint32_t lanes, Action action) {
    for (uint32_t l = 0; l < 32; ++l) {
      if ((lanes >> l & 1) != 0) action(l);
    }
  }

  void LoopWithBreaks() {
    uint32_t inside = kAll;
    for (uint32_t i = 0; i < 6; ++i) {
      uint32_t rest = inside & ~Which(inside, [&](uint32_t l) { return i == key_[l] >> 1; });
      const uint32_t leave = Which(rest, [&](uint32_t l) { return key_[l] == i + 2; });
      Each(leave, [&](uint32_t l) { seen_[l] ^= leave; });
      rest &= ~leave;
      Each(rest, [&](uint32_t l) { seen_[l] = seen_[l] * 7 + rest; });
      inside &= ~leave;
      Each(inside, [&](uint32_t l) { seen_[l] = seen_[l] * 3 + inside; });
    }
  }

  void Switch() {
    const uint32_t zero = Which(kAll, [&](uint32_t l) { return key_[l] == 0; });
    const uint32_t three = Which(kAll, [&](uint32_t l) { return key_[l] == 3; });
    const uint32_t rest = Which(~zero & ~three, [&](uint32_t l) { return key_[l] <= 5; });
    Each(zero, [&](uint32_t l) { seen_[l] += zero; });
    Each(three, [&](uint32_t l) { seen_[l] ^= three; });
    Each(rest, [&](uint32_t l) { seen_[l] -= rest; });
  }

  void LoopWithReturns() {
    uint32_t inside = kAll;
    for (uint32_t i = 0; i < 8; ++i) {
      const uint32_t leave = Which(inside, [&](uint32_t l) { return i > key_[l]; });
      Each(leave, [&](uint32_t l) {
        seen_[l] ^= leave * 3;
        returned_[l] = i;
      });
      inside &= ~leave;
      Each(inside, [&](uint32_t l) { seen_[l] += inside; });
    }
  }

  std::vector<uint32_t> key_ = std::vector<uint32_t>(32);
  std::vector<uint32_t> seen_ = std::vector<uint32_t>(32);
  std::vector<uint32_t> returned_ = std::vector<uint32_t>(32, 8);
};

// Returns the interpreter's result for a module that reads dwords of one buffer and writes those of
// another.
std::vector<uint32_t> Interpreted(const mir::Module& module, const std::vector<uint32_t>& input) {
  oracle::LaunchInputs inputs;
  inputs.groups = {1, 1, 1};
  inputs.buffers.resize(2);
  inputs.buffers[0].bytes.resize(input.size() * 4);
  std::memcpy(inputs.buffers[0].bytes.data(), input.data(), input.size() * 4);
  inputs.buffers[1].binding = 1;
  inputs.buffers[1].bytes.resize(input.size() * 4);
  const auto statistics = oracle::Interpret(module, inputs);
  EXPECT_TRUE(statistics.ok()) << statistics.status();
  std::vector<uint32_t> output(input.size());
  std::memcpy(output.data(), inputs.buffers[1].bytes.data(), output.size() * 4);
  return output;
}

// Checks the module as imported, and after all target-independent passes; the test below compares
// the rest with the interpreter.
TEST(Modules, LanesReconvergeWhereTheExtensionSaysSo) {
  PrepareOptions options;
  options.passes.verify_each = true;
  const auto prepared = Prepare(Words("maximal_reconvergence"), options, nullptr, {});
  ASSERT_TRUE(prepared.ok()) << prepared.status();
  uint32_t random = 1;
  for (int round = 0; round < 50; ++round) {
    std::vector<uint32_t> input(32);
    for (uint32_t& word : input) word = (random = random * 1664525 + 1013904223) >> 24;
    const std::vector<uint32_t> expected = Tangles(input).Run();
    EXPECT_EQ(Interpreted(Imported("maximal_reconvergence", mir::Stage::kCompute), input),
              expected);
    EXPECT_EQ(Interpreted((*prepared)->module, input), expected);
  }
}

// Each stage, with the validator.
TEST(Modules, AreCompiled) {
  struct Case {
    const char* name;
    const char* stage;
  };
  for (const Case& c : {Case{"bit_widths", "compute"}, Case{"debug_information", "compute"},
                        Case{"derivative_group", "compute"}, Case{"float_controls2", "compute"},
                        Case{"maximal_reconvergence", "compute"}, Case{"quad_control", "fragment"},
                        Case{"replicated_composites", "compute"}, Case{"sample_offsets", "compute"},
                        Case{"several_stages", "vertex"}, Case{"several_stages", "fragment"}}) {
    SCOPED_TRACE(c.name);
    PrepareOptions options;
    options.stage = c.stage;
    options.passes.verify_each = true;
    const auto prepared = Prepare(Words(c.name), options, nullptr, {});
    ASSERT_TRUE(prepared.ok()) << prepared.status();
    const auto compiled = Compile(**prepared, exec::TestTarget(), {}, nullptr, {});
    ASSERT_TRUE(compiled.ok()) << compiled.status();
    EXPECT_FALSE(compiled->variants.empty());
  }
}

TEST(Modules, ComputeAgreesWithTheInterpreter) {
  for (const char* name : {"bit_widths", "debug_information", "derivative_group",
                           "maximal_reconvergence", "replicated_composites"}) {
    const std::string text = mir::Print(Imported(name, mir::Stage::kCompute));
    for (uint32_t seed = 1; seed <= 4; ++seed) {
      exec::Setup setup;
      setup.seed = seed;
      setup.floats = std::string(name) == "derivative_group";
      EXPECT_EQ(exec::Compare(text, setup), "") << name << " seed " << seed;
    }
  }
}

TEST(Modules, FragmentsAgreeWithTheInterpreter) {
  for (const char* name : {"quad_control", "several_stages"}) {
    const mir::Module module = Imported(name, mir::Stage::kFragment);
    exec::DrawCounts counts;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      EXPECT_EQ(exec::CompareDraw(module, seed, 1, {}, &counts), "") << name << " seed " << seed;
    }
    EXPECT_GT(counts.written, 100) << name;
  }
}

}  // namespace
}  // namespace kiln
