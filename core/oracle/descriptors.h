// The bindings of a module's resources in a launch, for the interpreter.
//
// A descriptor is found by (set, binding, element). An element of an arrayed binding that is not
// given is the same as the first element of that binding that is. If resources of one binding
// access images of different types, each finds only images that fit it.
#ifndef KILN_CORE_ORACLE_DESCRIPTORS_H_
#define KILN_CORE_ORACLE_DESCRIPTORS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "absl/status/status.h"
#include "core/mir/mir.h"
#include "core/oracle/interp.h"

namespace kiln::oracle {

class Descriptors {
 public:
  Descriptors(const mir::Module& module, const LaunchInputs& inputs) : m_(module), in_(inputs) {}

  // Returns InvalidArgument if a resource has no binding or an image that does not fit it.
  absl::Status Check() const;

  // Returns the number of descriptors of a resource; of an array without length, up to the last
  // element given.
  uint32_t CountOf(const mir::Resource& r) const;

  // Returns the index of descriptor `index` of a resource in the list of its kind: buffers, images
  // (texel buffers too) or samplers. Constant time except for the first call for a descriptor.
  size_t Index(uint32_t resource, uint32_t index);
  // The same for the sampler of a combined image.
  size_t SamplerIndex(uint32_t resource, uint32_t index);

 private:
  size_t Find(const mir::Resource& r, bool sampler, uint32_t element) const;
  bool SharesImages(const mir::Resource& r) const;
  size_t Known(uint32_t resource, bool sampler, uint32_t index);

  const mir::Module& m_;
  const LaunchInputs& in_;
  std::map<std::tuple<uint32_t, bool, uint32_t>, size_t> known_;
};

}  // namespace kiln::oracle

#endif  // KILN_CORE_ORACLE_DESCRIPTORS_H_
