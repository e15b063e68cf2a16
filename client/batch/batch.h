// Compiles many files: several in flight, results in input order, bounded memory.
// in_order.h says how, and what a stopped batch writes.
#ifndef KILN_CLIENT_BATCH_BATCH_H_
#define KILN_CLIENT_BATCH_BATCH_H_

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/batch/in_order.h"
#include "client/export/exported_result.h"
#include "kiln/v1/compile.pb.h"

namespace kiln::client {

// The result of an item.
struct ItemLines {
  std::vector<std::string> lines;  // JSON lines; empty if none are requested
  // Without code, texts and records: for the summary and for messages, with the label of its file.
  std::vector<std::pair<std::string, kiln::v1::TargetResult>> results;
  std::vector<std::string> warnings = {};
  // For files of other tools; empty if none are requested.
  std::vector<ExportedResult> exported = {};
};

// Compiles item i; called from several threads. An error stops the batch.
using CompileItem = std::function<absl::StatusOr<ItemLines>(size_t i)>;
// Writes an item's lines; called in the caller's thread, in order.
using WriteItem = std::function<absl::Status(size_t i, const ItemLines& lines)>;
// Returns the first error of an item or of writing; items finished before it have been written.
absl::Status RunBatch(size_t items, const BatchOptions& options, const CompileItem& compile,
                      const WriteItem& write, const Tick& tick);

}  // namespace kiln::client

#endif  // KILN_CLIENT_BATCH_BATCH_H_
