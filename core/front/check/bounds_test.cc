// Tests each bound: a shader at the bound passes, one above it is refused with the row's cause and
// number. Modules are built of words, since only counts matter here.
#include "core/front/check/bounds.h"

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "core/base/cause.h"
#include "core/front/grammar/spirv_enums.h"
#include "gtest/gtest.h"

namespace kiln::front {
namespace {

using Words = std::vector<uint32_t>;

// A module under construction.
struct Maker {
  Words words = {0x07230203, 0x00010300, 0, 1, 0};
  uint32_t Id() { return words[3]++; }
  void Add(spv::Op op, const Words& operands) {
    words.push_back(static_cast<uint32_t>((operands.size() + 1) << 16) | static_cast<uint32_t>(op));
    words.insert(words.end(), operands.begin(), operands.end());
  }
  void Label(uint32_t id) { Add(spv::Op::OpLabel, {id}); }
  void Branch(uint32_t to) { Add(spv::Op::OpBranch, {to}); }
  uint32_t Function(const std::function<void()>& body = [] {}) {
    const uint32_t id = Id();
    Add(spv::Op::OpFunction, {1, id, 0, 1});
    Label(Id());
    body();
    Add(spv::Op::OpReturn, {});
    Add(spv::Op::OpFunctionEnd, {});
    return id;
  }
  // Emits `depth` ifs around `inside`.
  void Nest(int depth, const std::function<void()>& inside) {
    Words merges;
    for (int i = 0; i < depth; ++i) {
      const uint32_t then = Id();
      merges.push_back(Id());
      Add(spv::Op::OpSelectionMerge, {merges.back(), 0});
      Add(spv::Op::OpBranchConditional, {1, then, merges.back()});
      Label(then);
    }
    inside();
    for (; !merges.empty(); merges.pop_back()) {
      Branch(merges.back());
      Label(merges.back());
    }
  }
  void Ifs(int count) {
    for (int i = 0; i < count; ++i) Nest(1, [] {});
  }
  void Loop() {
    const uint32_t header = Id(), body = Id(), next = Id(), merge = Id();
    Branch(header);
    Label(header);
    Add(spv::Op::OpLoopMerge, {merge, next, 0});
    Add(spv::Op::OpBranchConditional, {1, body, merge});
    Label(body);
    Branch(next);
    Label(next);
    Branch(header);
    Label(merge);
  }
};

void ExpectRefused(const absl::Status& status, const std::string& cause, const std::string& what) {
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(CauseOf(status), cause);
  EXPECT_NE(status.message().find(what), std::string::npos) << status.message();
}

TEST(Bounds, Words) {
  Words words = Maker().words;
  words.resize(Most(Bound::kWords), 1u << 16);  // OpNop
  EXPECT_TRUE(CheckBounds(words, false).ok());
  words.push_back(1u << 16);
  ExpectRefused(CheckBounds(words, false), "shader_too_large", "words of a module");
}

// Shuffles the blocks of the module's only function by the seed, except the first.
Words Shuffled(const Words& words, uint32_t seed) {
  Words head, tail;
  std::vector<Words> blocks;
  for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
    const auto op = static_cast<spv::Op>(words[at] & 0xffff);
    if (op == spv::Op::OpLabel) blocks.emplace_back();
    Words& to = op == spv::Op::OpFunctionEnd ? tail : blocks.empty() ? head : blocks.back();
    to.insert(to.end(), words.begin() + at, words.begin() + at + (words[at] >> 16));
  }
  std::shuffle(blocks.begin() + 1, blocks.end(), std::minstd_rand(seed));
  Words out(words.begin(), words.begin() + 5);
  out.insert(out.end(), head.begin(), head.end());
  for (const Words& block : blocks) out.insert(out.end(), block.begin(), block.end());
  out.insert(out.end(), tail.begin(), tail.end());
  return out;
}

TEST(Bounds, Nesting) {
  for (int depth : {256, 257}) {
    Maker m;
    const uint32_t f = m.Function([&] { m.Nest(depth, [] {}); });
    for (uint32_t seed = 0; seed < 5; ++seed) {
      const absl::Status status = CheckBounds(seed == 0 ? m.words : Shuffled(m.words, seed), true);
      EXPECT_EQ(status.ok(), depth == 256) << seed;
      if (depth == 256) continue;
      ExpectRefused(status, "nesting_too_deep",
                    "nested constructs of control flow: 257, at most 256");
      EXPECT_EQ(SpirvIdOf(status), f);
    }
    EXPECT_TRUE(CheckBounds(m.words, false).ok());  // the importer counts nesting itself
  }
}

// 52 kB that took the validator 18 s: each merge block comes right after its header.
TEST(Bounds, AMergeBlockRightAfterItsHeaderHidesNothing) {
  Maker m;
  m.Function([&] {
    uint32_t outer = 0;
    for (int i = 0; i < 1000; ++i) {
      const uint32_t inside = m.Id(), merge = m.Id();
      m.Add(spv::Op::OpSelectionMerge, {merge, 0});
      m.Add(spv::Op::OpBranchConditional, {1, inside, merge});
      m.Label(merge);
      if (outer == 0) m.Add(spv::Op::OpReturn, {});
      if (outer != 0) m.Branch(outer);
      m.Label(inside);
      outer = merge;
    }
    m.Branch(outer);
    m.Label(m.Id());
  });
  ExpectRefused(CheckBounds(m.words, true), "nesting_too_deep",
                "nested constructs of control flow: 1000, at most 256");
}

TEST(Bounds, ConstructsInSequenceDoNotNest) {
  Maker m;
  for (int k = 0; k < 2; ++k) {
    m.Function([&] {
      for (int i = 0; i < 300; ++i) m.Loop();
      m.Ifs(300);
    });
  }
  EXPECT_TRUE(CheckBounds(m.words, true).ok()) << CheckBounds(m.words, true);
  EXPECT_TRUE(CheckBounds(m.words, false).ok());
}

void ExpectTooCostly(const Maker& m, const std::string& what) {
  ExpectRefused(CheckBounds(m.words, true), "shader_too_large", what);
  EXPECT_TRUE(CheckBounds(m.words, false).ok());  // the importer is linear in all of them
}

// Shapes that kept the validator busy, with the seconds: 60 ifs around 2,500 (15), 8,000 loops
// (10), a switch of 16,000 equal targets in 200 ifs (9), two crossing chains of 1,000 (7); and
// smaller ones, which pass.
TEST(Bounds, ControlFlowThatTheValidatorIsQuadraticIn) {
  Maker around, loops, chain, small, targets, crossing;
  around.Function([&] { around.Nest(60, [&] { around.Ifs(2500); }); });
  loops.Function([&] {
    for (int i = 0; i < 8000; ++i) loops.Loop();
  });
  chain.Function([&] {
    for (int i = 0; i < 100'000; ++i) {
      const uint32_t next = chain.Id();
      chain.Branch(next);
      chain.Label(next);
    }
  });
  targets.Function([&] {
    targets.Nest(200, [&] {
      const uint32_t to = targets.Id(), merge = targets.Id();
      Words operands = {1, to};
      for (uint32_t i = 0; i < 16'000; ++i) operands.insert(operands.end(), {i, to});
      targets.Add(spv::Op::OpSelectionMerge, {merge, 0});
      targets.Add(spv::Op::OpSwitch, operands);
      targets.Label(to);
      targets.Branch(merge);
      targets.Label(merge);
    });
  });
  crossing.Function([&] {
    const uint32_t a = crossing.words[3], b = a + 1000;
    crossing.words[3] += 2000;
    crossing.Add(spv::Op::OpBranchConditional, {1, a, b});
    for (uint32_t i = 0; i < 1000; ++i) {
      crossing.Label(a + i);
      crossing.Add(spv::Op::OpBranchConditional, {1, a + std::min(i + 1, 999u), b + i});
      crossing.Label(b + i);
      Words operands = {1, b + std::min(i + 1, 999u)};
      if (i > 0) operands.insert(operands.end(), {0, b + i - 1});
      crossing.Add(spv::Op::OpSwitch, operands);
    }
    crossing.Label(crossing.Id());
  });
  small.Function([&] {
    small.Nest(60, [&] { small.Ifs(100); });
    for (int i = 0; i < 300; ++i) small.Loop();
    small.Ifs(500);
  });
  for (const Maker* m : {&around, &loops, &chain, &targets, &crossing}) {
    ExpectTooCostly(*m, "most of them for control flow");
  }
  EXPECT_TRUE(CheckBounds(small.words, true).ok()) << CheckBounds(small.words, true);
}

// Uses are as far from their definition as blocks are nested.
TEST(Bounds, ValuesUsedFarDown) {
  for (int uses : {1, 40}) {
    Maker m;
    m.Function([&] {
      const uint32_t value = m.Id();
      m.Add(spv::Op::OpIAdd, {1, value, 1, 1});
      for (int i = 0; i < 5000; ++i) {
        const uint32_t next = m.Id();
        m.Branch(next);
        m.Label(next);
        for (int k = 0; k < uses; ++k) m.Add(spv::Op::OpIAdd, {1, m.Id(), value, value});
      }
    });
    if (uses == 40) {
      ExpectTooCostly(m, "most of them for control flow");
    } else {
      EXPECT_TRUE(CheckBounds(m.words, true).ok()) << CheckBounds(m.words, true);
    }
  }
}

// For each function the validator follows all calls: 600 functions that call all later ones took
// 1.4 s, a chain of 10,000 took 8.7 s. It compares entry points with each other: 15,000 took 2.4 s.
TEST(Bounds, CallsAndEntryPoints) {
  for (uint32_t functions : {1000, 5000}) {
    Maker m;
    for (uint32_t i = 0; i < functions; ++i) {
      m.Function([&] { m.Add(spv::Op::OpFunctionCall, {1, m.Id(), 5}); });
    }
    if (functions == 5000) {
      ExpectTooCostly(m, "most of them for calls");
    } else {
      EXPECT_TRUE(CheckBounds(m.words, true).ok()) << CheckBounds(m.words, true);
    }
  }
  Maker entries;  // of one function: each name is compared with the previous ones
  for (uint32_t i = 0; i < 20'000; ++i) entries.Add(spv::Op::OpEntryPoint, {5, 1, i, 0});
  entries.Function();
  ExpectTooCostly(entries, "most of them for entry points");
}

// The validator distinguishes equal types and constants by numbers, finding each by counting from
// 0: 5,000 pointers took 5.2 s.
TEST(Bounds, EqualTypes) {
  Maker equal, different;
  for (uint32_t i = 0; i < 5000; ++i) {
    equal.Add(spv::Op::OpTypePointer, {equal.Id(), 6, 1});
    different.Add(spv::Op::OpConstant, {1, different.Id(), i});
  }
  ExpectTooCostly(equal, "most of them for equal types");
  EXPECT_TRUE(CheckBounds(different.words, true).ok()) << CheckBounds(different.words, true);
}

// Emits a type that is a tree of `levels`, with two members each.
uint32_t Tree(Maker* m, int levels, bool pointers) {
  uint32_t type = m->Id();
  m->Add(spv::Op::OpTypeFloat, {type, 32});
  for (int i = 0; i < levels; ++i) {
    const uint32_t inner = m->Id(), outer = m->Id();
    if (pointers) m->Add(spv::Op::OpTypePointer, {inner, 7, type});
    if (!pointers) m->Add(spv::Op::OpTypeArray, {inner, type, 1});
    m->Add(spv::Op::OpTypeStruct, {outer, inner, inner});
    type = outer;
  }
  return type;
}

TEST(Bounds, TypesCountAsTrees) {
  for (bool pointers : {false, true}) {
    for (int levels : {12, 30, 2000}) {
      Maker m;
      Tree(&m, levels, pointers);
      if (levels == 12) {
        EXPECT_TRUE(CheckBounds(m.words, true).ok()) << CheckBounds(m.words, true);
      } else {
        ExpectTooCostly(m, "most of them for types nested in types");
      }
    }
  }
}

// 80 kB, 5,000 loads of a struct of 4,000 scalars, took 2 s.
TEST(Bounds, TypesAreWalkedForEachInstruction) {
  Maker m;
  const uint32_t type = Tree(&m, 11, false);
  m.Function([&] {
    for (int i = 0; i < 5000; ++i) m.Add(spv::Op::OpLoad, {type, m.Id(), 1});
  });
  ExpectTooCostly(m, "most of them for types nested in types");
}

// The elements of an array, and the arrays in them, are checked until an element's offset equals
// another's modulo 16 bytes: 12 levels (1 kB) with strides of 4 took 0.6 s, each further level four
// times that.
TEST(Bounds, ArraysOfStructsOfArrays) {
  constexpr uint32_t kArrayStride = 6;
  for (uint32_t stride : {4, 16}) {
    Maker m;
    uint32_t type = m.Id(), pointer = m.Id();
    m.Add(spv::Op::OpTypeFloat, {type, 32});
    for (int i = 0; i < 16; ++i) {
      const uint32_t array = m.Id(), outer = m.Id();
      m.Add(spv::Op::OpDecorate, {array, kArrayStride, stride});
      m.Add(spv::Op::OpTypeArray, {array, type, 1});
      m.Add(spv::Op::OpTypeStruct, {outer, array});
      type = outer;
    }
    m.Add(spv::Op::OpTypePointer, {pointer, 12, type});
    EXPECT_TRUE(CheckBounds(m.words, true).ok()) << CheckBounds(m.words, true);
    m.Add(spv::Op::OpVariable, {pointer, m.Id(), 12});
    if (stride == 4) {
      ExpectTooCostly(m, "most of them for types nested in types");
    } else {
      EXPECT_TRUE(CheckBounds(m.words, true).ok()) << CheckBounds(m.words, true);
    }
  }
}

// A large shader with `precise` everywhere, and a built-in whose id is the decoration's number.
TEST(Bounds, LiteralsOfDecorationsAreNoIds) {
  constexpr uint32_t kBuiltIn = 11, kGlobalInvocationId = 28, kNoContraction = 42, kInput = 1;
  Maker m;
  while (m.words[3] < kNoContraction) m.Id();
  const uint32_t builtin = m.Id();
  m.Add(spv::Op::OpDecorate, {builtin, kBuiltIn, kGlobalInvocationId});
  const uint32_t first = m.words[3];
  constexpr uint32_t kMany = 30'000;
  for (uint32_t i = 0; i < kMany; ++i) m.Add(spv::Op::OpDecorate, {m.Id(), kNoContraction});
  m.Add(spv::Op::OpVariable, {1, builtin, kInput});
  m.Function([&] {
    for (uint32_t i = 0; i < kMany; ++i) m.Add(spv::Op::OpFMul, {1, first + i, 1, 1});
  });
  EXPECT_TRUE(CheckBounds(m.words, true).ok()) << CheckBounds(m.words, true);
}

// 44 kB that took more than 40 s, and gigabytes: a built-in's checks are copied to every
// instruction that mentions it. And groups of decorations are applied to each target.
TEST(Bounds, Decorations) {
  constexpr uint32_t kBuiltIn = 11, kPosition = 0;
  for (uint32_t members : {10, 1000}) {
    Maker m;
    const uint32_t type = m.Id();
    for (uint32_t i = 0; i < members; ++i) {
      m.Add(spv::Op::OpMemberDecorate, {type, i, kBuiltIn, kPosition});
    }
    Words operands = {type};
    operands.resize(members + 1, 1);
    m.Add(spv::Op::OpTypeStruct, operands);
    if (members == 1000) {
      ExpectTooCostly(m, "most of them for decorations");
    } else {
      EXPECT_TRUE(CheckBounds(m.words, true).ok()) << CheckBounds(m.words, true);
    }
  }
  Maker m;
  const uint32_t group = m.Id();
  for (uint32_t i = 0; i < 5000; ++i) m.Add(spv::Op::OpDecorate, {group, 33, i});
  m.Add(spv::Op::OpDecorationGroup, {group});
  Words operands = {group};
  for (uint32_t i = 0; i < 5000; ++i) operands.push_back(m.Id());
  EXPECT_TRUE(CheckBounds(m.words, true).ok()) << CheckBounds(m.words, true);
  m.Add(spv::Op::OpGroupDecorate, operands);
  ExpectTooCostly(m, "most of them for decorations");
}

TEST(Bounds, AnyWordsAreSafe) {
  EXPECT_TRUE(CheckBounds({}, true).ok());
  Maker m;
  m.Function([&] { m.Nest(3, [] {}); });
  for (size_t n = 0; n < m.words.size(); ++n) {
    EXPECT_TRUE(CheckBounds(absl::MakeSpan(m.words).first(n), true).ok());
    Words flipped = m.words;
    for (int bit = 0; bit < 32; ++bit) {
      flipped[n] = m.words[n] ^ (1u << bit);
      (void)CheckBounds(flipped, true);
    }
  }
}

std::string Sum(int terms, const std::string& between = "+") {
  std::string text = "x";
  for (int i = 1; i < terms; ++i) text += between + "x";
  return text;
}

TEST(Bounds, GlslStatements) {
  EXPECT_TRUE(
      CheckGlslBounds({"a.comp", "void main() { uint x = 1; x = " + Sum(32'000) + "; }"}).ok());
  ExpectRefused(CheckGlslBounds({"a.comp", "void main() { uint x = 1; x = " + Sum(33'000) + "; }"}),
                "shader_too_large", "tokens of GLSL");
  // Comments, directives, blanks and long words are not many tokens, and statements end.
  const std::string comment = "/*" + Sum(40'000) + "*/";
  const std::string line = "// " + Sum(40'000, "\\\n+") + "\n";
  const std::string directive = " # define A " + Sum(40'000) + "\n";
  std::string statements;
  for (int i = 0; i < 20'000; ++i) statements += "x = x + 1.5e3;\n";
  EXPECT_TRUE(CheckGlslBounds({"a.comp", comment + line + directive + std::string(1 << 20, 'y') +
                                             std::string(1 << 20, ' ') + statements})
                  .ok());
  EXPECT_TRUE(CheckGlslBounds({"a.comp", "/*"}).ok());
  EXPECT_TRUE(CheckGlslBounds({"a.comp", ""}).ok());
  // Neither a NUL nor a # that is no directive hides the following text.
  ExpectRefused(CheckGlslBounds({"a.comp", std::string(1, '\0') + "\nx # " + Sum(40'000)}),
                "shader_too_large", "");
  ExpectRefused(CheckGlslBounds({"a.comp", "#\n" + Sum(40'000)}), "shader_too_large", "");
  // A carriage return ends a line as well.
  ExpectRefused(CheckGlslBounds({"a.comp", "#version 450\r" + Sum(40'000)}), "shader_too_large",
                "");
  ExpectRefused(CheckGlslBounds({"a.comp", "#\r\n" + Sum(40'000)}), "shader_too_large", "");
  EXPECT_TRUE(CheckGlslBounds({"a.comp", "#define x \\\r\n" + Sum(40'000) + "\r\n"}).ok());
}

TEST(Bounds, GlslBraces) {
  const auto nested = [](size_t depth) {
    return "const uint x = " + std::string(depth, '{') + "1" + std::string(depth, '}') + ";";
  };
  EXPECT_TRUE(CheckGlslBounds({"a.comp", nested(1024) + nested(1024)}).ok());
  ExpectRefused(CheckGlslBounds({"a.comp", nested(1025)}), "nesting_too_deep",
                "nested GLSL braces: 1025, at most 1024");
  // A brace that closes nothing does not hide the braces after it.
  ExpectRefused(CheckGlslBounds({"a.comp", std::string(2000, '}') + nested(3000)}),
                "nesting_too_deep", "");
}

// Refusals name the text, and the line on which the bound is exceeded.
TEST(Bounds, GlslRefusalsHaveALine) {
  const auto source = [](const std::string& text) {
    const SourceLine at = SourceOf(CheckGlslBounds({"lib/a.glsl", text}));
    return at.file + ":" + std::to_string(at.line);
  };
  EXPECT_EQ(source("\n/*\r\n*/ x =\n" + Sum(32'000) + "+\n" + Sum(32'000) + ";\ny;"),
            "lib/a.glsl:5");
  EXPECT_EQ(source(Sum(32'000) + "+\n" + Sum(32'000) + "; y;\n" + Sum(40'000)), "lib/a.glsl:2");
  EXPECT_EQ(source("a\rb" + std::string(1000, '{') + "\n" + std::string(30, '{')), "lib/a.glsl:3");
  EXPECT_EQ(source("{}"), ":0");
  const std::string large((16 << 20) + 1, ' ');
  const absl::Status status = CheckGlslBounds({"a.comp", large});
  ExpectRefused(status, "shader_too_large", "bytes of a GLSL text: 16777217, at most 16777216");
  EXPECT_EQ(SourceOf(status).file, "a.comp");
  EXPECT_EQ(SourceOf(status).line, 0u);
  EXPECT_TRUE(CheckGlslBounds({"a.comp", large.substr(1)}).ok());
}

TEST(Bounds, SizesOfGlsl) {
  const GlslSize most = MostGlsl();
  EXPECT_TRUE(CheckGlslSize(most).ok());
  const auto beyond = [&](uint64_t GlslSize::*what) {
    GlslSize size = most;
    ++(size.*what);
    return CheckGlslSize(size);
  };
  ExpectRefused(beyond(&GlslSize::tokens), "shader_too_large",
                "counted up to here: 1048577, at most 1048576");
  ExpectRefused(beyond(&GlslSize::statement), "shader_too_large",
                "in one statement: 65537, at most 65536");
  ExpectRefused(beyond(&GlslSize::cases), "shader_too_large",
                "pairs of cases of a GLSL switch: 8386561");
  ExpectRefused(beyond(&GlslSize::calls), "shader_too_large", "a called GLSL function: 4097");
  ExpectRefused(beyond(&GlslSize::lookups), "shader_too_large", "and overloads: 67108865");
  ExpectRefused(beyond(&GlslSize::arguments), "nesting_too_deep", "nested in arguments: 257");
  EXPECT_EQ(SourceOf(beyond(&GlslSize::calls)).file, "");
  GlslSize there = most;
  ++there.calls;
  there.file = "a.comp";
  there.line = 7;
  EXPECT_EQ(SourceOf(CheckGlslSize(there)).file, "a.comp");
  EXPECT_EQ(SourceOf(CheckGlslSize(there)).line, 7u);
}

}  // namespace
}  // namespace kiln::front
