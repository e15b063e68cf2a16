// Pieces that images.cc and samplers.cc share. Internal to this folder.
#ifndef KILN_CORE_INTEL_SELECT_TEXEL_PARTS_H_
#define KILN_CORE_INTEL_SELECT_TEXEL_PARTS_H_

#include <optional>
#include <vector>

#include "core/intel/isa/messages.h"
#include "core/intel/select/location.h"
#include "core/lir/lir.h"

namespace kiln::intel {

inline constexpr uint32_t kSamplerShift = 8;  // of the sampler index in a descriptor

// A sampler message under construction: operands by the kind of parameter.
struct SamplerCall {
  struct Param {
    isa::ParamKind kind;
    lir::Operand operand;
  };
  isa::Message message = isa::Message::kSample;
  std::vector<Param> params;
  std::optional<uint32_t> header;  // its dword 2 without `offsets`; absent: there is no header
  std::optional<lir::Operand>
      offsets;         // of texels, selected by value: uniform; there is a header then
  SurfaceRef surface;  // its index may also select the sampler
  uint32_t sampler = 0;
  bool quad = false;                           // takes derivatives within quads
  std::optional<lir::Operand> sampler_handle;  // uniform; there is a header then

  void Add(isa::ParamKind kind, const lir::Operand& o) { params.push_back({kind, o}); }
};

// A typed surface message under construction.
struct TypedCall {
  uint16_t op = 0;             // kMsgRead, kMsgWrite, kMsgAtomic
  isa::MessageFields message;  // without surface and slot group
  SurfaceRef surface;
  std::vector<lir::Operand> address;
  std::vector<lir::Operand> data;
  int results = 0;
};

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_SELECT_TEXEL_PARTS_H_
