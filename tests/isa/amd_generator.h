// Makes random well-formed instructions of gfx1030, for judges of encoder, decoder, text and
// verifier.
//
// The rules for operands are the generator's own: it does not call core/amd/isa/verify, which is
// under test.
#ifndef KILN_TESTS_ISA_AMD_GENERATOR_H_
#define KILN_TESTS_ISA_AMD_GENERATOR_H_

#include <random>

#include "core/amd/isa/fields.h"
#include "core/amd/isa/instruction.h"

namespace kiln::tests {

class AmdGenerator {
 public:
  AmdGenerator(uint32_t seed, amd::isa::Wave wave) : rng_(seed), wave_(wave) {}

  // Returns an instruction of this opcode in this form, which it must have.
  amd::isa::Instruction Make(amd::isa::Opcode op, amd::isa::Form form);

  std::mt19937& rng() { return rng_; }

 private:
  int Pick(int n) { return static_cast<int>(rng_() % static_cast<uint32_t>(n)); }
  bool Chance(int percent) { return Pick(100) < percent; }
  amd::isa::Operand VgprTuple(int dwords);
  amd::isa::Operand ScalarTuple(int dwords, bool destination);
  amd::isa::Operand Constant(amd::isa::Type type);
  amd::isa::Operand ScalarSource(amd::isa::Type type);
  amd::isa::Operand VectorSource(int i);
  uint32_t LiteralFor(amd::isa::Type type);
  void ScalarAlu();
  bool LiesOverASource() const;  // the result of a vector instruction
  void VectorAlu();
  void VectorOperands(bool long_form);
  void VectorModifiers(bool long_form);
  void Dpp();
  void Sdwa();
  void Interpolation();
  void ScalarMemory();
  void Lds();
  void Buffer();
  void Image();
  void Flat();
  void Export();
  int dwords(amd::isa::Type type) const;

  std::mt19937 rng_;
  const amd::isa::Wave wave_;
  amd::isa::Instruction inst_;  // the one that is being made
  const amd::isa::OpcodeInfo* info_ = nullptr;
  int scalars_left_ = 0;  // on the constant bus
  bool literal_left_ = false;
};

}  // namespace kiln::tests

#endif  // KILN_TESTS_ISA_AMD_GENERATOR_H_
