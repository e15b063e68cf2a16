// Fuzz target: feeds arbitrary words to the importer, without a validator before it, and to the
// function that makes the older form for the validator (newer.h). The importer must end in an error
// or in MIR that verifies; an INTERNAL error is a bug too. The older form, if there is one, is
// imported under the same rule.
//
// Under libFuzzer, most mutations are of instructions: operands exchanged for other words of the
// module; instructions moved, removed, repeated, or made of any opcode of SPIR-V, mostly of those
// newer than the validator. Random bytes seldom get past the reader.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "core/front/check/coverage.h"
#include "core/front/check/newer.h"
#include "core/front/grammar/spirv_grammar.h"
#include "core/front/import.h"
#include "core/mir/verify.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size)
    __attribute__((weak));

namespace {

using Words = std::vector<uint32_t>;

Words ToWords(const uint8_t* data, size_t size) {
  Words words(size / 4);
  if (!words.empty()) std::memcpy(words.data(), data, words.size() * 4);
  return words;
}

struct Random {
  uint64_t state;
  uint32_t Below(size_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>((state >> 33) % n);
  }
};

// Returns the word offsets of the instructions, up to the first invalid length.
std::vector<uint32_t> Instructions(const Words& words) {
  std::vector<uint32_t> starts;
  for (size_t at = 5; at < words.size();) {
    const uint32_t count = words[at] >> 16;
    if (count == 0 || at + count > words.size()) break;
    starts.push_back(static_cast<uint32_t>(at));
    at += count;
  }
  return starts;
}

// Declarations of newer features whose instructions are compiled: a capability and an extension. If
// the extension has no capability of its own, the row has an older one.
constexpr struct {
  spv::Capability capability;
  const char* extension;
} kDeclarations[] = {
    {spv::Capability::QuadControlKHR, "SPV_KHR_quad_control"},
    {spv::Capability::ReplicatedCompositesEXT, "SPV_EXT_replicated_composites"},
    {spv::Capability::FloatControls2, "SPV_KHR_float_controls2"},
    {spv::Capability::ComputeDerivativeGroupQuadsNV, "SPV_KHR_compute_shader_derivatives"},
    {spv::Capability::ExpectAssumeKHR, "SPV_KHR_expect_assume"},
    {spv::Capability::Int64, "SPV_KHR_relaxed_extended_instruction"},
    {spv::Capability::Int16, "SPV_KHR_maximal_reconvergence"},
    {spv::Capability::ImageGatherExtended, "SPV_KHR_non_semantic_info"},
};

constexpr spv::ExecutionMode kModes[] = {
    spv::ExecutionMode::QuadDerivativesKHR, spv::ExecutionMode::RequireFullQuadsKHR,
    spv::ExecutionMode::MaximallyReconvergesKHR, spv::ExecutionMode::FPFastMathDefault,
    spv::ExecutionMode::DerivativeGroupQuadsNV};

constexpr spv::Op kNewerOps[] = {spv::Op::OpExtInstWithForwardRefsKHR,
                                 spv::Op::OpConstantCompositeReplicateEXT,
                                 spv::Op::OpSpecConstantCompositeReplicateEXT,
                                 spv::Op::OpCompositeConstructReplicateEXT,
                                 spv::Op::OpGroupNonUniformQuadAllKHR,
                                 spv::Op::OpGroupNonUniformQuadAnyKHR,
                                 spv::Op::OpBitCount,
                                 spv::Op::OpBitReverse,
                                 spv::Op::OpBitFieldInsert,
                                 spv::Op::OpBitFieldUExtract,
                                 spv::Op::OpBitFieldSExtract,
                                 spv::Op::OpExpectKHR,
                                 spv::Op::OpAssumeTrueKHR};

Words Instruction(spv::Op op, Words operands) {
  operands.insert(operands.begin(),
                  static_cast<uint32_t>(operands.size() + 1) << 16 | static_cast<uint32_t>(op));
  return operands;
}

// Inserts a declaration of a newer feature before all others.
void Declare(Words* words, Random* random) {
  const auto& what = kDeclarations[random->Below(std::size(kDeclarations))];
  Words text((std::strlen(what.extension) + 4) / 4);
  std::memcpy(text.data(), what.extension, std::strlen(what.extension));
  const Words extension = Instruction(spv::Op::OpExtension, text);
  const Words capability =
      Instruction(spv::Op::OpCapability, {static_cast<uint32_t>(what.capability)});
  words->insert(words->begin() + 5, extension.begin(), extension.end());
  words->insert(words->begin() + 5, capability.begin(), capability.end());
}

// Inserts an execution mode, or an instruction of any opcode, before the one at `at`: operands are
// ids of the module, or small numbers where literals are likely.
void InsertInstruction(Words* words, size_t at, Random* random) {
  const auto id = [&] { return random->Below((*words)[3] % 4096 + 1); };
  Words inst;
  if (random->Below(8) == 0) {
    const auto mode = static_cast<uint32_t>(kModes[random->Below(std::size(kModes))]);
    inst = Instruction(spv::Op::OpExecutionMode, {id(), mode, id(), id()});
  } else {
    const auto rows = kiln::front::InstructionLayouts();
    const spv::Op op = random->Below(2) == 0
                           ? kNewerOps[random->Below(std::size(kNewerOps))]
                           : static_cast<spv::Op>(rows[random->Below(rows.size())].opcode);
    const auto& layout = *kiln::front::LayoutOf(op);
    Words operands(layout.least_words - 1 + random->Below(3));
    for (uint32_t& operand : operands) operand = random->Below(6) == 0 ? random->Below(32) : id();
    const size_t result = layout.ResultWord();
    if (result != 0 && result <= operands.size()) operands[result - 1] = (*words)[3]++;
    inst = Instruction(op, operands);
  }
  words->insert(words->begin() + static_cast<ptrdiff_t>(at), inst.begin(), inst.end());
}

void MutateInstruction(Words* words, Random* random) {
  const std::vector<uint32_t> starts = Instructions(*words);
  if (starts.empty()) return;
  const uint32_t a = starts[random->Below(starts.size())];
  const uint32_t b = starts[random->Below(starts.size())];
  const uint32_t length_a = (*words)[a] >> 16;
  const uint32_t length_b = (*words)[b] >> 16;
  const Words copy(words->begin() + b, words->begin() + b + length_b);
  switch (random->Below(11)) {
    case 8:
    case 9: InsertInstruction(words, a, random); break;
    case 10: Declare(words, random); break;
    case 0: words->erase(words->begin() + a, words->begin() + a + length_a); break;
    case 1:  // repeat, with a new result id at its most frequent position
      words->insert(words->begin() + a, copy.begin(), copy.end());
      if (length_b > 2) (*words)[a + 2] = (*words)[3]++;
      break;
    case 2:
      if (length_a == length_b) {
        std::swap_ranges(words->begin() + a, words->begin() + a + length_a, words->begin() + b);
      }
      break;
    case 3:  // another opcode of the same length
      if (length_a == length_b) (*words)[a] = (*words)[b];
      break;
    case 4:
      if (length_a > 1) (*words)[a + 1 + random->Below(length_a - 1)] = random->Below(16);
      break;
    default:  // replace an operand by another word of the module
      if (length_a > 1) {
        (*words)[a + 1 + random->Below(length_a - 1)] = random->Below(2) == 0
                                                            ? (*words)[random->Below(words->size())]
                                                            : random->Below((*words)[3] % 4096 + 1);
      }
      break;
  }
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  Random random{seed};
  if (size < 24 || random.Below(5) == 0) return LLVMFuzzerMutate(data, size, max_size);
  Words words = ToWords(data, size);
  for (uint32_t n = 1 + random.Below(3); n > 0; --n) MutateInstruction(&words, &random);
  const size_t bytes = std::min(words.size() * 4, max_size);
  std::memcpy(data, words.data(), bytes);
  return bytes;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  kiln::front::ImportOptions options;
  options.max_instructions = 20000;
  const Words words = ToWords(data, size);
  const auto older = kiln::front::OlderFormOf(words);
  if (older.ok()) {
    const auto of_older = kiln::front::ImportSpirv(older->words, options);
    if (of_older.status().code() == absl::StatusCode::kInternal) std::abort();
  }
  const auto module = kiln::front::ImportSpirv(words, options);
  absl::Status status = module.status();
  if (module.ok()) {
    status = kiln::mir::Verify(*module);
  } else if (status.code() != absl::StatusCode::kInternal) {
    return 0;
  }
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    std::abort();
  }
  return 0;
}
