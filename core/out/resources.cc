#include "core/out/resources.h"

#include <algorithm>
#include <tuple>

namespace kiln::out {
namespace {

auto Key(const Resource& r) { return std::tie(r.set, r.binding, r.kind, r.format); }

bool Before(const Resource& a, const Resource& b) { return Key(a) < Key(b); }

}  // namespace

void AddResource(const Resource& resource, std::vector<Resource>& list) {
  const auto at = std::lower_bound(list.begin(), list.end(), resource, Before);
  if (at == list.end() || Before(resource, *at)) {
    list.insert(at, resource);
  } else if (at->elements == 0 || resource.elements == 0) {
    at->elements = 0;
  } else {
    at->elements = std::max(at->elements, resource.elements);
  }
}

std::optional<uint32_t> FindResource(const Resource& resource, const std::vector<Resource>& list) {
  const auto at = std::lower_bound(list.begin(), list.end(), resource, Before);
  if (at == list.end() || Before(resource, *at)) return std::nullopt;
  return static_cast<uint32_t>(at - list.begin());
}

}  // namespace kiln::out
