// Selects the exports of fragments (core/amd/ABI.md, "Fragments").
//
// Depth, stencil and sample mask come first, together, then colours by ascending target; the last
// export says that it is the last, and that its lanes are those that are left (done, vm). Alpha to
// one is done here; where coverage follows from alpha as well, that is exported with depth. Without
// any of them a program that kills exports to no target. Components that are not written are
// undefined, and their channels off.
//
// Sources: Mesa 25.0.7, ac_nir_lower_ps_late.c (order, MRTZ, channels of formats),
// aco_assembler.cpp (fix_exports).
#include "core/amd/select/outputs.h"

#include "core/mid/analysis/stored_output.h"

namespace kiln::amd {
namespace {

constexpr size_t kAlpha = 3;
constexpr uint32_t kOne = 0x3f800000;                          // 1.0
constexpr uint8_t kDepthTarget = 8, kNoTarget = 9;             // MRTZ, NULL
constexpr uint8_t kDone = 1, kCompressed = 2, kValidMask = 4;  // Extra::export_flags

// Returns the conversion of two components to a packed format. Halves are rounded towards zero, as
// Mesa's are; integers saturate.
Opcode PackingOf(ExportFormat format) {
  switch (format) {
    case ExportFormat::kUnorm16: return Opcode::kVCvtPknormU16F32;
    case ExportFormat::kSnorm16: return Opcode::kVCvtPknormI16F32;
    case ExportFormat::kUint16: return Opcode::kVCvtPkU16U32;
    case ExportFormat::kSint16: return Opcode::kVCvtPkI16I32;
    default: return Opcode::kVCvtPkrtzF16F32;
  }
}

}  // namespace

absl::Status Outputs::VisitStore(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const absl::StatusOr<mid::StoredOutput> stored = mid::StoredOutputOf(m_, id);
  if (!stored.ok()) return stored.status();
  const mir::Interface& v = *stored->output;
  for (int i = stored->first; i < inst.num_sources; ++i) {
    const mir::ValueId source = m_.source(id, i);
    if (m_.value(source).kind == mir::Value::Kind::kUndef) continue;
    const Operand o = e_.ToV(e_.IsBool(source) ? bools_.LaneNumberOf(source) : e_.Src(source));
    switch (v.builtin) {
      case mir::BuiltIn::kFragDepth: depth_ = o; break;
      case mir::BuiltIn::kFragStencilRef: stencil_ = o; break;
      case mir::BuiltIn::kSampleMask:
        if (stored->element == 0) sample_mask_ = o;
        break;
      default: {
        const uint32_t c = stored->ComponentOf(inst, i);
        const bool is_one = abi_.fragment->alpha_to_one && c == kAlpha && mir::IsFloat(v.type);
        if (is_one && stored->location() == 0 && v.index == 0) coverage_alpha_ = o;
        colours_[{stored->location(), v.index}][c] = is_one ? e_.ToV(Imm(kOne)) : o;
      }
    }
  }
  return absl::OkStatus();
}

// Returns the export of depth, if there is one. A value that is stored but undefined is exported as
// 0: state says that it is there.
std::optional<Outputs::Export> Outputs::DepthExport() {
  const FragmentAbi& f = *abi_.fragment;
  const auto given = [&](const Operand& o) { return Exists(o) ? o : e_.ToV(Imm(0)); };
  Export made;
  made.target = kDepthTarget;
  switch (f.DepthFormat()) {
    case ExportFormat::kNone: return std::nullopt;
    case ExportFormat::kUint16:
      // Halves of two registers: stencil in bits 31:16 of the first, the mask in the second one.
      made.compressed = true;
      if (f.writes_stencil) {
        made.values[0] = e_.Valu(Opcode::kVLshlrevB32, {Imm(16), given(stencil_)});
        made.enable |= 3;
      }
      made.values[1] = given(sample_mask_);
      made.enable |= 12;
      return made;
    default: break;
  }
  const auto add = [&](bool written, size_t channel, const Operand& o) {
    if (!written) return;
    made.values[channel] = given(o);
    made.enable |= static_cast<uint8_t>(1u << channel);
  };
  add(f.depth != out::DepthOutput::kOff, 0, depth_);
  add(f.writes_stencil, 1, stencil_);
  add(f.writes_sample_mask, 2, sample_mask_);
  // From GFX10 on in the second channel where the format has two.
  add(f.alpha_in_depth, f.DepthFormat() == ExportFormat::kAr32 ? 1 : kAlpha, coverage_alpha_);
  return made;
}

// Packs red and green, blue and alpha into a dword each. A pair of which nothing is stored is off.
// State's write mask leaves out none: factors of blending may read an alpha that is not written.
Outputs::Export Outputs::PackedExportOf(const ColourExport& colour, uint8_t target,
                                        const Colour& values) {
  Export made;
  made.target = target;
  made.compressed = true;
  for (size_t pair = 0; pair < 2; ++pair) {
    const Operand &first = values[2 * pair], &second = values[2 * pair + 1];
    if (!Exists(first) && !Exists(second)) continue;
    const auto given = [](const Operand& o) { return Exists(o) ? o : Imm(0); };
    made.values[pair] = e_.Valu(PackingOf(colour.format), {given(first), given(second)});
    made.enable |= static_cast<uint8_t>(3u << 2 * pair);
  }
  return made;
}

Outputs::Export Outputs::ColourExportOf(const ColourExport& colour, uint8_t target) {
  Export made;
  made.target = target;
  const auto stored = colours_.find({colour.location, colour.index});
  const Colour values = stored == colours_.end() ? Colour() : stored->second;
  const auto put = [&](size_t channel, const Operand& o) {
    if (!Exists(o)) return;
    made.values[channel] = o;
    made.enable |= static_cast<uint8_t>(1u << channel);
  };
  if (IsPacked(colour.format)) return PackedExportOf(colour, target, values);
  switch (colour.format) {
    case ExportFormat::kAr32:  // from GFX10 on in the first two channels
      put(0, values[0]);
      put(1, values[3]);
      break;
    case ExportFormat::kR32: put(0, values[0]); break;
    case ExportFormat::kGr32:
      put(0, values[0]);
      put(1, values[1]);
      break;
    default:
      for (size_t c = 0; c < 4; ++c) put(c, values[c]);
      break;
  }
  return made;
}

void Outputs::Emit(const Export& made, bool last) {
  Extra extra;
  extra.target = made.target;
  extra.enable = made.enable;
  if (last) extra.export_flags |= kDone | kValidMask;
  if (made.compressed) extra.export_flags |= kCompressed;
  e_.EmitRaw(Op(Opcode::kExp), {}, absl::MakeConstSpan(made.values), extra);
}

void Outputs::ExportAll() {
  const FragmentAbi& f = *abi_.fragment;
  if (!f.NeedsExport()) return;
  std::vector<Export> exports;
  if (const std::optional<Export> depth = DepthExport()) exports.push_back(*depth);
  for (size_t i = 0; i < f.colours.size(); ++i) {
    exports.push_back(ColourExportOf(f.colours[i], static_cast<uint8_t>(i)));
  }
  if (exports.empty()) exports.push_back({.target = kNoTarget});
  for (size_t i = 0; i < exports.size(); ++i) Emit(exports[i], i + 1 == exports.size());
}

void Outputs::ExportNothing() { Emit({.target = kNoTarget}, true); }

}  // namespace kiln::amd
