// Generates random structured programs, of compute and of fragments that are killed, as GLSL and as
// a tree that is executed here. Both must agree, also after spirv-opt has changed the shape.
// Deterministic.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/front/testing/testing.h"
#include "core/mir/print.h"

namespace kiln::front {
namespace {

constexpr int kVariables = 4;

struct Random {
  uint64_t state;
  uint32_t Next() {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>(state >> 33);
  }
  uint32_t Below(uint32_t n) { return Next() % n; }
};

enum class Kind {
  kAssign,
  kIf,
  kFor,
  kDoWhile,
  kSwitch,
  kBreak,
  kContinue,
  kReturn,
  kOutput,
  kKill
};
enum class Signal { kNext, kBreak, kContinue, kReturn, kKilled };

constexpr const char* kKills[] = {"discard", "terminateInvocation", "demote"};
constexpr uint32_t kDemote = 2;

struct Statement;
using Block = std::vector<std::unique_ptr<Statement>>;

struct Condition {
  int a = 0;
  int b = 0;
  uint32_t mask = 0;
  bool Eval(const uint32_t* v) const { return ((v[a] ^ (v[b] >> 1)) & mask) != 0; }
  std::string Text() const {
    return "((v" + std::to_string(a) + " ^ (v" + std::to_string(b) + " >> 1)) & " +
           std::to_string(mask) + "u) != 0u";
  }
};

struct Statement {
  Kind kind = Kind::kAssign;
  int target = 0;
  int a = 0;
  uint32_t n = 0;  // a constant, a trip count, the number of cases, the kind of kill
  int id = 0;      // of loop counters
  Condition condition;
  std::vector<Block> blocks;
  std::vector<bool> ends;  // by case: true if it ends with a break
};

class Generator {
 public:
  explicit Generator(uint64_t seed, bool fragment = false) : r_{seed}, fragment_(fragment) {}

  Block Make(int depth, bool in_loop, bool in_switch) {
    Block block;
    const uint32_t count = 1 + r_.Below(4);
    for (uint32_t i = 0; i < count; ++i) block.push_back(One(depth, in_loop, in_switch));
    return block;
  }

 private:
  Condition MakeCondition() {
    return {static_cast<int>(r_.Below(kVariables)), static_cast<int>(r_.Below(kVariables)),
            1u << r_.Below(4)};
  }

  std::unique_ptr<Statement> One(int depth, bool in_loop, bool in_switch) {
    auto s = std::make_unique<Statement>();
    s->condition = MakeCondition();
    s->target = static_cast<int>(r_.Below(kVariables));
    s->a = static_cast<int>(r_.Below(kVariables));
    s->n = 1 + r_.Below(9);
    if (fragment_ && r_.Below(5) == 0) {
      s->kind = r_.Below(2) == 0 ? Kind::kOutput : Kind::kKill;
      if (s->kind == Kind::kKill) s->n = r_.Below(std::size(kKills));
      return s;
    }
    const uint32_t pick = r_.Below(depth == 0 ? 8 : 16);
    if (pick == 0 && (in_loop || in_switch)) {
      s->kind = Kind::kBreak;
    } else if (pick == 1 && in_loop) {
      s->kind = Kind::kContinue;
    } else if (pick == 2 && r_.Below(2) == 0) {
      s->kind = Kind::kReturn;
    } else if (pick < 8) {
      s->kind = Kind::kAssign;
    } else if (pick < 12) {
      s->kind = Kind::kIf;
      s->blocks.push_back(Make(depth - 1, in_loop, in_switch));
      if (r_.Below(2) == 0) s->blocks.push_back(Make(depth - 1, in_loop, in_switch));
    } else if (pick < 14) {
      s->kind = r_.Below(3) == 0 ? Kind::kDoWhile : Kind::kFor;
      s->id = next_id_++;
      s->n = 1 + r_.Below(4);
      s->blocks.push_back(Make(depth - 1, true, false));
    } else {
      s->kind = Kind::kSwitch;
      s->n = 1 + r_.Below(4);
      for (uint32_t c = 0; c <= s->n; ++c) {  // the last is the default
        s->blocks.push_back(Make(depth - 1, in_loop, true));
        s->ends.push_back(r_.Below(3) != 0);
      }
    }
    return s;
  }

  Random r_;
  const bool fragment_;
  int next_id_ = 0;
};

std::string Text(const Block& block);

std::string Text(const Statement& s) {
  const std::string v = "v" + std::to_string(s.target);
  const std::string n = std::to_string(s.n) + "u";
  const std::string i = "i" + std::to_string(s.id);
  switch (s.kind) {
    case Kind::kAssign:
      return v + " = v" + std::to_string(s.a) + " * 5u + " + v + " + " + n + ";\n";
    case Kind::kIf:
      return "if (" + s.condition.Text() + ") {\n" + Text(s.blocks[0]) + "}" +
             (s.blocks.size() > 1 ? " else {\n" + Text(s.blocks[1]) + "}" : "") + "\n";
    case Kind::kFor:
      return "for (uint " + i + " = 0u; " + i + " < " + n + "; ++" + i + ", v0 ^= " + i + ") {\n" +
             Text(s.blocks[0]) + "}\n";
    case Kind::kDoWhile:
      return "uint " + i + " = 0u;\ndo {\n++" + i + ";\n" + Text(s.blocks[0]) + "} while (" + i +
             " < " + n + " && " + s.condition.Text() + ");\n";
    case Kind::kSwitch: {
      std::string text = "switch (v" + std::to_string(s.a) + " % 5u) {\n";
      for (size_t c = 0; c < s.blocks.size(); ++c) {
        text += c + 1 == s.blocks.size() ? "default: {\n" : "case " + std::to_string(c) + "u: {\n";
        text += Text(s.blocks[c]) + (s.ends[c] ? "break;\n" : "") + "}\n";
      }
      return text + "}\n";
    }
    case Kind::kBreak: return "if (" + s.condition.Text() + ") break;\n";
    case Kind::kContinue: return "if (" + s.condition.Text() + ") continue;\n";
    case Kind::kReturn: return "if (" + s.condition.Text() + ") return v1 + " + n + ";\n";
    case Kind::kOutput: return "o.y = o.y * 3u + " + v + ";\n";
    case Kind::kKill:  // kills few invocations, so that some are left
      return "if (" + s.condition.Text() + " && " + v + " % 5u == 0u) " + kKills[s.n] + ";\n";
  }
  return "";
}

std::string Text(const Block& block) {
  std::string text;
  for (const auto& s : block) text += Text(*s);
  return text;
}

struct State {
  uint32_t v[kVariables];
  uint32_t returned = 0;
  uint32_t output = 0;
  bool helper = false;
};

Signal Run(const Block& block, State* state);

// Handles a loop body's signal; returns true if the loop is left, with *out.
bool Leaves(Signal s, Signal* out) {
  const bool ends = s == Signal::kReturn || s == Signal::kKilled;
  *out = ends ? s : Signal::kNext;
  return s == Signal::kBreak || ends;
}

Signal RunSwitch(const Statement& s, State* state) {
  size_t c = std::min<size_t>(state->v[s.a] % 5, s.n);
  for (; c < s.blocks.size(); ++c) {
    const Signal signal = Run(s.blocks[c], state);
    if (signal == Signal::kBreak) return Signal::kNext;
    if (signal != Signal::kNext) return signal;
    if (s.ends[c]) break;
  }
  return Signal::kNext;
}

Signal Run(const Statement& s, State* state) {
  uint32_t* v = state->v;
  Signal out = Signal::kNext;
  switch (s.kind) {
    case Kind::kAssign: v[s.target] = v[s.a] * 5 + v[s.target] + s.n; return Signal::kNext;
    case Kind::kIf:
      if (s.condition.Eval(v)) return Run(s.blocks[0], state);
      return s.blocks.size() > 1 ? Run(s.blocks[1], state) : Signal::kNext;
    case Kind::kFor:
      for (uint32_t i = 0; i < s.n; ++i, v[0] ^= i) {
        if (Leaves(Run(s.blocks[0], state), &out)) return out;
      }
      return Signal::kNext;
    case Kind::kDoWhile: {
      uint32_t i = 0;
      do {
        ++i;
        if (Leaves(Run(s.blocks[0], state), &out)) return out;
      } while (i < s.n && s.condition.Eval(v));
      return Signal::kNext;
    }
    case Kind::kSwitch: return RunSwitch(s, state);
    case Kind::kBreak: return s.condition.Eval(v) ? Signal::kBreak : Signal::kNext;
    case Kind::kContinue: return s.condition.Eval(v) ? Signal::kContinue : Signal::kNext;
    case Kind::kReturn:
      if (!s.condition.Eval(v)) return Signal::kNext;
      state->returned = v[1] + s.n;
      return Signal::kReturn;
    case Kind::kOutput: state->output = state->output * 3 + v[s.target]; return Signal::kNext;
    case Kind::kKill:
      if (!s.condition.Eval(v) || v[s.target] % 5 != 0) return Signal::kNext;
      state->helper = true;
      return s.n == kDemote ? Signal::kNext : Signal::kKilled;
  }
  return Signal::kNext;
}

Signal Run(const Block& block, State* state) {
  for (const auto& s : block) {
    const Signal signal = Run(*s, state);
    if (signal != Signal::kNext) return signal;
  }
  return Signal::kNext;
}

uint32_t Expected(const Block& block, uint32_t x) {
  State state = {{x, x >> 3, x * 7, 1}};
  if (Run(block, &state) == Signal::kReturn) return state.returned;
  return state.v[0] ^ state.v[1] ^ state.v[2] ^ state.v[3];
}

TEST(RandomControlFlow, AgreesWithTheTree) {
  const std::vector<std::vector<std::string>> forms = {
      {}, {"-O"}, {"--merge-return"}, {"--inline-entry-points-exhaustive", "--ssa-rewrite"}};
  std::vector<uint32_t> input;
  for (uint32_t i = 0; i < 64; ++i) input.push_back(i < 16 ? i : i * 2654435761u);
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    const Block block = Generator(seed).Make(4, false, false);
    const std::string function =
        "uint f(uint x) {\nuint v0 = x, v1 = x >> 3, v2 = x * 7u, v3 = 1u;\n" + Text(block) +
        "return v0 ^ v1 ^ v2 ^ v3;\n}\n";
    const std::vector<uint32_t> words =
        CompileCompute(KernelText(function, "out_[id] = f(in_[id]);"));
    for (size_t form = 0; form < forms.size(); ++form) {
      SCOPED_TRACE(form);
      const auto module =
          ImportVerified(forms[form].empty() ? words : Optimise(words, forms[form]));
      ASSERT_TRUE(module.ok()) << module.status() << function;
      const auto output = RunWords(*module, input, input.size(), 2);
      ASSERT_TRUE(output.ok()) << output.status() << function << mir::Print(*module);
      for (size_t i = 0; i < input.size(); ++i) {
        ASSERT_EQ((*output)[i], Expected(block, input[i])) << "x = " << input[i] << "\n"
                                                           << function << mir::Print(*module);
      }
    }
  }
}

// Outcome of a fragment: `live` if it reaches the end and is no helper; its output is then (value,
// combination of the values stored on the way).
struct Fragment {
  bool live = false;
  uint32_t value = 0;
  uint32_t output = 0;
};
Fragment ExpectedFragment(const Block& block, uint32_t x) {
  State state = {{x, x >> 3, x * 7, 1}};
  const Signal signal = Run(block, &state);
  const uint32_t* v = state.v;
  return {!state.helper, signal == Signal::kReturn ? state.returned : v[0] ^ v[1] ^ v[2] ^ v[3],
          state.output};
}

TEST(RandomControlFlow, FragmentsThatAreKilledAgreeWithTheTree) {
  const std::vector<std::vector<std::string>> forms = {
      {}, {"-O"}, {"--wrap-opkill"}, {"--merge-return"}, {"--inline-entry-points-exhaustive"}};
  constexpr uint32_t kCount = 64;
  int live = 0, killed = 0;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    const Block block = Generator(seed, true).Make(4, false, false);
    const std::string text =
        "#version 460\n#extension GL_EXT_demote_to_helper_invocation : enable\n"
        "#extension GL_EXT_terminate_invocation : enable\n"
        "layout(location = 0) flat in uint x_;\nlayout(location = 0) out uvec2 o;\n"
        "uint f(uint x) {\nuint v0 = x, v1 = x >> 3, v2 = x * 7u, v3 = 1u;\n" +
        Text(block) + "return v0 ^ v1 ^ v2 ^ v3;\n}\nvoid main() { o.y = 0u; o.x = f(x_); }\n";
    const std::vector<uint32_t> words = CompileFragment(text);
    for (size_t form = 0; form < forms.size(); ++form) {
      SCOPED_TRACE(form);
      const auto module =
          ImportVerified(forms[form].empty() ? words : Optimise(words, forms[form]));
      ASSERT_TRUE(module.ok()) << module.status() << text;
      oracle::LaunchInputs inputs;
      inputs.stage.invocations = kCount;
      inputs.stage.inputs.resize(1);
      for (uint32_t i = 0; i < kCount; ++i) {
        inputs.stage.inputs[0].push_back(i < 16 ? i : i * 2654435761u);
      }
      const std::vector<uint64_t> x = inputs.stage.inputs[0];
      if (module->inputs.empty()) inputs.stage.inputs.clear();
      const auto run = oracle::Interpret(*module, inputs);
      ASSERT_TRUE(run.ok()) << run.status() << text << mir::Print(*module);
      for (uint32_t i = 0; i < kCount; ++i) {
        const Fragment expected = ExpectedFragment(block, static_cast<uint32_t>(x[i]));
        SCOPED_TRACE(x[i]);
        ASSERT_EQ(inputs.stage.live[i], expected.live) << text << mir::Print(*module);
        (expected.live ? live : killed) += 1;
        if (!expected.live) continue;
        ASSERT_EQ(inputs.stage.outputs[0][i], expected.value) << text << mir::Print(*module);
        ASSERT_EQ(inputs.stage.outputs[0][kCount + i], expected.output) << text;
      }
    }
  }
  EXPECT_GT(live, 5000);
  EXPECT_GT(killed, 2000);
}

}  // namespace
}  // namespace kiln::front
