#include "core/mir/print.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <string>

#include "core/mir/immediates.h"
#include "core/mir/semantics.h"

namespace kiln::mir {
namespace {

class Printer {
 public:
  Printer(const Module& module, const PrintOptions& options) : m_(module), options_(options) {
    if (options.renumber) names_.assign(m_.values.size(), ValueId::kNone);
  }

  std::string Module() {
    Header();
    out_ += "body {\n";
    if (m_.body.index < m_.regions.size()) Region(m_.body, 1);
    out_ += "}\n";
    return std::move(out_);
  }

  std::string One(InstId id) {
    InstHead(id);
    Origin(m_.inst(id).spirv_id);
    return std::move(out_);
  }

  std::string OneValue(ValueId v) {
    Use(v);
    return std::move(out_);
  }

 private:
  void Decimal(uint64_t x) {
    char buffer[24];
    out_.append(buffer, std::to_chars(buffer, buffer + sizeof(buffer), x).ptr);
  }

  void Hex(uint64_t x) {
    char buffer[20];
    out_ += "0x";
    out_.append(buffer, std::to_chars(buffer, buffer + sizeof(buffer), x, 16).ptr);
  }

  void Header() {
    out_ += "mir 1\nentry ";
    Quoted(m_.entry_point);
    out_ += '\n';
    if (m_.stage != Stage::kCompute) {
      out_ += "stage ";
      out_ += kStageNames[static_cast<int>(m_.stage)];
      out_ += '\n';
    }
    if (m_.HasWorkgroups()) LocalSize();
    FragmentModeLine();
    for (size_t i = 0; i < m_.inputs.size(); ++i) InterfaceLine("input ", i, m_.inputs[i]);
    for (size_t i = 0; i < m_.outputs.size(); ++i) InterfaceLine("output ", i, m_.outputs[i]);
    Mode("denorms_f16 ", kDenormNames, m_.f16_mode.denorms);
    Mode("denorms_f32 ", kDenormNames, m_.f32_mode.denorms);
    Mode("denorms_f64 ", kDenormNames, m_.f64_mode.denorms);
    Mode("rounding_f16 ", kRoundingNames, m_.f16_mode.rounding);
    Mode("rounding_f32 ", kRoundingNames, m_.f32_mode.rounding);
    Mode("rounding_f64 ", kRoundingNames, m_.f64_mode.rounding);
    for (const Needed& n : m_.needs) NeedLine(n);
    Count("shared ", m_.shared_bytes, m_.shared_id);
    Count("push ", m_.push_constant_bytes, m_.push_constant_id);
    if (!m_.constant_data.empty()) {
      out_ += "data 0x";
      for (uint8_t byte : m_.constant_data) {
        out_ += "0123456789abcdef"[byte >> 4];
        out_ += "0123456789abcdef"[byte & 15];
      }
      out_ += '\n';
    }
    for (size_t i = 0; i < m_.resources.size(); ++i) ResourceLine(i);
    for (size_t i = 0; i < m_.private_arrays.size(); ++i) {
      out_ += "private ";
      Decimal(i);
      out_ += ' ';
      Decimal(m_.private_arrays[i].bytes);
      Origin(m_.private_arrays[i].spirv_id);
      out_ += '\n';
    }
  }

  void LocalSize() {
    out_ += "local_size ";
    for (int i = 0; i < 3; ++i) {
      if (i != 0) out_ += ", ";
      Decimal(m_.local_size[i]);
    }
    Origin(m_.local_size_id);
    out_ += '\n';
  }

  void FragmentModeLine() {
    const FragmentModes& modes = m_.fragment;
    if (modes == FragmentModes()) return;
    out_ += "modes";
    if (modes.early_tests) out_ += " early_tests";
    if (modes.post_depth) out_ += " post_depth";
    if (modes.sample_rate) out_ += " sample_rate";
    if (modes.depth != DepthMode::kNone) {
      out_ += " depth ";
      out_ += kDepthModeNames[static_cast<int>(modes.depth)];
    }
    out_ += '\n';
  }

  // "input 0 location 2.1 f32 x3 array 4 noperspective centroid"
  void InterfaceLine(std::string_view which, size_t i, const Interface& v) {
    out_ += which;
    Decimal(i);
    if (v.builtin == BuiltIn::kNone) {
      out_ += " location ";
      Decimal(v.location);
      out_ += '.';
      Decimal(v.component);
    } else {
      out_ += " builtin ";
      out_ += kBuiltIns[static_cast<int>(v.builtin)].name;
    }
    out_ += ' ';
    out_ += kTypeNames[static_cast<int>(v.type)];
    out_ += " x";
    Decimal(v.components);
    if (v.array) {
      out_ += " array ";
      Decimal(v.elements);
    }
    if (v.index != 0) {
      out_ += " index ";
      Decimal(v.index);
    }
    NameUnlessFirst(kInterpolationNames, static_cast<uint32_t>(v.interpolation));
    NameUnlessFirst(kAuxiliaryNames, static_cast<uint32_t>(v.auxiliary));
    if (v.invariant) out_ += " invariant";
    Origin(v.spirv_id);
    out_ += '\n';
  }

  template <size_t n>
  void NameUnlessFirst(const std::string_view (&names)[n], uint32_t which) {
    if (which == 0) return;
    out_ += ' ';
    OneOf(names, which);
  }

  void Quoted(const std::string& text) {
    out_ += '"';
    for (unsigned char c : text) {
      if (c < 0x20 || c >= 0x7f || c == '"' || c == '\\') {
        out_ += '\\';
        out_ += "0123456789abcdef"[c >> 4];
        out_ += "0123456789abcdef"[c & 15];
      } else {
        out_ += static_cast<char>(c);
      }
    }
    out_ += '"';
  }

  void Count(std::string_view what, uint32_t n, uint32_t spirv_id) {
    if (n == 0) return;
    out_ += what;
    Decimal(n);
    Origin(spirv_id);
    out_ += '\n';
  }

  // The default, which is the first of the names, has no line.
  template <class Enum>
  void Mode(std::string_view what, const std::string_view* names, Enum mode) {
    if (mode == Enum{}) return;
    out_ += what;
    out_ += names[static_cast<size_t>(mode)];
    out_ += '\n';
  }

  // "needs least_texel_offset -9 at 260 ;%77"
  void NeedLine(const Needed& n) {
    out_ += "needs ";
    out_ += kNeedNames[static_cast<size_t>(n.need)];
    if (n.amount != 0) out_ += ' ' + std::to_string(n.amount);
    if (n.instruction != 0 && options_.spirv_ids) {
      out_ += " at ";
      Decimal(n.instruction);
    }
    Origin(n.spirv_id);
    out_ += '\n';
  }

  void ResourceLine(size_t i) {
    const Resource& r = m_.resources[i];
    out_ += "resource ";
    Decimal(i);
    out_ += ' ';
    out_ += kResourceKindNames[static_cast<int>(r.kind)];
    out_ += ' ';
    Decimal(r.set);
    out_ += '.';
    Decimal(r.binding);
    out_ += '.';
    Decimal(r.element);
    if (r.array) {
      out_ += " array ";
      Decimal(r.count);
    }
    if (HasImage(r.kind)) Image(r.image);
    if (r.read_only) out_ += " readonly";
    if (r.aliased) out_ += " aliased";
    if (r.unchanging) out_ += " unchanging";
    Origin(r.spirv_id);
    out_ += '\n';
  }

  void Image(const ImageInfo& image) {
    out_ += " image ";
    out_ += kImageDimNames[static_cast<int>(image.dim)];
    if (image.arrayed) out_ += " arrayed";
    if (image.multisampled) out_ += " multisampled";
    out_ += ' ';
    out_ += kComponentNames[static_cast<int>(image.component)];
    out_ += ' ';
    out_ += kFormatNames[static_cast<int>(image.format)];
  }

  void Origin(uint32_t spirv_id) {
    if (spirv_id == 0 || !options_.spirv_ids) return;
    out_ += " ;%";
    Decimal(spirv_id);
  }

  void Name(ValueId v) {
    uint32_t name = v.index;
    if (options_.renumber) {
      if (names_[v.index] == ValueId::kNone) names_[v.index] = next_name_++;
      name = names_[v.index];
    }
    out_ += '%';
    Decimal(name);
  }

  void Define(ValueId v) {
    Name(v);
    out_ += ':';
    out_ += kTypeNames[static_cast<int>(m_.value(v).type)];
  }

  void Use(ValueId v) {
    if (v.index >= m_.values.size()) {
      out_ += "<no value>";
      return;
    }
    const Value& value = m_.value(v);
    switch (value.kind) {
      case Value::Kind::kResult:
      case Value::Kind::kParam: Name(v); return;
      case Value::Kind::kUndef:
        out_ += "undef.";
        out_ += kTypeNames[static_cast<int>(value.type)];
        return;
      case Value::Kind::kConstant: Constant(value); return;
    }
  }

  void Constant(const Value& value) {
    if (value.type == Type::kBool) {
      out_ += value.bits != 0 ? "true" : "false";
    } else if (IsFloat(value.type)) {
      FloatConstant(value);
    } else {
      const int64_t x = SignExtend(value.type, value.bits);
      if (x < -65536 || x > 65536) {
        Hex(value.bits);
      } else {
        if (x < 0) out_ += '-';
        Decimal(static_cast<uint64_t>(std::abs(x)));
      }
      // "7i16"; the type i32 is omitted.
      if (value.type != Type::kI32) out_ += kTypeNames[static_cast<int>(value.type)];
    }
  }

  // "0.5f", "0.5h", "0.5d"; infinities and NaNs as bits.
  void FloatConstant(const Value& value) {
    if (value.type == Type::kF64) {
      return FloatText(std::bit_cast<double>(value.bits), value.bits, 'd');
    }
    const bool half = value.type == Type::kF16;
    const uint32_t bits = static_cast<uint32_t>(value.bits);
    const float x = std::bit_cast<float>(half ? semantics::HalfToFloat(bits) : bits);
    FloatText(x, value.bits, half ? 'h' : 'f');
  }

  // Prints the shortest text that is read as the same number.
  template <class Float>
  void FloatText(Float x, uint64_t bits, char suffix) {
    if (!std::isfinite(x)) {
      out_ += suffix;
      return Hex(bits);
    }
    char buffer[32];
    out_.append(buffer, std::to_chars(buffer, buffer + sizeof(buffer), x).ptr);
    out_ += suffix;
  }

  void Uses(absl::Span<const ValueId> values) {
    for (size_t i = 0; i < values.size(); ++i) {
      out_ += i == 0 ? " " : ", ";
      Use(values[i]);
    }
  }

  // Prints an instruction up to its regions.
  void InstHead(InstId id) {
    const Inst& inst = m_.inst(id);
    for (int i = 0; i < inst.num_results; ++i) {
      if (i != 0) out_ += ", ";
      Define(m_.result(id, i));
    }
    if (inst.num_results != 0) out_ += " = ";
    out_ += Info(inst.op).name;
    uint32_t left = inst.flags;
    for (const FlagName& f : kFlagNames) {
      if ((left & f.flag) != f.flag) continue;
      left &= ~uint32_t{f.flag};
      out_ += '.';
      out_ += f.name;
    }
    ImmediateList(inst);
    if (inst.op == Op::kLoop) {
      LoopHead(id);
    } else {
      Uses(m_.sources(id));
    }
  }

  void ImmediateList(const Inst& inst) {
    const Immediates imm = ImmediatesOf(inst.op);
    if (imm.first == First::kNone && imm.second == Second::kNone) return;
    out_ += '[';
    if (imm.first != First::kNone) {
      FirstImmediate(imm.first, inst.imm0);
      if (imm.second != Second::kNone) out_ += ", ";
    }
    if (imm.second == Second::kAlignment) {
      out_ += "align ";
      Decimal(inst.imm1);
    } else if (imm.second == Second::kAtomicOp) {
      OneOf(kAtomicNames, inst.imm1);
    } else if (imm.second == Second::kTexelOp) {
      TexelOp(inst);
    } else if (imm.second == Second::kScope) {
      OneOf(kScopeNames, inst.imm1);
    } else if (imm.second == Second::kCluster || imm.second == Second::kComponent ||
               imm.second == Second::kInvocations) {
      Decimal(inst.imm1);
    } else if (imm.second == Second::kInterpolateAt) {
      OneOf(kInterpolateAtNames, InterpolateAtOf(inst.imm1));
      out_ += ' ';
      Decimal(InterpolatedComponent(inst.imm1));
    }
    out_ += ']';
  }

  void TexelOp(const Inst& inst) {
    if (inst.imm1 >= m_.texel_ops.size()) {
      out_ += "<bad texel op>";
      return;
    }
    const mir::TexelOp& texel = m_.texel_ops[inst.imm1];
    out_ += "texel";
    if (inst.op == Op::kImageAtomic || inst.op == Op::kImageAtomic64) {
      out_ += ' ';
      const auto atomic = static_cast<uint32_t>(texel.atomic);
      out_ += atomic < kNumAtomicOps ? kAtomicNames[atomic] : "<bad atomic>";
    }
    if (texel.sampler != mir::TexelOp::kNoSampler) {
      out_ += " sampler ";
      Decimal(texel.sampler);
    }
    for (const TexelParamName& p : kTexelParamNames) {
      if ((texel.params & p.param) == 0) continue;
      out_ += ' ';
      out_ += p.name;
    }
    if (texel.component != 0) {
      out_ += " component ";
      Decimal(texel.component);
    }
    if (texel.offset == std::array<int8_t, 3>{0, 0, 0}) return;
    out_ += " at";
    for (int8_t x : texel.offset) {
      out_ += x < 0 ? " -" : " ";
      Decimal(static_cast<uint64_t>(std::abs(x)));
    }
  }

  void FirstImmediate(First what, uint32_t imm) {
    switch (what) {
      case First::kLaneMask: return OneOf(kLaneMaskNames, imm);
      case First::kReduceOp: return OneOf(kReduceNames, imm);
      case First::kDerivative: return OneOf(kDerivativeNames, imm);
      default: return Decimal(imm);
    }
  }

  template <size_t n>
  void OneOf(const std::string_view (&names)[n], uint32_t imm) {
    out_ += imm < n ? names[imm] : "<bad immediate>";
  }

  void LoopHead(InstId id) {
    const std::vector<ValueId>& params = m_.region(m_.inst(id).regions[0]).params;
    const absl::Span<const ValueId> initial = m_.sources(id);
    if (params.empty() && initial.empty()) return;
    out_ += " (";
    for (size_t i = 0; i < std::max(params.size(), initial.size()); ++i) {
      if (i != 0) out_ += ", ";
      if (i < params.size()) Define(params[i]);
      out_ += " = ";
      if (i < initial.size()) Use(initial[i]);
    }
    out_ += ')';
  }

  void Region(RegionId region, int depth) {
    for (InstId id : m_.region(region).insts) {
      out_.append(2 * depth, ' ');
      InstHead(id);
      const Inst& inst = m_.inst(id);
      if (inst.num_regions == 0) {
        Origin(inst.spirv_id);
        out_ += '\n';
        continue;
      }
      out_ += " {";
      Origin(inst.spirv_id);
      out_ += '\n';
      Region(inst.regions[0], depth + 1);
      if (inst.num_regions == 2) {
        out_.append(2 * depth, ' ');
        out_ += "} else {\n";
        Region(inst.regions[1], depth + 1);
      }
      out_.append(2 * depth, ' ');
      out_ += "}\n";
    }
  }

  const mir::Module& m_;
  const PrintOptions options_;
  std::string out_;
  std::vector<uint32_t> names_;
  uint32_t next_name_ = 0;
};

}  // namespace

std::string Print(const Module& module, const PrintOptions& options) {
  return Printer(module, options).Module();
}

std::string PrintInst(const Module& module, InstId inst) { return Printer(module, {}).One(inst); }

std::string PrintValue(const Module& module, ValueId value) {
  return Printer(module, {}).OneValue(value);
}

}  // namespace kiln::mir
