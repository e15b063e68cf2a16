// One pass over the words in order: SPIR-V's logical layout defines types and constants before
// their use, so everything but function bodies is resolved as it is met. See spirv.h for what holds
// afterwards.
#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "core/base/utf8.h"
#include "core/front/coverage.h"
#include "core/front/dense_ids.h"
#include "core/front/refusal.h"
#include "core/front/spirv.h"
#include "core/front/spirv_grammar.h"

#define FRONT_RETURN_IF_ERROR(expr)              \
  do {                                           \
    absl::Status front_status = (expr);          \
    if (!front_status.ok()) return front_status; \
  } while (false)

namespace kiln::front {
namespace {

constexpr uint32_t kMagic = 0x07230203;
constexpr uint32_t kMaxBound = 0x3fffff;  // universal limit of SPIR-V
constexpr size_t kMaxConstantLeaves = size_t{1} << 22;
constexpr size_t kMaxGroupScan = size_t{1} << 26;  // work on (deprecated) decoration groups
constexpr uint32_t kMaxMembers = 0x3fff;           // universal limit of SPIR-V
constexpr uint32_t kMaxParameters = 255;           // universal limit of SPIR-V

std::string OpText(spv::Op op) {
  const InstructionLayout* layout = LayoutOf(op);
  return layout == nullptr ? "opcode " + std::to_string(static_cast<uint32_t>(op))
                           : std::string(layout->name);
}

uint32_t SaturatingLeaves(uint64_t n) {
  return static_cast<uint32_t>(std::min<uint64_t>(n, kMaxLeaves + 1));
}

struct Decoration {
  uint32_t target = 0;
  uint32_t member = kNoValue;
  spv::Decoration kind = spv::Decoration::Max;
  uint32_t operand = 0;
};

class Parser {
 public:
  Parser(SpirvModule& module, absl::Span<const SpecConstant> specialisation)
      : m_(module), specialisation_(specialisation) {}

  absl::Status Run();

 private:
  absl::Status Header();
  absl::Status Instruction(const SpirvInst& inst, uint32_t offset);
  absl::Status ModuleScope(const SpirvInst& inst);
  absl::Status FunctionScope(const SpirvInst& inst, uint32_t offset);
  absl::Status Body(const SpirvInst& inst, uint32_t offset);
  absl::Status Define(uint32_t id, SpirvDef def);
  absl::Status EntryPoint(const SpirvInst& inst);
  absl::Status ExtImport(const SpirvInst& inst);
  absl::Status Decorate(const Decoration& decoration);
  absl::Status GroupDecorate(const SpirvInst& inst, bool members);
  void ApplyToId(SpirvDecorations& d, const Decoration& decoration);

  absl::Status TypeInst(const SpirvInst& inst);
  absl::Status ScalarType(const SpirvInst& inst, SpirvType& type);
  absl::Status VectorType(const SpirvInst& inst, SpirvType& type);
  absl::Status ArrayType(const SpirvInst& inst, SpirvType& type);
  absl::Status StructType(const SpirvInst& inst, SpirvType& type);
  absl::Status FunctionType(const SpirvInst& inst, SpirvType& type);
  absl::Status ImageType(const SpirvInst& inst, SpirvType& type);
  void ApplyToMember(uint32_t struct_id, uint32_t index, SpirvMember& member);

  absl::Status ConstantInst(const SpirvInst& inst);
  absl::Status ScalarConstant(const SpirvInst& inst, const SpirvType& type, SpirvConstant& c);
  absl::Status CompositeConstant(const SpirvInst& inst, const SpirvType& type, SpirvConstant& c);
  uint32_t ScalarWidth(const SpirvType& type) const;
  absl::Status SpecOp(const SpirvInst& inst, const SpirvType& type, SpirvConstant& c);
  absl::Status SpecSelect(const SpirvInst& inst, const SpirvType& type,
                          const std::array<SpirvConstant, 3>& operands, bool one_condition);
  absl::Status SpecComposite(const SpirvInst& inst, spv::Op op, const SpirvType& type,
                             SpirvConstant& c);
  absl::Status SpecShuffle(const SpirvInst& inst, SpirvConstant& c);
  absl::Status SpecExtract(const SpirvInst& inst, const SpirvType& type, SpirvConstant& c);
  absl::Status SpecInsert(const SpirvInst& inst, SpirvConstant& c);
  absl::Status Path(const SpirvInst& inst, size_t first, uint32_t type_id, uint32_t* type,
                    uint32_t* leaf);
  absl::Status VariableInst(const SpirvInst& inst);
  std::optional<uint64_t> Override(uint32_t id) const;

  SpirvModule& m_;
  absl::Span<const SpecConstant> specialisation_;
  std::vector<Decoration> raw_;  // in order; members' sorted when types begin
  std::vector<Decoration> member_decorations_;
  bool members_sorted_ = false;
  size_t group_scan_ = 0;
  std::vector<bool> forward_;  // ids of OpTypeForwardPointer
  std::vector<uint32_t> pointers_ahead_;  // to types that were not there yet
  bool in_function_ = false;
  bool in_block_ = false;
  SpirvFunction function_;
};

absl::Status Parser::Header() {
  std::vector<uint32_t>& w = m_.words;
  if (w.size() < 5) return Invalid("shorter than a SPIR-V header");
  if (w[0] == __builtin_bswap32(kMagic)) {
    for (uint32_t& word : w) word = __builtin_bswap32(word);
  }
  if (w[0] != kMagic) return Invalid("not SPIR-V: wrong magic number");
  m_.version = w[1];
  if ((w[1] & 0xff0000ff) != 0 || (w[1] >> 16) != 1 || ((w[1] >> 8) & 0xff) > 6) {
    return Invalid("unknown SPIR-V version");
  }
  if (w[3] == 0 || w[3] > kMaxBound) {
    return Invalid("the id bound is " + std::to_string(w[3]) + "; it is 1 to " +
                   std::to_string(kMaxBound));
  }
  // Each id takes a few bytes here: a tiny module must not make us reserve memory for millions. An
  // instruction that defines one has two words or more.
  if (w[3] > w.size()) FRONT_RETURN_IF_ERROR(NumberIdsDensely(&w, &m_.original_ids));
  m_.bound = w[3];
  m_.defs.resize(m_.bound);
  m_.decorations.resize(m_.bound);
  forward_.resize(m_.bound);
  return absl::OkStatus();
}

absl::Status Parser::Run() {
  FRONT_RETURN_IF_ERROR(Header());
  const size_t size = m_.words.size();
  for (size_t offset = 5; offset < size;) {
    const uint32_t count = m_.words[offset] >> 16;
    const auto op = static_cast<spv::Op>(m_.words[offset] & 0xffff);
    if (count == 0 || count > size - offset) {
      return Invalid("instruction at word " + std::to_string(offset) + " runs past the end");
    }
    const InstructionLayout* layout = LayoutOf(op);
    if (layout != nullptr && count < layout->least_words) {
      return Invalid(OpText(op) + " is too short");
    }
    const SpirvInst inst = m_.Inst(static_cast<uint32_t>(offset));
    FRONT_RETURN_IF_ERROR(Instruction(inst, static_cast<uint32_t>(offset)));
    offset += count;
  }
  if (in_function_) return Invalid("the last function does not end", function_.id);
  for (uint32_t pointer : pointers_ahead_) {
    if (m_.Type(m_.Type(pointer)->element) == nullptr) {
      return Invalid("pointer to what is no type", pointer);
    }
  }
  for (uint32_t id = 0; id < m_.bound; ++id) {
    if (forward_[id] && (m_.Type(id) == nullptr || !m_.Type(id)->IsPhysicalPointer())) {
      return Invalid("forward pointer that is no pointer to physical memory", id);
    }
  }
  for (uint32_t id = 0; id < m_.bound; ++id) {
    if (m_.decorations[id].builtin == static_cast<uint32_t>(spv::BuiltIn::WorkgroupSize) &&
        m_.defs[id].kind == SpirvDef::kConstant) {
      m_.workgroup_size_constant = id;
    }
  }
  return absl::OkStatus();
}

absl::Status Parser::Define(uint32_t id, SpirvDef def) {
  if (id == 0 || id >= m_.bound) return Invalid("result id outside the id bound", id);
  if (m_.defs[id].kind != SpirvDef::kNone) return Invalid("id defined twice", id);
  m_.defs[id] = def;
  return absl::OkStatus();
}

absl::Status Parser::Instruction(const SpirvInst& inst, uint32_t offset) {
  switch (inst.op) {
    case spv::Op::OpNop:
    case spv::Op::OpLine:
    case spv::Op::OpNoLine:
    case spv::Op::OpSource:
    case spv::Op::OpSourceContinued:
    case spv::Op::OpSourceExtension:
    case spv::Op::OpName:
    case spv::Op::OpMemberName:
    case spv::Op::OpModuleProcessed:
      return absl::OkStatus();
    default:
      break;
  }
  const InstructionLayout* layout = LayoutOf(inst.op);
  const bool has_result = layout != nullptr && layout->has_result;
  const bool has_type = layout != nullptr && layout->has_type;
  if (has_result && inst.result == 0) return Invalid(OpText(inst.op) + " has the result id 0");
  if (has_type && m_.Type(inst.type) == nullptr) {
    return Invalid(OpText(inst.op) + " has a result type that is no type", inst.result);
  }
  return in_function_ ? FunctionScope(inst, offset) : ModuleScope(inst);
}

bool IsSpecialisable(spv::Op op) {
  return op == spv::Op::OpSpecConstant || op == spv::Op::OpSpecConstantTrue ||
         op == spv::Op::OpSpecConstantFalse;
}

std::string String(const SpirvInst& inst, size_t first, size_t* next) {
  std::string text;
  for (size_t i = first; i < inst.size(); ++i) {
    for (int byte = 0; byte < 4; ++byte) {
      const char c = static_cast<char>(inst.words[i] >> (8 * byte));
      if (c == 0) {
        *next = i + 1;
        return text;
      }
      text.push_back(c);
    }
  }
  *next = 0;  // not terminated
  return text;
}

absl::Status Parser::EntryPoint(const SpirvInst& inst) {
  SpirvEntryPoint entry;
  entry.model = static_cast<spv::ExecutionModel>(inst.operand(1));
  entry.function = inst.operand(2);
  size_t next = 0;
  entry.name = String(inst, 3, &next);
  if (next == 0) return Invalid("entry point name without an end", entry.function);
  if (!IsUtf8(entry.name)) return Invalid("entry point name that is no UTF-8", entry.function);
  m_.entry_points.push_back(std::move(entry));
  return absl::OkStatus();
}

absl::Status Parser::ExtImport(const SpirvInst& inst) {
  size_t next = 0;
  const std::string name = String(inst, 2, &next);
  if (next == 0) return Invalid("extended instruction set name without an end", inst.result);
  ExtInstSet set = ExtInstSet::kUnknown;
  if (name == "GLSL.std.450") set = ExtInstSet::kGlsl450;
  if (name.rfind("NonSemantic.", 0) == 0 || name == "OpenCL.DebugInfo.100" || name == "DebugInfo") {
    set = ExtInstSet::kNonSemantic;
  }
  return Define(inst.result, {SpirvDef::kExtInstSet, static_cast<uint32_t>(set)});
}

void Parser::ApplyToId(SpirvDecorations& d, const Decoration& decoration) {
  switch (decoration.kind) {
    case spv::Decoration::SpecId:
      d.spec_id = decoration.operand;
      break;
    case spv::Decoration::BuiltIn:
      d.builtin = decoration.operand;
      break;
    case spv::Decoration::DescriptorSet:
      d.set = decoration.operand;
      break;
    case spv::Decoration::Binding:
      d.binding = decoration.operand;
      break;
    case spv::Decoration::ArrayStride:
      d.array_stride = decoration.operand;
      break;
    case spv::Decoration::FPRoundingMode:
      d.rounding = decoration.operand;
      break;
    case spv::Decoration::Block:
      d.block = true;
      break;
    case spv::Decoration::BufferBlock:
      d.buffer_block = true;
      break;
    case spv::Decoration::NoContraction:
      d.no_contraction = true;
      break;
    case spv::Decoration::NonWritable:
      d.non_writable = true;
      break;
    case spv::Decoration::Coherent:
      d.coherent = true;
      break;
    case spv::Decoration::Volatile:
      d.is_volatile = true;
      break;
    case spv::Decoration::NonUniform:
      d.non_uniform = true;
      break;
    case spv::Decoration::Aliased:
      d.aliased = true;
      break;
    default:  // names, precision, interpolation, Restrict: nothing here depends on them
      break;
  }
}

absl::Status Parser::Decorate(const Decoration& decoration) {
  if (decoration.target == 0 || decoration.target >= m_.bound) {
    return Invalid("decoration of an id outside the id bound", decoration.target);
  }
  raw_.push_back(decoration);
  if (decoration.member == kNoValue) {
    ApplyToId(m_.decorations[decoration.target], decoration);
  } else {
    member_decorations_.push_back(decoration);
    members_sorted_ = false;
  }
  return absl::OkStatus();
}

absl::Status Parser::GroupDecorate(const SpirvInst& inst, bool members) {
  const uint32_t group = inst.operand(1);
  const size_t step = members ? 2 : 1;
  for (size_t i = 2; i + step <= inst.size(); i += step) {
    group_scan_ += raw_.size();
    if (group_scan_ > kMaxGroupScan) {
      return Refused("module_too_large", "too many decoration groups", group);
    }
    const size_t count = raw_.size();
    for (size_t k = 0; k < count; ++k) {
      if (raw_[k].target != group || raw_[k].member != kNoValue) continue;
      Decoration copy = raw_[k];
      copy.target = inst.words[i];
      if (members) copy.member = inst.words[i + 1];
      FRONT_RETURN_IF_ERROR(Decorate(copy));
    }
  }
  return absl::OkStatus();
}

absl::Status Parser::ModuleScope(const SpirvInst& inst) {
  switch (inst.op) {
    case spv::Op::OpCapability:
      m_.capabilities.push_back(static_cast<spv::Capability>(inst.operand(1)));
      return absl::OkStatus();
    case spv::Op::OpExtension: {
      size_t next = 0;
      m_.extensions.push_back(String(inst, 1, &next));
      return absl::OkStatus();
    }
    case spv::Op::OpExtInstImport:
      return ExtImport(inst);
    case spv::Op::OpMemoryModel:
      m_.addressing = static_cast<spv::AddressingModel>(inst.operand(1));
      m_.memory_model = static_cast<spv::MemoryModel>(inst.operand(2));
      return absl::OkStatus();
    case spv::Op::OpEntryPoint:
      return EntryPoint(inst);
    case spv::Op::OpExecutionMode:
    case spv::Op::OpExecutionModeId:
      m_.execution_modes.push_back({inst.operand(1),
                                    static_cast<spv::ExecutionMode>(inst.operand(2)),
                                    {inst.words.begin() + 3, inst.words.end()},
                                    inst.op == spv::Op::OpExecutionModeId});
      return absl::OkStatus();
    case spv::Op::OpString:
      return Define(inst.result, {SpirvDef::kString});
    case spv::Op::OpExtInst:  // non-semantic information may stand at module scope
      if (m_.InstSet(inst.operand(3)) != ExtInstSet::kNonSemantic) {
        return Invalid("extended instruction outside functions", inst.result);
      }
      return Define(inst.result, {SpirvDef::kOther});
    case spv::Op::OpDecorate:
      return Decorate({inst.operand(1), kNoValue, static_cast<spv::Decoration>(inst.operand(2)),
                       inst.operand(3)});
    case spv::Op::OpMemberDecorate:
      return Decorate({inst.operand(1), inst.operand(2),
                       static_cast<spv::Decoration>(inst.operand(3)), inst.operand(4)});
    case spv::Op::OpDecorateId:
    case spv::Op::OpDecorateString:
    case spv::Op::OpMemberDecorateString:
      return absl::OkStatus();
    case spv::Op::OpDecorationGroup:
      return Define(inst.result, {SpirvDef::kOther});
    case spv::Op::OpGroupDecorate:
      return GroupDecorate(inst, false);
    case spv::Op::OpGroupMemberDecorate:
      return GroupDecorate(inst, true);
    case spv::Op::OpTypeForwardPointer:
      if (static_cast<spv::StorageClass>(inst.operand(2)) !=
          spv::StorageClass::PhysicalStorageBuffer) {
        return Refused("variable_pointers", "forward pointer", inst.operand(1));
      }
      if (inst.operand(1) < m_.bound) forward_[inst.operand(1)] = true;
      return absl::OkStatus();
    case spv::Op::OpVariable:
      return VariableInst(inst);
    case spv::Op::OpFunction:
      return FunctionScope(inst, 0);
    default:
      break;
  }
  if (inst.result != 0 && inst.type == 0) return TypeInst(inst);
  if (inst.result != 0) return ConstantInst(inst);
  return Invalid(OpText(inst.op) + " outside functions");
}

// ---- Types ----

absl::Status Parser::TypeInst(const SpirvInst& inst) {
  SpirvType type;
  absl::Status status = absl::OkStatus();
  switch (inst.op) {
    case spv::Op::OpTypeVoid:
      type.kind = SpirvType::kVoid;
      break;
    case spv::Op::OpTypeBool:
    case spv::Op::OpTypeInt:
    case spv::Op::OpTypeFloat:
      status = ScalarType(inst, type);
      break;
    case spv::Op::OpTypeVector:
    case spv::Op::OpTypeMatrix:
      status = VectorType(inst, type);
      break;
    case spv::Op::OpTypeArray:
    case spv::Op::OpTypeRuntimeArray:
      status = ArrayType(inst, type);
      break;
    case spv::Op::OpTypeStruct:
      status = StructType(inst, type);
      break;
    case spv::Op::OpTypeFunction:
      status = FunctionType(inst, type);
      break;
    case spv::Op::OpTypeImage:
    case spv::Op::OpTypeSampler:
    case spv::Op::OpTypeSampledImage:
      status = ImageType(inst, type);
      break;
    case spv::Op::OpTypePointer:
      type.kind = SpirvType::kPointer;
      type.storage = static_cast<spv::StorageClass>(inst.operand(2));
      type.element = inst.operand(3);
      if (type.storage == spv::StorageClass::PhysicalStorageBuffer) {
        type.width = 64;
        type.leaves = 1;
      } else if (type.IsValuePointer()) {
        type.leaves = 2;
      } else {
        type.unsupported = "variable_pointers";
      }
      if (m_.Type(type.element) == nullptr) {
        // What a forward pointer points at, or a forward pointer itself: may still come.
        if (type.storage != spv::StorageClass::PhysicalStorageBuffer &&
            (type.element >= m_.bound || !forward_[type.element])) {
          return Invalid("pointer to what is no type", inst.result);
        }
        pointers_ahead_.push_back(inst.result);
      }
      break;
    default:
      // Queries and the like: nothing is known of them but that no value can be held.
      type.kind = SpirvType::kOpaque;
      type.unsupported = CauseOf(inst.op);
      if (type.unsupported.empty()) return Invalid(OpText(inst.op) + " outside functions");
      break;
  }
  FRONT_RETURN_IF_ERROR(status);
  if (type.depth > kMaxTypeDepth) {
    return Refused("nesting_too_deep", "types are nested too deep", inst.result);
  }
  FRONT_RETURN_IF_ERROR(
      Define(inst.result, {SpirvDef::kType, static_cast<uint32_t>(m_.types.size())}));
  m_.types.push_back(type);
  return absl::OkStatus();
}

absl::Status Parser::ScalarType(const SpirvInst& inst, SpirvType& type) {
  type.leaves = 1;
  if (inst.op == spv::Op::OpTypeBool) {
    type.kind = SpirvType::kBool;
    return absl::OkStatus();
  }
  const uint32_t width = inst.operand(2);
  const bool is_int = inst.op == spv::Op::OpTypeInt;
  type.kind = is_int ? SpirvType::kInt : SpirvType::kFloat;
  type.is_signed = is_int && inst.operand(3) != 0;
  if (width != 8 && width != 16 && width != 32 && width != 64) {
    return Invalid("scalar type of an unknown width", inst.result);
  }
  if (width == 8 && !is_int) return Invalid("scalar type of an unknown width", inst.result);
  type.width = static_cast<uint8_t>(width);
  if (width == 64 && !is_int) type.unsupported = "float64";
  return absl::OkStatus();
}

absl::Status Parser::VectorType(const SpirvInst& inst, SpirvType& type) {
  const bool matrix = inst.op == spv::Op::OpTypeMatrix;
  type.kind = matrix ? SpirvType::kMatrix : SpirvType::kVector;
  type.element = inst.operand(2);
  type.count = inst.operand(3);
  const SpirvType* element = m_.Type(type.element);
  if (element == nullptr) return Invalid("component type is no type", inst.result);
  const bool scalar = element->kind == SpirvType::kBool || element->kind == SpirvType::kInt ||
                      element->kind == SpirvType::kFloat;
  if (matrix ? element->kind != SpirvType::kVector : !scalar) {
    return Invalid("vector or matrix of the wrong component type", inst.result);
  }
  if (matrix && m_.Type(element->element)->kind != SpirvType::kFloat) {
    return Invalid("matrix of other than floats", inst.result);
  }
  if (type.count < 2 || type.count > 16) return Invalid("component count", inst.result);
  type.depth = element->depth + 1;
  type.leaves = element->leaves * type.count;
  type.unsupported = element->unsupported;
  if (type.count > 4) type.unsupported = "kernel";
  return absl::OkStatus();
}

absl::Status Parser::ArrayType(const SpirvInst& inst, SpirvType& type) {
  type.element = inst.operand(2);
  static constexpr SpirvType kForwardPointer = {.kind = SpirvType::kPointer, .leaves = 1, .unsupported = ""};
  const SpirvType* element = m_.Type(type.element);
  if (element == nullptr && type.element < m_.bound && forward_[type.element]) {
    element = &kForwardPointer;
  }
  if (element == nullptr || element->kind == SpirvType::kVoid ||
      element->kind == SpirvType::kFunction) {
    return Invalid("array of what is no type", inst.result);
  }
  type.depth = element->depth + 1;
  type.array_stride = m_.decorations[inst.result < m_.bound ? inst.result : 0].array_stride;
  type.unsupported = element->unsupported;
  type.has_coherent = element->has_coherent;
  type.has_volatile = element->has_volatile;
  if (inst.op == spv::Op::OpTypeRuntimeArray) {
    type.kind = SpirvType::kRuntimeArray;
    if (type.unsupported.empty()) type.unsupported = "composite_too_large";
    return absl::OkStatus();
  }
  type.kind = SpirvType::kArray;
  if (!m_.IntConstant(inst.operand(3), &type.count)) {
    const SpirvConstant* length = m_.Constant(inst.operand(3));
    if (length != nullptr && length->kind == SpirvConstant::kUnsupported) {
      return Refused(length->cause, "array length", inst.result);
    }
    return Invalid("array length is no constant", inst.result);
  }
  if (type.count == 0) {
    const SpirvConstant* length = m_.Constant(inst.operand(3));
    const bool specialised = m_.spec_dependent[m_.Def(inst.operand(3)).index];
    if (length == nullptr || !specialised) return Invalid("array of no elements", inst.result);
    // No valid access tells an array without elements from one with an element.
    type.count = 1;
  }
  type.leaves = SaturatingLeaves(uint64_t{element->leaves} * type.count);
  return absl::OkStatus();
}

// The numbers that SPIR-V gives to image formats, in order.
constexpr mir::ImageFormat kImageFormats[] = {
    mir::ImageFormat::kUnknown,     mir::ImageFormat::kRgba32f,    mir::ImageFormat::kRgba16f,
    mir::ImageFormat::kR32f,        mir::ImageFormat::kRgba8,      mir::ImageFormat::kRgba8Snorm,
    mir::ImageFormat::kRg32f,       mir::ImageFormat::kRg16f,      mir::ImageFormat::kR11g11b10f,
    mir::ImageFormat::kR16f,        mir::ImageFormat::kRgba16,     mir::ImageFormat::kRgb10a2,
    mir::ImageFormat::kRg16,        mir::ImageFormat::kRg8,        mir::ImageFormat::kR16,
    mir::ImageFormat::kR8,          mir::ImageFormat::kRgba16Snorm, mir::ImageFormat::kRg16Snorm,
    mir::ImageFormat::kRg8Snorm,    mir::ImageFormat::kR16Snorm,   mir::ImageFormat::kR8Snorm,
    mir::ImageFormat::kRgba32i,     mir::ImageFormat::kRgba16i,    mir::ImageFormat::kRgba8i,
    mir::ImageFormat::kR32i,        mir::ImageFormat::kRg32i,      mir::ImageFormat::kRg16i,
    mir::ImageFormat::kRg8i,        mir::ImageFormat::kR16i,       mir::ImageFormat::kR8i,
    mir::ImageFormat::kRgba32ui,    mir::ImageFormat::kRgba16ui,   mir::ImageFormat::kRgba8ui,
    mir::ImageFormat::kR32ui,       mir::ImageFormat::kRgb10a2ui,  mir::ImageFormat::kRg32ui,
    mir::ImageFormat::kRg16ui,      mir::ImageFormat::kRg8ui,      mir::ImageFormat::kR16ui,
    mir::ImageFormat::kR8ui,
};

bool ImageDimOf(spv::Dim dim, mir::ImageDim* out) {
  switch (dim) {
    case spv::Dim::Dim1D:
      *out = mir::ImageDim::k1D;
      return true;
    case spv::Dim::Dim2D:
      *out = mir::ImageDim::k2D;
      return true;
    case spv::Dim::Dim3D:
      *out = mir::ImageDim::k3D;
      return true;
    case spv::Dim::Cube:
      *out = mir::ImageDim::kCube;
      return true;
    case spv::Dim::Buffer:
      *out = mir::ImageDim::kBuffer;
      return true;
    default:
      return false;
  }
}

// Images are refused where they are accessed, as everything is; the reason is found here.
absl::Status Parser::ImageType(const SpirvInst& inst, SpirvType& type) {
  type.unsupported = "image_values";
  if (inst.op == spv::Op::OpTypeSampler) {
    type.kind = SpirvType::kSampler;
    return absl::OkStatus();
  }
  if (inst.op == spv::Op::OpTypeSampledImage) {
    type.kind = SpirvType::kSampledImage;
    type.element = inst.operand(2);
    const SpirvType* image = m_.Type(type.element);
    if (image == nullptr || image->kind != SpirvType::kImage) {
      return Invalid("sampled image of what is no image", inst.result);
    }
    type.image = image->image;
    type.image_unsupported = image->image_unsupported;
    if (type.image_unsupported.empty() && image->storage_image) type.image_unsupported = "images";
    return absl::OkStatus();
  }
  type.kind = SpirvType::kImage;
  const SpirvType* component = m_.Type(inst.operand(2));
  if (component == nullptr) return Invalid("image of what is no type", inst.result);
  const uint32_t sampled = inst.operand(7);
  const uint32_t format = inst.operand(8);
  type.storage_image = sampled == 2;
  type.image.arrayed = inst.operand(5) != 0;
  type.image.multisampled = inst.operand(6) != 0;
  const bool is_int = component->kind == SpirvType::kInt;
  type.image.component = !is_int                ? mir::ComponentType::kFloat
                         : component->is_signed ? mir::ComponentType::kSint
                                                : mir::ComponentType::kUint;
  if (!ImageDimOf(static_cast<spv::Dim>(inst.operand(3)), &type.image.dim) ||
      (sampled != 1 && sampled != 2) || format >= std::size(kImageFormats) ||
      (!is_int && component->kind != SpirvType::kFloat)) {
    type.image_unsupported = "images";
    return absl::OkStatus();
  }
  if (component->width != 32) type.image_unsupported = "images";
  const mir::ImageDim dim = type.image.dim;
  const bool layered = dim == mir::ImageDim::k3D || dim == mir::ImageDim::kBuffer;
  if (layered && type.image.arrayed) return Invalid("array of what has no layers", inst.result);
  if (type.image.multisampled && dim != mir::ImageDim::k2D) {
    return Invalid("multisampled image that is not flat", inst.result);
  }
  // A format on an image that is sampled says nothing about it.
  if (type.storage_image) type.image.format = kImageFormats[format];
  return absl::OkStatus();
}

void Parser::ApplyToMember(uint32_t struct_id, uint32_t index, SpirvMember& member) {
  const auto before = [](const Decoration& a, const Decoration& b) {
    return std::pair(a.target, a.member) < std::pair(b.target, b.member);
  };
  if (!members_sorted_) {
    std::stable_sort(member_decorations_.begin(), member_decorations_.end(), before);
    members_sorted_ = true;
  }
  const Decoration key{struct_id, index};
  const auto [first, last] =
      std::equal_range(member_decorations_.begin(), member_decorations_.end(), key, before);
  for (auto it = first; it != last; ++it) {
    switch (it->kind) {
      case spv::Decoration::Offset:
        member.offset = it->operand;
        break;
      case spv::Decoration::MatrixStride:
        member.matrix_stride = it->operand;
        break;
      case spv::Decoration::RowMajor:
        member.row_major = true;
        break;
      case spv::Decoration::NonWritable:
        member.non_writable = true;
        break;
      case spv::Decoration::Coherent:
        member.coherent = true;
        break;
      case spv::Decoration::Volatile:
        member.is_volatile = true;
        break;
      case spv::Decoration::BuiltIn:
        member.builtin = it->operand;
        break;
      default:
        break;
    }
  }
}

absl::Status Parser::StructType(const SpirvInst& inst, SpirvType& type) {
  type.kind = SpirvType::kStruct;
  type.first_member = static_cast<uint32_t>(m_.members.size());
  type.count = static_cast<uint32_t>(inst.size() - 2);
  if (type.count > kMaxMembers) return Invalid("too many struct members", inst.result);
  uint64_t leaves = 0;
  for (uint32_t i = 0; i < type.count; ++i) {
    SpirvMember member;
    member.type = inst.words[2 + i];
    member.leaf = SaturatingLeaves(leaves);
    const SpirvType* t = m_.Type(member.type);
    if (t == nullptr) {
      if (member.type >= m_.bound || !forward_[member.type]) {
        return Invalid("struct member of what is no type", inst.result);
      }
      leaves += 1;  // a pointer that is still to come: an address
    } else {
      if (t->kind == SpirvType::kVoid || t->kind == SpirvType::kFunction) {
        return Invalid("struct member of what is no type", inst.result);
      }
      type.depth = std::max<uint8_t>(type.depth, t->depth + 1);
      leaves += t->leaves;
      if (type.unsupported.empty()) type.unsupported = t->unsupported;
    }
    ApplyToMember(inst.result, i, member);
    type.has_coherent |= member.coherent || (t != nullptr && t->has_coherent);
    type.has_volatile |= member.is_volatile || (t != nullptr && t->has_volatile);
    m_.members.push_back(member);
  }
  type.leaves = SaturatingLeaves(leaves);
  return absl::OkStatus();
}

absl::Status Parser::FunctionType(const SpirvInst& inst, SpirvType& type) {
  type.kind = SpirvType::kFunction;
  type.element = inst.operand(2);
  type.first_member = static_cast<uint32_t>(m_.members.size());
  type.count = static_cast<uint32_t>(inst.size() - 3);
  if (m_.Type(type.element) == nullptr) return Invalid("function result type", inst.result);
  if (type.count > kMaxParameters) return Invalid("too many parameters", inst.result);
  for (uint32_t i = 0; i < type.count; ++i) {
    SpirvMember parameter;
    parameter.type = inst.words[3 + i];
    if (m_.Type(parameter.type) == nullptr) return Invalid("parameter type", inst.result);
    m_.members.push_back(parameter);
  }
  return absl::OkStatus();
}

// ---- Constants ----

std::optional<uint64_t> Parser::Override(uint32_t id) const {
  const auto spec_id = id < m_.bound ? m_.decorations[id].spec_id : std::nullopt;
  if (!spec_id.has_value()) return std::nullopt;
  for (const SpecConstant& s : specialisation_) {
    if (s.spec_id == *spec_id) return s.bits;
  }
  return std::nullopt;
}

absl::Status Parser::ConstantInst(const SpirvInst& inst) {
  const SpirvType& type = *m_.Type(inst.type);
  SpirvConstant c;
  c.type = inst.type;
  c.kind = SpirvConstant::kLeaves;
  c.first_leaf = static_cast<uint32_t>(m_.constant_leaves.size());
  if (!type.unsupported.empty()) {
    c.kind = SpirvConstant::kUnsupported;
    c.cause = type.unsupported;
  } else if (type.leaves == 0 && type.kind != SpirvType::kStruct) {
    return Invalid("constant of a type without values", inst.result);
  } else if (type.leaves > kMaxLeaves && inst.op != spv::Op::OpConstantNull &&
             inst.op != spv::Op::OpUndef) {
    c.kind = SpirvConstant::kUnsupported;
    c.cause = "composite_too_large";
  }
  absl::Status status = absl::OkStatus();
  if (c.kind == SpirvConstant::kLeaves) {
    switch (inst.op) {
      case spv::Op::OpConstantTrue:
      case spv::Op::OpConstantFalse:
      case spv::Op::OpSpecConstantTrue:
      case spv::Op::OpSpecConstantFalse:
      case spv::Op::OpConstant:
      case spv::Op::OpSpecConstant:
        status = ScalarConstant(inst, type, c);
        break;
      case spv::Op::OpConstantComposite:
      case spv::Op::OpSpecConstantComposite:
        status = CompositeConstant(inst, type, c);
        break;
      case spv::Op::OpConstantNull:
        c.kind = SpirvConstant::kNull;
        break;
      case spv::Op::OpUndef:
        c.kind = SpirvConstant::kUndef;
        break;
      case spv::Op::OpSpecConstantOp:
        status = SpecOp(inst, type, c);
        break;
      default: {
        const std::string_view cause = CauseOf(inst.op);
        if (cause.empty()) return Invalid(OpText(inst.op) + " outside functions", inst.result);
        c.kind = SpirvConstant::kUnsupported;
        c.cause = cause;
      }
    }
  }
  FRONT_RETURN_IF_ERROR(status);
  if (m_.constant_leaves.size() > kMaxConstantLeaves) {
    return Refused("module_too_large", "too many constants", inst.result);
  }
  FRONT_RETURN_IF_ERROR(Define(
      inst.result,
      {SpirvDef::kConstant, static_cast<uint32_t>(m_.constants.size()), kNoValue, inst.type}));
  c.specialisable = IsSpecialisable(inst.op);
  m_.constants.push_back(c);
  m_.spec_dependent.push_back(inst.op == spv::Op::OpSpecConstant ||
                              inst.op == spv::Op::OpSpecConstantOp);
  return absl::OkStatus();
}

absl::Status Parser::ScalarConstant(const SpirvInst& inst, const SpirvType& type, SpirvConstant&) {
  const bool is_bool = inst.op != spv::Op::OpConstant && inst.op != spv::Op::OpSpecConstant;
  if (is_bool ? type.kind != SpirvType::kBool
              : type.kind != SpirvType::kInt && type.kind != SpirvType::kFloat) {
    return Invalid("constant of the wrong type", inst.result);
  }
  // A literal of less than 32 bits is extended to a word.
  uint64_t bits = inst.operand(3);
  if (type.width == 64) bits |= uint64_t{inst.operand(4)} << 32;
  if (is_bool) {
    bits = inst.op == spv::Op::OpConstantTrue || inst.op == spv::Op::OpSpecConstantTrue;
  }
  const std::optional<uint64_t> given =
      IsSpecialisable(inst.op) ? Override(inst.result) : std::nullopt;
  if (given.has_value()) bits = is_bool ? *given != 0 : *given;
  const uint32_t width = is_bool ? 1 : type.width;
  m_.constant_leaves.push_back(bits & (~uint64_t{0} >> (64 - width)));
  return absl::OkStatus();
}

absl::Status Parser::CompositeConstant(const SpirvInst& inst, const SpirvType& type,
                                       SpirvConstant&) {
  const bool composite = type.kind == SpirvType::kVector || type.kind == SpirvType::kMatrix ||
                         type.kind == SpirvType::kArray || type.kind == SpirvType::kStruct;
  if (!composite || inst.size() != type.count + 3) {
    return Invalid("composite constant does not fit its type", inst.result);
  }
  for (uint32_t i = 0; i < type.count; ++i) {
    const uint32_t expected =
        type.kind == SpirvType::kStruct ? m_.members[type.first_member + i].type : type.element;
    const SpirvConstant* part = m_.Constant(inst.words[3 + i]);
    if (part == nullptr || part->type != expected || part->kind == SpirvConstant::kUnsupported) {
      return Invalid("constituent does not fit the type of its composite", inst.result);
    }
    const SpirvConstant copy = *part;
    const uint32_t leaves = m_.Type(expected)->leaves;
    for (uint32_t leaf = 0; leaf < leaves; ++leaf) {
      m_.constant_leaves.push_back(m_.ConstantLeaf(copy, leaf));
    }
  }
  return absl::OkStatus();
}

// Of a scalar or of the components of a vector; 1 of bools.
uint32_t Parser::ScalarWidth(const SpirvType& type) const {
  const SpirvType& scalar = type.kind == SpirvType::kVector ? *m_.Type(type.element) : type;
  return scalar.kind == SpirvType::kInt || scalar.kind == SpirvType::kFloat ? scalar.width : 1;
}

absl::Status Parser::SpecOp(const SpirvInst& inst, const SpirvType& type, SpirvConstant& c) {
  const auto op = static_cast<spv::Op>(inst.operand(3));
  if (op == spv::Op::OpCompositeExtract || op == spv::Op::OpCompositeInsert ||
      op == spv::Op::OpVectorShuffle) {
    return SpecComposite(inst, op, type, c);
  }
  if (!CauseOf(op).empty()) {
    c.kind = SpirvConstant::kUnsupported;
    c.cause = CauseOf(op);
    return absl::OkStatus();
  }
  const size_t count = inst.size() - 4;
  if (count == 0 || count > 3) return Invalid("OpSpecConstantOp operand count", inst.result);
  std::array<SpirvConstant, 3> operands;
  std::array<uint32_t, 3> leaves = {};
  for (size_t i = 0; i < count; ++i) {
    const SpirvConstant* operand = m_.Constant(inst.words[4 + i]);
    if (operand == nullptr) return Invalid("operand is no constant", inst.result);
    if (operand->kind == SpirvConstant::kUnsupported) {
      c.kind = SpirvConstant::kUnsupported;
      c.cause = operand->cause;
      return absl::OkStatus();
    }
    operands[i] = *operand;
    leaves[i] = m_.Type(operand->type)->leaves;
    const bool scalar_condition = op == spv::Op::OpSelect && i == 0 && leaves[0] == 1;
    if (leaves[i] != type.leaves && !scalar_condition) {
      return Invalid("operand does not fit the result", inst.result);
    }
  }
  if (op == spv::Op::OpSelect) return SpecSelect(inst, type, operands, leaves[0] == 1);
  if (type.kind != SpirvType::kVector && type.kind != SpirvType::kInt &&
      type.kind != SpirvType::kFloat && type.kind != SpirvType::kBool) {
    return Invalid("arithmetic on what is no scalar and no vector", inst.result);
  }
  for (uint32_t leaf = 0; leaf < type.leaves; ++leaf) {
    std::array<uint64_t, 3> values = {};
    for (size_t i = 0; i < count; ++i) {
      values[i] = m_.ConstantLeaf(operands[i], leaves[i] == 1 ? 0 : leaf);
    }
    uint64_t result = 0;
    const uint32_t width = ScalarWidth(*m_.Type(operands[0].type));
    if (!EvaluateFloat(op, ScalarWidth(type), width, values[0], &result) &&
        !EvaluateScalar(op, ScalarWidth(type), width, absl::MakeConstSpan(values).first(count),
                        &result)) {
      c.kind = SpirvConstant::kUnsupported;
      c.cause = "kernel";
      return absl::OkStatus();
    }
    m_.constant_leaves.push_back(result);
  }
  return absl::OkStatus();
}

// Of values of any type: composites that are no vectors are chosen by one condition.
absl::Status Parser::SpecSelect(const SpirvInst& inst, const SpirvType& type,
                                const std::array<SpirvConstant, 3>& operands, bool one_condition) {
  const bool whole = type.kind != SpirvType::kVector || one_condition;
  if (operands[1].type != inst.type || operands[2].type != inst.type ||
      (whole && !one_condition) || ScalarWidth(*m_.Type(operands[0].type)) != 1) {
    return Invalid("operand does not fit the result", inst.result);
  }
  for (uint32_t leaf = 0; leaf < type.leaves; ++leaf) {
    const bool chosen = m_.ConstantLeaf(operands[0], one_condition ? 0 : leaf) != 0;
    m_.constant_leaves.push_back(m_.ConstantLeaf(operands[chosen ? 1 : 2], leaf));
  }
  return absl::OkStatus();
}

absl::Status Parser::SpecComposite(const SpirvInst& inst, spv::Op op, const SpirvType& type,
                                   SpirvConstant& c) {
  for (size_t i = 4; i < 6; ++i) {
    if (i == 5 && op == spv::Op::OpCompositeExtract) break;
    const SpirvConstant* operand = m_.Constant(inst.operand(i));
    if (operand == nullptr) return Invalid("operand is no constant", inst.result);
    if (operand->kind == SpirvConstant::kUnsupported) {
      c.kind = SpirvConstant::kUnsupported;
      c.cause = operand->cause;
      return absl::OkStatus();
    }
  }
  if (op == spv::Op::OpCompositeExtract) return SpecExtract(inst, type, c);
  if (op == spv::Op::OpCompositeInsert) return SpecInsert(inst, c);
  if (inst.size() - 6 != type.leaves) return Invalid("shuffle of another size", inst.result);
  return SpecShuffle(inst, c);
}

// Walks literal indices from `first` on; gives the type reached and its first leaf.
absl::Status Parser::Path(const SpirvInst& inst, size_t first, uint32_t type_id, uint32_t* type,
                          uint32_t* leaf) {
  *leaf = 0;
  for (size_t i = first; i < inst.size(); ++i) {
    const SpirvType& t = *m_.Type(type_id);
    const uint32_t index = inst.words[i];
    if (index >= t.count) return Invalid("index outside the composite", inst.result);
    if (t.kind == SpirvType::kStruct) {
      *leaf += m_.members[t.first_member + index].leaf;
      type_id = m_.members[t.first_member + index].type;
    } else if (t.kind == SpirvType::kVector || t.kind == SpirvType::kMatrix ||
               t.kind == SpirvType::kArray) {
      *leaf += index * m_.Type(t.element)->leaves;
      type_id = t.element;
    } else {
      return Invalid("index into what is no composite", inst.result);
    }
  }
  *type = type_id;
  return absl::OkStatus();
}

absl::Status Parser::SpecExtract(const SpirvInst& inst, const SpirvType& type, SpirvConstant&) {
  const SpirvConstant base = *m_.Constant(inst.operand(4));
  uint32_t reached = 0;
  uint32_t leaf = 0;
  FRONT_RETURN_IF_ERROR(Path(inst, 5, base.type, &reached, &leaf));
  if (reached != inst.type) return Invalid("extract of another type", inst.result);
  for (uint32_t i = 0; i < type.leaves; ++i) {
    m_.constant_leaves.push_back(m_.ConstantLeaf(base, leaf + i));
  }
  return absl::OkStatus();
}

absl::Status Parser::SpecInsert(const SpirvInst& inst, SpirvConstant&) {
  const SpirvConstant object = *m_.Constant(inst.operand(4));
  const SpirvConstant base = *m_.Constant(inst.operand(5));
  uint32_t reached = 0;
  uint32_t leaf = 0;
  FRONT_RETURN_IF_ERROR(Path(inst, 6, base.type, &reached, &leaf));
  if (reached != object.type || base.type != inst.type) {
    return Invalid("insert of another type", inst.result);
  }
  const uint32_t inserted = m_.Type(object.type)->leaves;
  const uint32_t total = m_.Type(base.type)->leaves;
  for (uint32_t i = 0; i < total; ++i) {
    const bool inside = i >= leaf && i - leaf < inserted;
    m_.constant_leaves.push_back(inside ? m_.ConstantLeaf(object, i - leaf)
                                        : m_.ConstantLeaf(base, i));
  }
  return absl::OkStatus();
}

absl::Status Parser::SpecShuffle(const SpirvInst& inst, SpirvConstant&) {
  const SpirvConstant a = *m_.Constant(inst.operand(4));
  const SpirvConstant b = *m_.Constant(inst.operand(5));
  const uint32_t na = m_.Type(a.type)->leaves;
  const uint32_t nb = m_.Type(b.type)->leaves;
  if (m_.Type(a.type)->kind != SpirvType::kVector || m_.Type(b.type)->kind != SpirvType::kVector) {
    return Invalid("shuffle of what is no vector", inst.result);
  }
  for (size_t i = 6; i < inst.size(); ++i) {
    const uint32_t index = inst.words[i];
    if (index != kNoValue && index >= na + nb) return Invalid("shuffle index", inst.result);
    uint64_t value = 0;  // of an undefined component
    if (index < na) value = m_.ConstantLeaf(a, index);
    if (index >= na && index < na + nb) value = m_.ConstantLeaf(b, index - na);
    m_.constant_leaves.push_back(value);
  }
  return absl::OkStatus();
}

absl::Status Parser::VariableInst(const SpirvInst& inst) {
  const SpirvType& type = *m_.Type(inst.type);
  if (type.kind != SpirvType::kPointer) return Invalid("variable of no pointer type", inst.result);
  SpirvVariable variable;
  variable.id = inst.result;
  variable.type = inst.type;
  variable.pointee = type.element;
  variable.storage = type.storage;
  variable.initializer = inst.operand(4);
  FRONT_RETURN_IF_ERROR(Define(
      inst.result,
      {SpirvDef::kVariable, static_cast<uint32_t>(m_.variables.size()), kNoValue, inst.type}));
  m_.variables.push_back(variable);
  return absl::OkStatus();
}

// ---- Functions ----

absl::Status Parser::FunctionScope(const SpirvInst& inst, uint32_t offset) {
  const auto index = static_cast<uint32_t>(m_.functions.size());
  switch (inst.op) {
    case spv::Op::OpFunction: {
      if (in_function_) return Invalid("function inside a function", inst.result);
      const SpirvType* type = m_.Type(inst.operand(4));
      if (type == nullptr || type->kind != SpirvType::kFunction || type->element != inst.type) {
        return Invalid("function type", inst.result);
      }
      in_function_ = true;
      in_block_ = false;
      function_ = SpirvFunction();
      function_.id = inst.result;
      function_.type = inst.operand(4);
      function_.return_type = inst.type;
      function_.first_block = static_cast<uint32_t>(m_.blocks.size());
      return Define(inst.result, {SpirvDef::kFunction, index, kNoValue, inst.type});
    }
    case spv::Op::OpFunctionParameter: {
      const SpirvType& type = *m_.Type(function_.type);
      const size_t n = function_.parameters.size();
      if (m_.blocks.size() != function_.first_block || n >= type.count ||
          m_.members[type.first_member + n].type != inst.type) {
        return Invalid("function parameter", inst.result);
      }
      function_.parameters.push_back(inst.result);
      function_.parameter_types.push_back(inst.type);
      return Define(inst.result, {SpirvDef::kBody, offset, index, inst.type});
    }
    case spv::Op::OpFunctionEnd:
      if (in_block_) return Invalid("block without a terminator", function_.id);
      if (function_.parameters.size() != m_.Type(function_.type)->count) {
        return Invalid("parameters missing", function_.id);
      }
      function_.end_block = static_cast<uint32_t>(m_.blocks.size());
      m_.functions.push_back(std::move(function_));
      in_function_ = false;
      return absl::OkStatus();
    case spv::Op::OpLabel: {
      if (in_block_) return Invalid("block without a terminator", inst.result);
      SpirvBlock block;
      block.label = inst.result;
      block.first = block.end = static_cast<uint32_t>(m_.body_offsets.size());
      FRONT_RETURN_IF_ERROR(
          Define(inst.result, {SpirvDef::kLabel, static_cast<uint32_t>(m_.blocks.size()), index}));
      m_.blocks.push_back(block);
      in_block_ = true;
      return absl::OkStatus();
    }
    default:
      return Body(inst, offset);
  }
}

bool IsTerminator(spv::Op op) {
  switch (op) {
    case spv::Op::OpBranch:
    case spv::Op::OpBranchConditional:
    case spv::Op::OpSwitch:
    case spv::Op::OpReturn:
    case spv::Op::OpReturnValue:
    case spv::Op::OpKill:
    case spv::Op::OpTerminateInvocation:
    case spv::Op::OpIgnoreIntersectionKHR:
    case spv::Op::OpTerminateRayKHR:
    case spv::Op::OpEmitMeshTasksEXT:
    case spv::Op::OpUnreachable:
      return true;
    default:
      return false;
  }
}

absl::Status Parser::Body(const SpirvInst& inst, uint32_t offset) {
  const auto index = static_cast<uint32_t>(m_.functions.size());
  const bool non_semantic =
      inst.op == spv::Op::OpExtInst && m_.InstSet(inst.operand(3)) == ExtInstSet::kNonSemantic;
  if (non_semantic) return Define(inst.result, {SpirvDef::kOther});
  if (!in_block_) return Invalid(OpText(inst.op) + " outside blocks", function_.id);
  if (inst.result != 0) {
    FRONT_RETURN_IF_ERROR(Define(inst.result, {SpirvDef::kBody, offset, index, inst.type}));
  }
  SpirvBlock& block = m_.blocks.back();
  m_.body_offsets.push_back(offset);
  block.end = static_cast<uint32_t>(m_.body_offsets.size());
  if (inst.op == spv::Op::OpSelectionMerge || inst.op == spv::Op::OpLoopMerge) {
    if (block.merge != 0) return Invalid("two merge instructions in a block", block.label);
    block.merge = inst.operand(1);
    if (inst.op == spv::Op::OpLoopMerge) block.continue_target = inst.operand(2);
  }
  if (IsTerminator(inst.op)) in_block_ = false;
  return absl::OkStatus();
}

}  // namespace

const SpirvType* SpirvModule::Type(uint32_t id) const {
  const SpirvDef& def = Def(id);
  return def.kind == SpirvDef::kType ? &types[def.index] : nullptr;
}

const SpirvConstant* SpirvModule::Constant(uint32_t id) const {
  const SpirvDef& def = Def(id);
  return def.kind == SpirvDef::kConstant ? &constants[def.index] : nullptr;
}

const SpirvVariable* SpirvModule::Variable(uint32_t id) const {
  const SpirvDef& def = Def(id);
  return def.kind == SpirvDef::kVariable ? &variables[def.index] : nullptr;
}

const SpirvFunction* SpirvModule::Function(uint32_t id) const {
  const SpirvDef& def = Def(id);
  return def.kind == SpirvDef::kFunction && def.index < functions.size() ? &functions[def.index]
                                                                         : nullptr;
}

SpirvInst SpirvModule::Inst(uint32_t offset) const {
  SpirvInst inst;
  inst.op = static_cast<spv::Op>(words[offset] & 0xffff);
  inst.words = absl::MakeConstSpan(words.data() + offset, words[offset] >> 16);
  const InstructionLayout* layout = LayoutOf(inst.op);
  if (layout == nullptr) return inst;
  if (layout->has_type) inst.type = inst.operand(1);
  if (layout->has_result) inst.result = inst.operand(layout->has_type ? 2 : 1);
  return inst;
}

ExtInstSet SpirvModule::InstSet(uint32_t id) const {
  const SpirvDef& def = Def(id);
  return def.kind == SpirvDef::kExtInstSet ? static_cast<ExtInstSet>(def.index) : ExtInstSet::kNone;
}

uint64_t SpirvModule::ConstantLeaf(const SpirvConstant& constant, uint32_t leaf) const {
  if (constant.kind != SpirvConstant::kLeaves) return 0;
  return constant_leaves[constant.first_leaf + leaf];
}

bool SpirvModule::IntConstant(uint32_t id, uint32_t* value) const {
  const SpirvConstant* c = Constant(id);
  if (c == nullptr || c->kind == SpirvConstant::kUnsupported || c->kind == SpirvConstant::kUndef ||
      Type(c->type)->kind != SpirvType::kInt) {
    return false;
  }
  const uint64_t bits = ConstantLeaf(*c, 0);
  *value = static_cast<uint32_t>(bits);
  return bits >> 32 == 0;
}

bool SpirvModule::Declares(spv::Capability capability) const {
  return std::find(capabilities.begin(), capabilities.end(), capability) != capabilities.end();
}

size_t SpirvModule::SwitchLiteralWords(const SpirvInst& inst) const {
  const SpirvType* type = Type(Def(inst.operand(1)).type);
  return type != nullptr && type->kind == SpirvType::kInt && type->width == 64 ? 2 : 1;
}

absl::StatusOr<SpirvModule> ParseSpirv(absl::Span<const uint32_t> words,
                                       absl::Span<const SpecConstant> specialisation) {
  SpirvModule module;
  module.words.assign(words.begin(), words.end());
  const absl::Status status = Parser(module, specialisation).Run();
  if (!status.ok()) return WithOriginalId(status, module.original_ids);
  return module;
}

}  // namespace kiln::front
