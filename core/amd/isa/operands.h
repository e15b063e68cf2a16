// Lists what an instruction reads and writes: every operand with its registers, and the implicit
// ones.
//
// The one place that says so: verifier, cost model and simulator ask here.
#ifndef KILN_CORE_AMD_ISA_OPERANDS_H_
#define KILN_CORE_AMD_ISA_OPERANDS_H_

#include <array>
#include <cassert>
#include <cstdint>
#include <type_traits>

#include "absl/types/span.h"
#include "core/amd/isa/fields.h"
#include "core/amd/isa/instruction.h"

namespace kiln::amd::isa {

struct OperandUse {
  Operand operand;       // implicit ones by their codes: vcc, exec, m0, scc
  Type type = Type::kN;  // kN of implicit ones
  uint8_t dwords = 1;    // registers from `operand` on; 0 for scc
  bool read = false;
  bool written = false;
  bool implicit = false;
  Member member = Member::kDst;  // where it is encoded, unless implicit; NSA parts say kSrc0
};

class OperandUses {
 public:
  // dst, sdst, 4 sources, 12 parts of an address, 4 implicit registers.
  static constexpr int kMax = 22;

  OperandUses() {}  // NOLINT(modernize-use-equals-default): that would fill all places

  void Add(const OperandUse& use) {
    assert(count_ < kMax);
    uses_[static_cast<size_t>(count_++)] = use;
  }
  const OperandUse* begin() const { return uses_.data(); }
  const OperandUse* end() const { return uses_.data() + count_; }

 private:
  static_assert(std::is_trivially_copyable_v<OperandUse>);
  union {
    std::array<OperandUse, kMax> uses_;  // the first count_ are set
  };
  int count_ = 0;
};

// Returns the operands in the order of encoding, then the implicit registers. Constants and
// literals are among the sources. `read` of a destination says only whether the opcode reads it:
// callers add what exec, DPP and SDWA leave as it was.
OperandUses OperandsOf(const Instruction& inst, Wave wave);

// Returns the registers of a lane mask.
constexpr int MaskDwords(Wave wave) { return wave == Wave::k64 ? 2 : 1; }

// Returns the dwords of a type in this wave; kData and kAddr have none of their own.
constexpr int Dwords(Type type, Wave wave) {
  return type == Type::kMask ? MaskDwords(wave) : Dwords(type);
}

// Returns the registers of texels that an image instruction reads or writes, with the status that
// tfe and lwe add. A dmask of 0 counts as one channel.
int ImageDataDwords(const Instruction& inst);

// Returns the registers of its address: offset, bias, compare, derivatives, coordinates, lod.
// With a16, coordinates and lod take halves; with the g16 opcodes, derivatives do. 0 for a
// dimension that does not exist. Sources: ISA guide and table "Image opcodes"; sizes of every
// opcode as llvm-mc 19 has them.
int ImageAddressDwords(const Instruction& inst);

// Returns true if the instruction reads exec, as all vector instructions do but few.
bool ReadsExec(const OpcodeInfo& info);

// Returns true if a ttmp is written, which takes the privilege that trap handlers alone have (ISA
// guide, 3.10).
bool WritesTrapRegisters(const OperandUses& uses);

// Returns true for v_qsad and v_mqsad with a result over a source: they write parts of the result
// before they have read all sources (LLVM and Mesa keep them apart: ERRATA.md).
bool OverlapsSumsOfDifferences(const Instruction& inst, Wave wave);

// Returns true for a store or an atomic with DLC, which they do not support: they bypass L1 in any
// case, and the bit can hang the machine (Mesa 25.0.7, README-ISA.md, "RDNA L0, L1 cache and DLC,
// GLC bits").
bool HasDlcOfStores(const Instruction& inst);

}  // namespace kiln::amd::isa

#endif  // KILN_CORE_AMD_ISA_OPERANDS_H_
