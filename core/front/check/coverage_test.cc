// Compares coverage.def with the importer, row by row: a refused feature is refused by its cause
// where an entry point uses it, and only there; a supported one is never refused.
#include "core/front/check/coverage.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/base/cause.h"
#include "core/front/check/refusal.h"
#include "core/front/grammar/spirv_grammar.h"
#include "core/front/testing/testing.h"

namespace kiln::front {
namespace {

using Words = std::vector<uint32_t>;

// Inserts an instruction before the final OpReturn of the only function, or replaces that.
Words WithInstruction(Words words, const Words& inst, bool replace_return) {
  size_t at = 5;
  size_t ret = 0;
  while (at < words.size()) {
    if ((words[at] & 0xffff) == static_cast<uint32_t>(spv::Op::OpReturn)) ret = at;
    at += words[at] >> 16;
  }
  if (replace_return) words.erase(words.begin() + ret);
  words.insert(words.begin() + ret, inst.begin(), inst.end());
  return words;
}

bool EndsBlock(spv::Op op) {
  return op == spv::Op::OpKill || op == spv::Op::OpTerminateInvocation ||
         op == spv::Op::OpEmitMeshTasksEXT || op == spv::Op::OpIgnoreIntersectionKHR ||
         op == spv::Op::OpTerminateRayKHR;
}

// Makes an instruction of the opcode with many operands, all the id `operand`.
Words MakeInstruction(spv::Op op, uint32_t type, uint32_t result, uint32_t operand) {
  const InstructionLayout* layout = LayoutOf(op);
  Words inst = {0};
  if (layout != nullptr && layout->has_type) inst.push_back(type);
  if (layout != nullptr && layout->has_result) inst.push_back(result);
  inst.resize(24, operand);  // more than any opcode needs
  inst[0] = 24u << 16 | static_cast<uint32_t>(op);
  return inst;
}

// Ids that every kernel has, found by assembling with numeric names for the few needed.
struct Frame {
  Words words;
  uint32_t uint_type = 0;
  uint32_t value = 0;
};

Frame MakeFrame() {
  Frame frame;
  frame.words = Assemble(KernelAssembly("", "%result = OpIAdd %uint %x %u_1\n"));
  size_t at = 5;
  while (at < frame.words.size()) {
    const auto op = static_cast<spv::Op>(frame.words[at] & 0xffff);
    if (op == spv::Op::OpIAdd) {
      frame.uint_type = frame.words[at + 1];
      frame.value = frame.words[at + 2];
    }
    at += frame.words[at] >> 16;
  }
  return frame;
}

// A fragment or vertex shader that stores a uint, of which %10 is one, at location 0.
std::string GraphicsAssembly(const std::string& model, const std::string& declarations,
                             const std::string& main, const std::string& modes) {
  return R"(
    OpCapability Shader
    %glsl = OpExtInstImport "GLSL.std.450"
    OpMemoryModel Logical GLSL450
    OpEntryPoint )" +
         model + R"( %1 "main"
    )" + modes +
         R"(
    OpDecorate %2 Location 0
    OpDecorate %3 Location 0
    )" + declarations.substr(0, declarations.find('|')) +
         R"(
    %4 = OpTypeVoid
    %5 = OpTypeFunction %4
    %6 = OpTypeInt 32 0
    %7 = OpTypePointer Input %6
    %8 = OpTypePointer Output %6
    %2 = OpVariable %7 Input
    %3 = OpVariable %8 Output
    )" + declarations.substr(declarations.find('|') + 1) +
         R"(
    %1 = OpFunction %4 None %5
    %9 = OpLabel
    %10 = OpLoad %6 %2
    )" + main +
         R"(
    OpStore %3 %10
    OpReturn
    OpFunctionEnd)";
}

std::string FragmentAssembly(const std::string& declarations, const std::string& main,
                             const std::string& modes = "") {
  return GraphicsAssembly("Fragment", declarations, main,
                          "OpExecutionMode %1 OriginUpperLeft\n" + modes);
}

TEST(Coverage, CausesHaveRowsOfTheirTable) {
  for (const CoverageRow& row : CoverageTable()) {
    EXPECT_TRUE(row.cause.empty() || FindCause(row.cause) != nullptr) << row.name << row.cause;
  }
  EXPECT_GT(CoverageTable().size(), 900u);
}

TEST(Coverage, RowsAreNamed) {
  EXPECT_EQ(NamedRow("built-in variable", "builtin", 42), "built-in variable VertexIndex");
  EXPECT_EQ(NamedRow("execution mode", "execution_mode", 17), "execution mode LocalSize");
  EXPECT_EQ(NamedRow("execution mode", "execution_mode", 999999), "execution mode 999999");
}

TEST(Coverage, InstructionsAreRefusedByTheTable) {
  const Frame frame = MakeFrame();
  int refused = 0;
  int accepted = 0;
  for (const CoverageRow& row : CoverageTable()) {
    if (row.kind != "instruction") continue;
    SCOPED_TRACE(row.name);
    const auto op = static_cast<spv::Op>(row.number);
    Words words = WithInstruction(frame.words,
                                  MakeInstruction(op, frame.uint_type, frame.words[3], frame.value),
                                  EndsBlock(op));
    words[3] += 1;
    const auto module = ImportSpirv(words, {});
    if (!row.cause.empty()) {
      EXPECT_EQ(RefusalCause(module.status()), row.cause) << module.status();
      ++refused;
      continue;
    }
    EXPECT_EQ(RefusalCause(module.status()), "") << module.status();
    ++accepted;
  }
  EXPECT_GT(refused, 150);
  EXPECT_GT(accepted, 150);
}

// All stages share one table.
TEST(Coverage, InstructionsOfGraphicsStagesAreRefusedByTheTable) {
  const Words stages[] = {Assemble(FragmentAssembly("|", "")),
                          Assemble(GraphicsAssembly("Vertex", "|", "", ""))};
  for (const Words& stage : stages) {
    for (const CoverageRow& row : CoverageTable()) {
      if (row.kind != "instruction") continue;
      SCOPED_TRACE(row.name);
      const auto op = static_cast<spv::Op>(row.number);
      Words words = WithInstruction(stage, MakeInstruction(op, 6, stage[3], 10), EndsBlock(op));
      words[3] += 1;
      const auto module = ImportSpirv(words, {});
      EXPECT_EQ(RefusalCause(module.status()), row.cause) << module.status();
    }
  }
}

TEST(Coverage, OpcodesWithoutARowAreRefused) {
  const Frame frame = MakeFrame();
  for (const uint32_t op : {5282u, 5600u, 6405u, 65000u}) {
    const auto opcode = static_cast<spv::Op>(op);
    Words words = WithInstruction(
        frame.words, MakeInstruction(opcode, frame.uint_type, frame.words[3], frame.value), false);
    words[3] += 1;
    const auto module = ImportSpirv(words, {});
    EXPECT_EQ(module.status().code(), absl::StatusCode::kUnimplemented) << op << module.status();
  }
}

TEST(Coverage, GlslInstructions) {
  const Words words =
      Assemble(KernelAssembly("", "%result = OpExtInst %uint %glsl UMin %x %u_1\n"));
  size_t at = 5;
  while ((words[at] & 0xffff) != static_cast<uint32_t>(spv::Op::OpExtInst)) at += words[at] >> 16;
  for (const CoverageRow& row : CoverageTable()) {
    if (row.kind != "glsl_std_450") continue;
    SCOPED_TRACE(row.name);
    Words changed = words;
    changed[at + 4] = row.number;
    const auto module = ImportSpirv(changed, {});
    EXPECT_EQ(RefusalCause(module.status()), row.cause) << module.status();
  }
}

// A declaration alone refuses nothing, except OpenCL's and those newer than the headers, whose
// effects are unknown.
TEST(Coverage, DeclaredCapabilitiesDoNotRefuse) {
  for (const CoverageRow& row : CoverageTable()) {
    if (row.kind != "capability") continue;
    SCOPED_TRACE(row.name);
    Words words = MakeFrame().words;
    const Words declaration = {2u << 16 | static_cast<uint32_t>(spv::Op::OpCapability), row.number};
    words.insert(words.begin() + 5, declaration.begin(), declaration.end());
    const auto module = ImportVerified(words);
    if (row.name == "Kernel" || NewerRowOf("Capability", row.number) != nullptr) {
      EXPECT_EQ(RefusalCause(module.status()), row.cause) << module.status();
    } else {
      EXPECT_TRUE(module.ok()) << module.status();
    }
  }
}

TEST(Coverage, Builtins) {
  for (const CoverageRow& row : CoverageTable()) {
    if (row.kind != "builtin") continue;
    SCOPED_TRACE(row.name);
    Words words =
        Assemble(KernelAssembly("OpDecorate %b BuiltIn PrimitiveId\n%b = OpVariable %p_in Input\n",
                                "%result = OpLoad %uint %b\n"));
    for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
      if ((words[at] & 0xffff) == static_cast<uint32_t>(spv::Op::OpDecorate) &&
          words[at + 2] == static_cast<uint32_t>(spv::Decoration::BuiltIn) &&
          words[at + 3] == static_cast<uint32_t>(spv::BuiltIn::PrimitiveId)) {
        words[at + 3] = row.number;
      }
    }
    const auto module = ImportSpirv(words, {});
    EXPECT_EQ(RefusalCause(module.status()), row.cause) << module.status();
  }
}

// Checks built-ins as inputs, and as outputs.
void CheckBuiltins(const std::string& model, const std::string& modes, bool output) {
  for (const CoverageRow& row : CoverageTable()) {
    if (row.kind != "builtin") continue;
    SCOPED_TRACE(row.name);
    Words words = Assemble(
        GraphicsAssembly(model,
                         std::string("OpDecorate %11 BuiltIn PrimitiveId\n|%11 = OpVariable ") +
                             (output ? "%8 Output\n" : "%7 Input\n"),
                         output ? "OpStore %11 %10\n" : "%12 = OpLoad %6 %11\n", modes));
    for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
      if ((words[at] & 0xffff) == static_cast<uint32_t>(spv::Op::OpDecorate) &&
          words[at + 2] == static_cast<uint32_t>(spv::Decoration::BuiltIn)) {
        words[at + 3] = row.number;
      }
    }
    const auto module = ImportSpirv(words, {});
    EXPECT_EQ(RefusalCause(module.status()), row.cause) << module.status();
  }
}

TEST(Coverage, BuiltinsOfGraphicsStages) {
  CheckBuiltins("Fragment", "OpExecutionMode %1 OriginUpperLeft\n", false);
  CheckBuiltins("Fragment", "OpExecutionMode %1 OriginUpperLeft\n", true);
  CheckBuiltins("Vertex", "", false);
  CheckBuiltins("Vertex", "", true);
}

TEST(Coverage, StorageClasses) {
  for (const CoverageRow& row : CoverageTable()) {
    if (row.kind != "storage_class" || row.name == "Function") continue;
    SCOPED_TRACE(row.name);
    const char* accesses[] = {"%l = OpLoad %uint %b\n%result = OpIAdd %uint %l %x\n",
                              "%result = OpIAdd %uint %x %x\n"};
    for (int used = 0; used < 2; ++used) {
      Words words = Assemble(KernelAssembly(
          "%p_b = OpTypePointer Private %uint\n%b = OpVariable %p_b Private\n", accesses[used]));
      for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
        const auto op = static_cast<spv::Op>(words[at] & 0xffff);
        const auto is_private = static_cast<uint32_t>(spv::StorageClass::Private);
        if (op == spv::Op::OpTypePointer && words[at + 2] == is_private) words[at + 2] = row.number;
        if (op == spv::Op::OpVariable && words[at + 3] == is_private) words[at + 3] = row.number;
      }
      const auto module = ImportSpirv(words, {});
      EXPECT_EQ(RefusalCause(module.status()), used == 0 ? row.cause : "") << module.status();
    }
  }
}

TEST(Coverage, ExecutionModels) {
  for (const CoverageRow& row : CoverageTable()) {
    if (row.kind != "execution_model") continue;
    SCOPED_TRACE(row.name);
    Words words = MakeFrame().words;
    for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
      if ((words[at] & 0xffff) == static_cast<uint32_t>(spv::Op::OpEntryPoint)) {
        words[at + 1] = row.number;
      }
    }
    EXPECT_EQ(RefusalCause(ImportSpirv(words, {}).status()), row.cause);
  }
}

void CheckModes(const std::string& model, const std::string& modes) {
  for (const CoverageRow& row : CoverageTable()) {
    if (row.kind != "execution_mode") continue;
    SCOPED_TRACE(row.name);
    Words words =
        Assemble(GraphicsAssembly(model, "|", "", modes + "OpExecutionMode %1 LocalSize 8 1 1"));
    for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
      if ((words[at] & 0xffff) == static_cast<uint32_t>(spv::Op::OpExecutionMode) &&
          words[at] >> 16 == 6) {
        words[at + 2] = row.number;
        words[at + 3] = 8;
      }
    }
    EXPECT_EQ(RefusalCause(ImportSpirv(words, {}).status()), row.cause);
  }
}

TEST(Coverage, ExecutionModesOfGraphicsStages) {
  CheckModes("Fragment", "OpExecutionMode %1 OriginUpperLeft\n");
  CheckModes("Vertex", "");
}

TEST(Coverage, ExecutionModes) {
  for (const CoverageRow& row : CoverageTable()) {
    // Modes with operands that are ids are tested by local_size_test.cc and float_limits_test.cc.
    if (row.kind != "execution_mode" || row.name == "LocalSizeId" ||
        row.name == "FPFastMathDefault") {
      continue;
    }
    SCOPED_TRACE(row.name);
    Words words = MakeFrame().words;
    size_t at = 5;
    while ((words[at] & 0xffff) != static_cast<uint32_t>(spv::Op::OpExecutionMode)) {
      at += words[at] >> 16;
    }
    const Words mode = {6u << 16 | static_cast<uint32_t>(spv::Op::OpExecutionMode),
                        words[at + 1],
                        row.number,
                        8,
                        1,
                        1};
    words.insert(words.begin() + at, mode.begin(), mode.end());
    const auto module = ImportSpirv(words, {});
    EXPECT_EQ(RefusalCause(module.status()), row.cause) << module.status();
  }
}

}  // namespace
}  // namespace kiln::front
