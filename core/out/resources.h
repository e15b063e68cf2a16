// The resources of the client that a program accesses by descriptors.
#ifndef KILN_CORE_OUT_RESOURCES_H_
#define KILN_CORE_OUT_RESOURCES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kiln::out {

// A descriptor of the client: element of an arrayed binding.
struct DescriptorRef {
  uint32_t set = 0;
  uint32_t binding = 0;
  uint32_t element = 0;
};

enum class ResourceKind : uint8_t {
  kUbo,
  kSsbo,
  kSampledImage,
  kCombinedImageSampler,
  kStorageImage,
  kUniformTexelBuffer,
  kStorageTexelBuffer,
  kInputAttachment,
  kSampler,
};

// A binding as the program accesses it. Variables of a module that share a binding and access it
// alike are one resource.
struct Resource {
  ResourceKind kind = ResourceKind::kUbo;
  uint32_t set = 0;
  uint32_t binding = 0;
  // The program accesses no element of the array but those before this one; 0: any that the client
  // binds.
  uint32_t elements = 1;
  // Texel format in which the program accesses a storage image; empty: the image's own. Given, with
  // a format of the same size, where the hardware cannot read the image's format ("r32ui"; Kiln's
  // binaries only).
  std::string format = {};
};

// Adds a resource to a list without repetitions, in the order of set, binding, kind and format. One
// that is there already gets the elements of both.
void AddResource(const Resource& resource, std::vector<Resource>& list);

// Returns the number of the resource with the same set, binding, kind and format; nothing if the
// list has none.
std::optional<uint32_t> FindResource(const Resource& resource, const std::vector<Resource>& list);

}  // namespace kiln::out

#endif  // KILN_CORE_OUT_RESOURCES_H_
