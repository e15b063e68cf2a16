// Texel ops of the interpreter on the bound images and samplers: interp_texel.h lane by lane.
#ifndef KILN_CORE_ORACLE_TEXELS_H_
#define KILN_CORE_ORACLE_TEXELS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "core/base/bitset.h"
#include "core/mir/mir.h"
#include "core/oracle/descriptor_choice.h"
#include "core/oracle/execution.h"
#include "core/oracle/interp_texel.h"
#include "core/oracle/memories.h"
#include "core/oracle/races.h"
#include "core/oracle/sampling.h"

namespace kiln::oracle {

class Texels {
 public:
  Texels(Execution& execution, DescriptorChoice& descriptors, Memories& memories, Races& races)
      : e_(execution),
        m_(e_.m),
        in_(e_.in),
        descriptors_(descriptors),
        memories_(memories),
        races_(races) {}

  // Executes a texel op; returns false for other ops.
  bool Exec(mir::InstId id, const BitSet& active);

 private:
  absl::Span<const uint32_t> LaneSources(mir::InstId id, size_t lane);
  void SetTexel(mir::InstId id, size_t lane, const Texel& texel);
  Texel Rounded(const BoundImage& image, Texel texel);
  const BoundSampler& SamplerOf(mir::InstId id, size_t lane);
  std::optional<uint64_t> TexelOf(mir::InstId id, size_t lane, const BoundImage& image);
  bool NoteTexel(mir::InstId id, size_t place, uint64_t texel, size_t lane, AccessKind kind,
                 bool same);

  TexelSlopes SlopesOf(mir::InstId id, size_t lane, const BitSet& active);
  void SampleTexels(mir::InstId id, const BitSet& active);
  void QueryImage(mir::InstId id, const BitSet& active);
  void LoadTexels(mir::InstId id, const BitSet& active);
  void StoreTexels(mir::InstId id, const BitSet& active);
  void TexelAtomic(mir::InstId id, const BitSet& active);

  Execution& e_;
  const mir::Module& m_;
  LaunchInputs& in_;
  DescriptorChoice& descriptors_;
  Memories& memories_;
  Races& races_;
  std::vector<uint32_t> lane_sources_;
};

}  // namespace kiln::oracle

#endif  // KILN_CORE_ORACLE_TEXELS_H_
