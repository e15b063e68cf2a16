// Reads the kernels of an amdhsa code object of gfx1030 (amdhsa.h), of any compiler, versions 4 and
// 5, from any bytes, hostile ones too.
//
// Source: as amdhsa.h.
#ifndef KILN_CORE_OUT_READ_AMDHSA_H_
#define KILN_CORE_OUT_READ_AMDHSA_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/out/amdhsa.h"

namespace kiln::out {

struct AmdHsaProgram {
  // `code` is what the kernel's symbol spans: its instructions, and the constant data behind them
  // of Kiln's own. local_size is 0, 0, 0 if the file does not say it.
  AmdHsaKernel kernel;
  uint32_t properties = 0;  // of the descriptor: which user SGPRs the kernel has
  uint32_t preload = 0;     // arguments that are preloaded to SGPRs
};

// Returns the kernels in the order of the metadata, at least one. InvalidArgument says what the
// file is instead (of another machine, system, version or device; not linked), or which part of it
// is damaged; also a kernel whose metadata and descriptor contradict each other is.
absl::StatusOr<std::vector<AmdHsaProgram>> ReadAmdHsa(absl::Span<const uint8_t> file);

}  // namespace kiln::out

#endif  // KILN_CORE_OUT_READ_AMDHSA_H_
