// The tag of a result, kept beside its bytes: its status, its stage and sums over its variants, so
// that metrics count a hit without reading the bytes.
#ifndef KILN_SERVER_CACHE_RESULT_TAG_H_
#define KILN_SERVER_CACHE_RESULT_TAG_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "core/base/shader_stage.h"
#include "kiln/v1/compile.pb.h"

namespace kiln::cache {

// Index of a result whose stage is not known, behind those of kShaderStages.
inline constexpr uint8_t kOtherStage = std::size(kShaderStages);
inline constexpr size_t kStages = kOtherStage + size_t{1};

// Returns the stage's index in kShaderStages; kOtherStage if it has none.
uint8_t StageIndex(std::string_view stage);

struct ResultTag {
  uint8_t status = 0;  // TargetResult.Status
  uint8_t stage = kOtherStage;
  // Number of variants, and of those that spill.
  uint8_t variants = 0, spilling = 0;
  // Sums over the variants: instructions, bytes of code, spills, and registers of a thread. Larger
  // sums count as UINT32_MAX. A figure that the target does not declare is 0.
  uint32_t instructions = 0, bytes = 0, spills = 0, registers = 0;

  friend bool operator==(const ResultTag&, const ResultTag&) = default;

  // Adds a variant: the bytes of its Statistics (proto/kiln/v1/compile.proto). Bytes that are none
  // add what was read of them.
  void AddVariant(std::string_view statistics);
};

// Returns the tag of a result.
ResultTag TagOf(const kiln::v1::TargetResult& result);

}  // namespace kiln::cache

#endif  // KILN_SERVER_CACHE_RESULT_TAG_H_
