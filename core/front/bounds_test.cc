// Each bound: what is on it passes, what is above it is refused by the row's cause and number.
// Modules are made of words: only counts matter here.
#include "core/front/bounds.h"

#include <functional>
#include <string>
#include <vector>

#include "core/base/cause.h"
#include "core/front/spirv_enums.h"
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
  // `depth` ifs around `inside`.
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

TEST(Bounds, Nesting) {
  for (int depth : {256, 257}) {
    Maker m;
    const uint32_t f = m.Function([&] { m.Nest(depth, [] {}); });
    const absl::Status status = CheckBounds(m.words, false);
    EXPECT_EQ(status.ok(), depth == 256);
    if (depth == 256) continue;
    ExpectRefused(status, "nesting_too_deep", "257 nested");
    EXPECT_EQ(SpirvIdOf(status), f);
  }
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
}

// What was reported, with the validator's seconds: 60 ifs around 2,500 (15), 8,000 loops (10), 600
// nested ifs (6); and smaller ones, which pass.
TEST(Bounds, ControlFlowThatTheValidatorIsQuadraticIn) {
  Maker around, loops, chain, small;
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
  small.Function([&] {
    small.Nest(60, [&] { small.Ifs(100); });
    for (int i = 0; i < 300; ++i) small.Loop();
    small.Ifs(500);
  });
  for (const Maker* m : {&around, &loops, &chain}) {
    ExpectRefused(CheckBounds(m->words, true), "shader_too_large", "steps to check control flow");
    EXPECT_TRUE(CheckBounds(m->words, false).ok());  // the importer is linear in these
  }
  EXPECT_TRUE(CheckBounds(small.words, true).ok()) << CheckBounds(small.words, true);
}

TEST(Bounds, FunctionsAndEntryPoints) {
  Maker m;
  for (uint64_t i = 0; i < Most(Bound::kFunctions); ++i) m.Function();
  EXPECT_TRUE(CheckBounds(m.words, true).ok());
  Maker entries = m;
  m.Function();
  ExpectRefused(CheckBounds(m.words, true), "shader_too_large", "4097 functions");
  for (uint64_t i = 0; i <= Most(Bound::kEntryPointFunctions) / Most(Bound::kFunctions); ++i) {
    entries.Add(spv::Op::OpEntryPoint, {5, 1, 0});
  }
  ExpectRefused(CheckBounds(entries.words, true), "shader_too_large", "entry points");
}

TEST(Bounds, Types) {
  Maker m;
  for (uint64_t i = 0; i <= Most(Bound::kTypes); ++i) m.Add(spv::Op::OpTypePointer, {m.Id(), 6, 1});
  ExpectRefused(CheckBounds(m.words, true), "shader_too_large", "4097 types");
}

TEST(Bounds, StructsCountAsTrees) {
  for (int levels : {16, 60, 2000}) {
    Maker m;
    uint32_t type = m.Id();
    m.Add(spv::Op::OpTypeFloat, {type, 32});
    for (int i = 0; i < levels; ++i) {
      const uint32_t array = m.Id(), outer = m.Id();
      m.Add(spv::Op::OpTypeArray, {array, type, 1});
      m.Add(spv::Op::OpTypeStruct, {outer, array, array});
      type = outer;
    }
    const absl::Status status = CheckBounds(m.words, true);
    if (levels == 16) {
      EXPECT_TRUE(status.ok()) << status;
    } else {
      ExpectRefused(status, "shader_too_large", "members of structs");
    }
  }
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
  EXPECT_TRUE(CheckGlslBounds("void main() { uint x = 1; x = " + Sum(32'000) + "; }").ok());
  ExpectRefused(CheckGlslBounds("void main() { uint x = 1; x = " + Sum(33'000) + "; }"),
                "shader_too_large", "tokens of GLSL");
  // Neither comments, directives, blanks nor long words are many tokens, and statements end.
  const std::string comment = "/*" + Sum(40'000) + "*/";
  const std::string line = "// " + Sum(40'000, "\\\n+") + "\n";
  const std::string directive = " # define A " + Sum(40'000) + "\n";
  std::string statements;
  for (int i = 0; i < 20'000; ++i) statements += "x = x + 1.5e3;\n";
  EXPECT_TRUE(CheckGlslBounds(comment + line + directive + std::string(1 << 20, 'y') +
                              std::string(1 << 20, ' ') + statements)
                  .ok());
  EXPECT_TRUE(CheckGlslBounds("/*").ok());
  EXPECT_TRUE(CheckGlslBounds("").ok());
  // A NUL does not hide what follows, nor does a # that is no directive.
  ExpectRefused(CheckGlslBounds(std::string(1, '\0') + "\nx # " + Sum(40'000)), "shader_too_large",
                "");
  ExpectRefused(CheckGlslBounds("#\n" + Sum(40'000)), "shader_too_large", "");
}

}  // namespace
}  // namespace kiln::front
