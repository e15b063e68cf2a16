// Kernels whose operands have unusual widths: the widths that SPIR-V 1.6 and Vulkan 1.3 allow for
// each operand, as test data.
//
// An index, count, exponent, lane number, coordinate or selector may be an integer of 8, 16, 32 or
// 64 bits where the specification names no width. Sources: SPIR-V 1.6 (unified), the operand lists
// of the instructions; "SPIR-V Extended Instructions for GLSL" 1.00; SPV_KHR_subgroup_rotate; the
// rules of SPIRV-Tools' validator, which names the widths that Vulkan requires.
//
// | operand | bits | read as | if it does not fit 32 bits |
// |---|---|---|---|
// | Shift of a shift | 8 to 64 | unsigned | undefined |
// | Offset, Count of a bit field | 8 to 64 | unsigned | undefined |
// | Indexes of an access chain; Element | 8 to 64 | signed | out of bounds |
// | Index of a vector's component | 8 to 64 | by its type | undefined |
// | Selector and literals of a switch | 8 to 64 | bits | compared whole |
// | Coordinate, Lod, Sample of a fetch, read, write | 8 to 64 | by its type | outside |
// | Offset of a fetch, sample or gather | 8 to 64 | by its type | constants are refused |
// | Coordinate, Lod, Bias, Grad, Min Lod of a sample | 16, 32 | float | - |
// | results of image queries | 8 to 64 | unsigned | - |
// | Id, Mask, Delta, Index of group operations | 8 to 64 | unsigned | undefined; Rotate wraps |
// | results of BallotBitCount, FindLSB, FindMSB | 8 to 64 | unsigned | - |
// | ClusterSize, Direction: constants | 8 to 64 | unsigned | invalid |
// | exp of Ldexp | 8 to 64 | signed | 0 or infinity |
// | operand of FindILsb | 8 to 64 | bits | - |
// | result of an integer dot product, accumulator | 8 to 64 | by the instruction | - |
// | operands of IAddCarry, ISubBorrow, U- and SMulExtended | 8 to 64 | by the instruction | - |
// | Value of an atomic, as its pointee | 32, 64 | - | - |
// | exp of Frexp and FrexpStruct; operand of FindSMsb, FindUMsb | 32 | - | - |
// | scopes, memory semantics, workgroup size | 32 | - | - |
// | Sample of InterpolateAtSample, Component of a gather | 32 | - | - |
#ifndef KILN_CORE_FRONT_TESTING_OPERAND_WIDTHS_H_
#define KILN_CORE_FRONT_TESTING_OPERAND_WIDTHS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace kiln::front {

struct OperandCase {
  std::string name;
  std::string types;  // see KernelAssembly (testing.h)
  std::string main;   // sets %result for the invocation %id with the input %x
  uint32_t (*expected)(uint32_t x, uint32_t id);
};

// Returns the kernel of a case, as SPIR-V text.
std::string OperandKernel(const OperandCase& c);

// Words that the kernels read, one for each of 32 invocations: both signs, and values around the
// ends of 8 and 16 bits.
std::vector<uint32_t> OperandInputs();

// Returns all cases; every result is defined for every input.
const std::vector<OperandCase>& OperandCases();

// Cases with images at binding 2 of set 0, of any contents.
struct ImageCase {
  OperandCase kernel;  // without `expected`
  std::string mir;     // a part of the import's text
};
const std::vector<ImageCase>& ImageCases();

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_TESTING_OPERAND_WIDTHS_H_
