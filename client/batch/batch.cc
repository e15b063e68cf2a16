// Compiles many files: see batch.h.
#include "client/batch/batch.h"

namespace kiln::client {

absl::Status RunBatch(size_t items, const BatchOptions& options, const CompileItem& compile,
                      const WriteItem& write, const Tick& tick) {
  return InOrder<ItemLines>(items, options, compile).Run(write, tick);
}

}  // namespace kiln::client
