#include "core/front/emit/shared_memory.h"

#include <algorithm>

#include "core/front/emit/inst_emitter.h"
#include "core/front/grammar/spirv_grammar.h"
#include "core/front/plan/layout.h"

namespace kiln::front {
namespace {

// targets have lower limits, which their back ends check
constexpr uint32_t kMaxSharedBytes = 1u << 24;

// Returns, by index, whether reachable code mentions a variable of shared memory or push constants;
// others take no space there. The grammar is consulted only for instructions with a word that might
// be the id of a variable not found yet.
std::vector<bool> UsedVariables(const SpirvModule& spirv, const Plan& plan) {
  std::vector<bool> used(spirv.variables.size());
  const auto counts = [](const SpirvVariable& v) {
    return v.storage == spv::StorageClass::Workgroup ||
           v.storage == spv::StorageClass::PushConstant;
  };
  if (std::none_of(spirv.variables.begin(), spirv.variables.end(), counts)) return used;
  const auto is_new = [&](uint32_t id) {
    const SpirvVariable* v = spirv.Variable(id);
    return v != nullptr && !used[spirv.Def(id).index] && counts(*v);
  };
  std::vector<uint32_t> ids;
  for (uint32_t f : plan.order) {
    for (uint32_t b : plan.functions[f].cfg.by_order) {
      const SpirvBlock& block = spirv.blocks[spirv.functions[f].first_block + b];
      for (uint32_t i = block.first; i < block.end; ++i) {
        const absl::Span<const uint32_t> words = spirv.Inst(spirv.body_offsets[i]).words;
        if (std::none_of(words.begin() + 1, words.end(), is_new)) continue;
        ids.clear();
        AppendIdWords(words, 1, &ids);
        for (uint32_t at : ids) {
          if (is_new(words[at])) used[spirv.Def(words[at]).index] = true;
        }
      }
    }
  }
  return used;
}

class SharedMemory : public InstEmitter {
 public:
  using InstEmitter::InstEmitter;

  bool LayOutShared();
  void ClearShared();
};

}  // namespace

bool SharedMemory::LayOutShared() {
  c_.shared.offsets.assign(spirv().variables.size(), 0);
  const std::vector<bool> used = UsedVariables(spirv(), plan());
  uint64_t size = 0;
  uint64_t largest = 0;
  bool has_own = false;
  for (size_t i = 0; i < spirv().variables.size(); ++i) {
    const SpirvVariable& v = spirv().variables[i];
    const SpirvType& type = *spirv().Type(v.pointee);
    if (!used[i]) continue;
    if (v.storage == spv::StorageClass::PushConstant) {
      const uint64_t bytes = layouts().ExplicitSize(v.pointee);
      if (bytes > kMaxSharedBytes) return Malformed("push constants too large", v.id);
      const auto dwords = static_cast<uint32_t>((bytes + 3) / 4 * 4);
      if (dwords > module().push_constant_bytes) module().push_constant_id = v.id;
      module().push_constant_bytes = std::max(module().push_constant_bytes, dwords);
    }
    if (v.storage != spv::StorageClass::Workgroup) continue;
    if (module().stage != mir::Stage::kCompute) {
      return Malformed("shared memory in a stage other than compute", v.id);
    }
    if (!type.unsupported.empty()) continue;  // refused where it is accessed
    if (spirv().decorations[v.pointee].block) {
      // Laid out by decorations; several variables alias the same memory.
      c_.shared.in_blocks = true;
      if (layouts().ExplicitSize(v.pointee) > size) module().shared_id = v.id;
      size = std::max(size, layouts().ExplicitSize(v.pointee));
      if (size > kMaxSharedBytes) {
        return Refuse("shared_memory_too_large", {"bytes of shared memory", size, kMaxSharedBytes},
                      v.id);
      }
      continue;
    }
    has_own = true;
    const MemoryShape& shape = layouts().Shared(v.pointee);
    if (shape.size > largest) module().shared_id = v.id;
    largest = std::max<uint64_t>(largest, shape.size);
    size = (size + shape.align - 1) / shape.align * shape.align;
    c_.shared.offsets[i] = static_cast<uint32_t>(size);
    size += shape.size;
    if (size > kMaxSharedBytes)
      return Refuse("shared_memory_too_large", {"bytes of shared memory", size, kMaxSharedBytes},
                    v.id);
  }
  if (c_.shared.in_blocks && has_own) {
    return Malformed("some shared-memory variables are blocks and others are not",
                     module().shared_id);
  }
  module().shared_bytes = static_cast<uint32_t>((size + 3) / 4 * 4);
  return true;
}

// Each lane clears every n-th dword, n being the size of the workgroup; then all wait.
void SharedMemory::ClearShared() {
  bool wanted = c_.options.zero_workgroup_memory;
  for (const SpirvVariable& v : spirv().variables) {
    wanted = wanted || (v.storage == spv::StorageClass::Workgroup && v.initializer != 0);
  }
  if (!wanted || module().shared_bytes == 0) return;
  const uint32_t lanes = module().local_size[0] * module().local_size[1] * module().local_size[2];
  const ValueId first = Emit(mir::Op::kShl, {builder().LocalIndex(), Int(2)});
  const mir::RegionId outer = builder().region();
  const mir::InstId loop = builder().Loop({first});
  const mir::RegionId body = module().inst(loop).regions[0];
  const ValueId offset = module().region(body).params[0];
  builder().SetRegion(body);
  const ValueId inside = Emit(mir::Op::kUlt, {offset, Int(module().shared_bytes)});
  const mir::InstId test = builder().If(inside);
  builder().SetRegion(module().inst(test).regions[0]);
  builder().Yield();
  builder().SetRegion(module().inst(test).regions[1]);
  builder().Break();
  builder().SetRegion(body);
  builder().Store(mir::Op::kStoreShared, 0, offset, {Int(0)});
  builder().Continue({Emit(mir::Op::kIadd, {offset, Int(4 * lanes)})});
  builder().SetRegion(outer);
  builder().EmitInst(mir::Op::kControlBarrier, {}, {}, mir::kMemoryShared,
                     static_cast<uint32_t>(mir::Scope::kWorkgroup));
}

bool LayOutShared(ImportContext& c) { return SharedMemory(c).LayOutShared(); }

void ClearShared(ImportContext& c) { SharedMemory(c).ClearShared(); }

}  // namespace kiln::front
