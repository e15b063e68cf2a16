#include "core/mid/lower/normalize_directions.h"

#include <array>
#include <vector>

#include "absl/types/span.h"
#include "core/mir/build.h"
#include "core/mir/rewrite.h"

namespace kiln::mid {
namespace {

using mir::InstId;
using mir::Module;
using mir::Op;
using mir::ValueId;

class Normalizing {
 public:
  explicit Normalizing(Module& module) : m_(module), b_(module) {}

  bool Run() {
    mir::RewriteInsts(b_, m_.body, [&](InstId id) {
      if (HasDirection(id)) Normalize(id);
      return true;
    });
    return changed_;
  }

 private:
  bool HasDirection(InstId id) const {
    const mir::Inst& inst = m_.inst(id);
    return mir::IsSampling(inst.op) && m_.resources[inst.imm0].image.dim == mir::ImageDim::kCube;
  }

  void Normalize(InstId id) {
    changed_ = true;
    const int first = mir::TexelSourcesOf(m_, id).coordinates;
    std::array<ValueId, 3> part;
    ValueId largest;
    for (int k = 0; k < 3; ++k) {
      part[k] = m_.source(id, first + k);
      const ValueId size = b_.Fabs(part[k]);
      largest = k == 0 ? size : b_.Fmax(largest, size);
    }
    const ValueId inverse = b_.Frcp(largest);
    const absl::Span<const ValueId> old = m_.sources(id);
    std::vector<ValueId> sources(old.begin(), old.end());
    for (int k = 0; k < 3; ++k) sources[first + k] = b_.Fmul(part[k], inverse);
    mir::SetSources(m_, id, sources);
  }

  Module& m_;
  mir::Builder b_;
  bool changed_ = false;
};

}  // namespace

absl::StatusOr<bool> NormalizeDirections(Module& module, PassContext&) {
  return Normalizing(module).Run();
}

}  // namespace kiln::mid
