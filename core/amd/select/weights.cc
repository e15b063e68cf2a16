// Selects the weights of a primitive's vertices (BaryCoord; core/amd/ABI.md, "Fragments").
//
// Source: Mesa 25.0.7, radv_nir_lower_fs_barycentric.c (the order of i and j; lines and points).
#include <cstddef>

#include "core/amd/select/fragment.h"
#include "core/amd/select/lanes.h"

namespace kiln::amd {

// Returns the weights of the primitive's vertices. Those of a triangle, 1 - i - j, i and j, belong
// to its vertices in an order that begins anywhere in it: two bits for each quad of the wave say
// where vertex 0 is. A line's second vertex has i + j; a point's only one has 1.
std::array<Operand, 3> Fragment::WeightsOf(const Barycentrics& at) {
  constexpr uint32_t kOne = 0x3f800000, kPrimitiveFirst = 22, kPrimitiveBits = 2, kLines = 1;
  const Operand quad = e_.Valu(Opcode::kVLshrrevB32, {Imm(2), LaneOf(e_)});
  const Operand shift = e_.Valu(Opcode::kVLshlrevB32, {Imm(1), quad});
  const Operand place =
      e_.Valu(Opcode::kVBfeU32, {launch_.Scalar(fragment().provoking_vertex), shift, Imm(2)});
  const Operand primitive =
      e_.Salu(Opcode::kSBfeU32,
              {launch_.Scalar(abi_.pixel_state), Imm(kPrimitiveBits << 16 | kPrimitiveFirst)});
  const Operand is_line = e_.Compare(Opcode::kVCmpEqU32, Imm(kLines), e_.ToV(primitive));
  const Operand is_point = e_.Compare(Opcode::kVCmpEqU32, Imm(0), e_.ToV(primitive));
  const Operand at_one = e_.Compare(Opcode::kVCmpEqU32, Imm(1), place);
  const Operand at_two = e_.Compare(Opcode::kVCmpEqU32, Imm(2), place);
  const auto select = [&](const Operand& otherwise, const Operand& then, const Operand& where) {
    return e_.Valu(Opcode::kVCndmaskB32, {otherwise, then, where});
  };
  const Operand rest =
      e_.Valu(Opcode::kVSubF32, {e_.Valu(Opcode::kVSubF32, {Imm(kOne), at.j}), at.i});
  const Operand both = e_.Valu(Opcode::kVAddF32, {at.i, at.j});
  const Operand other = e_.Valu(Opcode::kVSubF32, {Imm(kOne), both});
  const auto of_triangle = [&](const Operand& a, const Operand& b, const Operand& c) {
    return select(select(a, b, at_one), c, at_two);
  };
  const auto of_other = [&](const Operand& triangle, const Operand& line, const Operand& point) {
    return select(select(triangle, line, is_line), point, is_point);
  };
  return {of_other(of_triangle(rest, at.i, at.j), other, Imm(kOne)),
          of_other(of_triangle(at.i, at.j, rest), both, Imm(0)),
          of_other(of_triangle(at.j, rest, at.i), Imm(0), Imm(0))};
}

void Fragment::ReadWeights(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const uint32_t first =
      inst.op == mir::Op::kLoadInput ? inst.imm1 : mir::InterpolatedComponent(inst.imm1);
  const std::array<Operand, 3> weights = WeightsOf(BarycentricsFor(id));
  for (int i = 0; i < inst.num_results; ++i) {
    if (e_.Used(m_.result(id, i))) {
      e_.Set(m_.result(id, i), weights[first + static_cast<uint32_t>(i)]);
    }
  }
}

}  // namespace kiln::amd
