// Emits instructions that move parts of composites.
//
// A composite is its scalar leaves in order (layout.h), so most of these only choose leaves.
#include <algorithm>

#include "core/front/emit/emit.h"
#include "core/front/emit/inst_emitter.h"

namespace kiln::front {
namespace {

class CompositeEmitter : public InstEmitter {
 public:
  using InstEmitter::InstEmitter;

  bool EmitComposite(const SpirvInst& inst, bool* handled);

 private:
  bool EmitUndef(const SpirvInst& inst);
  bool EmitCopyObject(const SpirvInst& inst);
  bool EmitExpect(const SpirvInst& inst);
  bool EmitConstruct(const SpirvInst& inst);
  bool EmitReplica(const SpirvInst& inst);
  bool Path(const SpirvInst& inst, size_t first, uint32_t* type, uint32_t* leaf);
  bool EmitExtract(const SpirvInst& inst);
  bool EmitInsert(const SpirvInst& inst);
  bool EmitShuffle(const SpirvInst& inst);
  bool EmitExtractDynamic(const SpirvInst& inst);
  bool EmitInsertDynamic(const SpirvInst& inst);
  bool EmitSelect(const SpirvInst& inst);
};

}  // namespace

bool CompositeEmitter::EmitComposite(const SpirvInst& inst, bool* handled) {
  *handled = true;
  switch (inst.op) {
    case spv::Op::OpUndef: return EmitUndef(inst);
    case spv::Op::OpCopyObject:
    case spv::Op::OpCopyLogical: return EmitCopyObject(inst);
    case spv::Op::OpExpectKHR: return EmitExpect(inst);
    case spv::Op::OpCompositeConstruct: return EmitConstruct(inst);
    case spv::Op::OpCompositeConstructReplicateEXT: return EmitReplica(inst);
    case spv::Op::OpCompositeExtract: return EmitExtract(inst);
    case spv::Op::OpCompositeInsert: return EmitInsert(inst);
    case spv::Op::OpVectorShuffle: return EmitShuffle(inst);
    case spv::Op::OpVectorExtractDynamic: return EmitExtractDynamic(inst);
    case spv::Op::OpVectorInsertDynamic: return EmitInsertDynamic(inst);
    case spv::Op::OpSelect: return EmitSelect(inst);
    default: *handled = false; return true;
  }
}

bool CompositeEmitter::EmitUndef(const SpirvInst& inst) {
  if (Supported(inst.type) == nullptr) return false;
  Leaves leaves;
  for (mir::Type t : LeafTypes(inst.type)) leaves.push_back(builder().Undef(t));
  return Define(inst, leaves);
}

bool CompositeEmitter::EmitCopyObject(const SpirvInst& inst) {
  if (spirv().Type(inst.type)->IsImage()) {
    ImageHandle handle;
    if (!GetImage(inst.operand(3), &handle)) return false;
    if (spirv().Def(inst.operand(3)).type != inst.type) {
      return Malformed("copied types differ", inst.result);
    }
    return DefineImage(inst, handle);
  }
  if (spirv().Type(inst.type)->kind == SpirvType::kPointer &&
      !spirv().Type(inst.type)->IsPhysicalPointer()) {
    Pointer pointer;
    if (!GetPointer(inst.operand(3), &pointer)) return false;
    if (pointer.type != spirv().Type(inst.type)->element) {
      return Malformed("copied types differ", inst.result);
    }
    return DefinePointer(inst, pointer);
  }
  Leaves leaves;
  return Get(inst.operand(3), &leaves) && Define(inst, leaves);
}

// Returns the value itself: the expected value is ignored.
bool CompositeEmitter::EmitExpect(const SpirvInst& inst) {
  const SpirvType& type = *spirv().Type(inst.type);
  const bool is_vector = type.kind == SpirvType::kVector;
  const SpirvType::Kind scalar = is_vector ? spirv().Type(type.element)->kind : type.kind;
  if (scalar != SpirvType::kInt && scalar != SpirvType::kBool) {
    return Malformed("OpExpectKHR on operands that are neither integers nor bools", inst.result);
  }
  Leaves leaves;
  return Get(inst.operand(3), &leaves) && Define(inst, leaves);
}

bool CompositeEmitter::EmitConstruct(const SpirvInst& inst) {
  const SpirvType* type = Supported(inst.type);
  if (type == nullptr) return false;
  Leaves leaves;
  for (size_t i = 3; i < inst.size(); ++i) {
    Leaves part;
    if (!Get(inst.words[i], &part)) return false;
    if (leaves.size() + part.size() > type->leaves) {
      return Malformed("composite has more components than its type", inst.result);
    }
    leaves.insert(leaves.end(), part.begin(), part.end());
  }
  return Define(inst, leaves);
}

// Emits a composite whose constituents are all one value.
bool CompositeEmitter::EmitReplica(const SpirvInst& inst) {
  const SpirvType* type = Supported(inst.type);
  Leaves part;
  uint32_t part_type = 0;
  if (type == nullptr || !Get(inst.operand(3), &part, &part_type)) return false;
  if (!spirv().ConsistsOf(*type, part_type)) {
    return Malformed("constituent is not of its composite's type", inst.result);
  }
  Leaves leaves;
  // The type bounds the number of parts only if they have leaves.
  for (uint32_t i = 0; i < type->count && !part.empty(); ++i) {
    leaves.insert(leaves.end(), part.begin(), part.end());
  }
  return Define(inst, leaves);
}

// Follows literal indices from word `first`; *type is the composite's type and becomes the part's.
bool CompositeEmitter::Path(const SpirvInst& inst, size_t first, uint32_t* type, uint32_t* leaf) {
  *leaf = 0;
  for (size_t i = first; i < inst.size(); ++i) {
    const SpirvType& t = *spirv().Type(*type);
    const uint32_t index = inst.words[i];
    const bool elements =
        t.kind == SpirvType::kVector || t.kind == SpirvType::kMatrix || t.kind == SpirvType::kArray;
    if ((!elements && t.kind != SpirvType::kStruct) || index >= t.count) {
      return Malformed("index outside the composite", inst.result);
    }
    if (elements) {
      *leaf += index * spirv().Type(t.element)->leaves;
      *type = t.element;
    } else {
      *leaf += spirv().members[t.first_member + index].leaf;
      *type = spirv().members[t.first_member + index].type;
    }
  }
  return true;
}

bool CompositeEmitter::EmitExtract(const SpirvInst& inst) {
  Leaves leaves;
  uint32_t type = 0;
  uint32_t leaf = 0;
  if (!Get(inst.operand(3), &leaves, &type) || !Path(inst, 4, &type, &leaf)) return false;
  if (type != inst.type)
    return Malformed("extracted element is not of the result type", inst.result);
  return Define(inst, absl::MakeConstSpan(leaves).subspan(leaf, spirv().Type(type)->leaves));
}

bool CompositeEmitter::EmitInsert(const SpirvInst& inst) {
  Leaves object;
  Leaves leaves;
  uint32_t object_type = 0;
  uint32_t type = 0;
  uint32_t leaf = 0;
  if (!Get(inst.operand(3), &object, &object_type) || !Get(inst.operand(4), &leaves, &type)) {
    return false;
  }
  if (!Path(inst, 5, &type, &leaf)) return false;
  if (type != object_type)
    return Malformed("inserted object is not of the element's type", inst.result);
  std::copy(object.begin(), object.end(), leaves.begin() + leaf);
  return Define(inst, leaves);
}

bool CompositeEmitter::EmitShuffle(const SpirvInst& inst) {
  Leaves a;
  Leaves b;
  if (!Get(inst.operand(3), &a) || !Get(inst.operand(4), &b)) return false;
  const std::vector<mir::Type>& types = LeafTypes(inst.type);
  if (types.size() != inst.size() - 5)
    return Malformed("shuffle's number of components differs from its type's", inst.result);
  Leaves leaves;
  for (size_t i = 5; i < inst.size(); ++i) {
    const uint32_t index = inst.words[i];
    if (index == kNoValue) {
      leaves.push_back(builder().Undef(types[0]));
    } else if (index < a.size()) {
      leaves.push_back(a[index]);
    } else if (index < a.size() + b.size()) {
      leaves.push_back(b[index - a.size()]);
    } else {
      return Malformed("shuffle index exceeds the number of components", inst.result);
    }
  }
  return Define(inst, leaves);
}

bool CompositeEmitter::EmitExtractDynamic(const SpirvInst& inst) {
  Leaves vector;
  uint32_t type = 0;
  ValueId index;
  if (!Get(inst.operand(3), &vector, &type)) return false;
  if (!GetIndex(inst.operand(4), &index)) return false;
  if (spirv().Type(type)->kind != SpirvType::kVector) {
    return Malformed("dynamic component of an operand that is not a vector", inst.result);
  }
  uint32_t bits = 0;
  if (IsConstant(index, &bits)) {
    const ValueId component = vector[std::min<size_t>(bits, vector.size() - 1)];
    return Define(inst, {UndefinedBeyond(index, static_cast<uint32_t>(vector.size()), component)});
  }
  return Define(inst, {SelectComponent(vector, index)});
}

bool CompositeEmitter::EmitInsertDynamic(const SpirvInst& inst) {
  Leaves vector;
  Leaves component;
  uint32_t type = 0;
  ValueId index;
  if (!Get(inst.operand(3), &vector, &type) || !Get(inst.operand(4), &component)) return false;
  if (!GetIndex(inst.operand(5), &index)) return false;
  if (spirv().Type(type)->kind != SpirvType::kVector || component.size() != 1) {
    return Malformed("dynamic component of an operand that is not a vector", inst.result);
  }
  for (size_t i = 0; i < vector.size(); ++i) {
    const ValueId is = Emit(mir::Op::kIeq, {index, Int(static_cast<uint32_t>(i))});
    vector[i] = UndefinedBeyond(index, static_cast<uint32_t>(vector.size()),
                                Emit(mir::Op::kSelect, {is, component[0], vector[i]}));
  }
  return Define(inst, vector);
}

bool CompositeEmitter::EmitSelect(const SpirvInst& inst) {
  Leaves condition;
  Leaves a;
  Leaves b;
  if (!Get(inst.operand(3), &condition) || !Get(inst.operand(4), &a) || !Get(inst.operand(5), &b)) {
    return false;
  }
  if (a.size() != b.size() || (condition.size() != 1 && condition.size() != a.size())) {
    return Malformed("select's operands differ in number of components", inst.result);
  }
  Leaves leaves;
  for (size_t i = 0; i < a.size(); ++i) {
    leaves.push_back(
        Emit(mir::Op::kSelect, {condition[condition.size() == 1 ? 0 : i], a[i], b[i]}));
  }
  return ok() && Define(inst, leaves);
}

bool EmitComposite(ImportContext& c, const SpirvInst& inst, bool* handled) {
  return CompositeEmitter(c).EmitComposite(inst, handled);
}

}  // namespace kiln::front
