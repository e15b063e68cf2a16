// The table of targets of programs in this folder: the shipped ones, then null and bare.
#include <vector>

#include "core/driver/targets.h"
#include "tests/null/backend.h"

namespace kiln {

absl::Span<const Backend* const> Backends() {
  static const std::vector<const Backend*> all = [] {
    const absl::Span<const Backend* const> shipped = ShippedBackends();
    std::vector<const Backend*> backends(shipped.begin(), shipped.end());
    backends.push_back(&null::kNullBackend);
    backends.push_back(&null::kBareBackend);
    return backends;
  }();
  return all;
}

}  // namespace kiln
