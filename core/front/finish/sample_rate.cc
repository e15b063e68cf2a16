#include "core/front/finish/sample_rate.h"

#include <algorithm>
#include <vector>

namespace kiln::front {
namespace {

bool IsOfSamples(uint32_t builtin, const SpirvInterface& decorations) {
  return decorations.sample || builtin == static_cast<uint32_t>(spv::BuiltIn::SampleId) ||
         builtin == static_cast<uint32_t>(spv::BuiltIn::SamplePosition);
}

class Finder {
 public:
  explicit Finder(const SpirvModule& spirv) : spirv_(spirv), seen_(spirv.types.size()) {}

  // Returns true if a type has such a member at any depth. Skips types seen before: they have none,
  // or the search would have ended. The pointee of a pointer need not be a type.
  bool HasMember(uint32_t id) {
    const SpirvType* type = spirv_.Type(id);
    while (type != nullptr && type->kind == SpirvType::kArray) {
      id = type->element;
      type = spirv_.Type(id);
    }
    if (type == nullptr || type->kind != SpirvType::kStruct) return false;
    const uint32_t index = spirv_.Def(id).index;
    if (seen_[index]) return false;
    seen_[index] = true;
    const auto first = spirv_.members.begin() + type->first_member;
    return std::any_of(first, first + type->count, [this](const SpirvMember& m) {
      return IsOfSamples(m.builtin, m.interface) || HasMember(m.type);
    });
  }

 private:
  const SpirvModule& spirv_;
  std::vector<bool> seen_;  // by index of SpirvModule::types
};

}  // namespace

bool AsksForSampleRate(const SpirvModule& spirv, const SpirvEntryPoint& entry) {
  Finder finder(spirv);
  return std::any_of(entry.interface.begin(), entry.interface.end(), [&](uint32_t id) {
    const SpirvVariable* v = spirv.Variable(id);
    if (v == nullptr || v->storage != spv::StorageClass::Input) return false;
    const SpirvDecorations& d = spirv.decorations[id];
    return IsOfSamples(d.builtin, d.interface) || finder.HasMember(v->pointee);
  });
}

}  // namespace kiln::front
