// Compiles many files: several in flight, results in input order, bounded memory.
//
// `jobs` threads take one item each and compile it; what they made goes to the caller's thread,
// which writes it in the order of the items. A slow item holds its successors' lines back, but no
// more than `window` of them: then the threads wait. So memory is bounded by jobs files and window
// lines, however many items there are. Stopped, it writes what is finished, in order, without the
// gaps.
#ifndef KILN_CLIENT_BATCH_BATCH_H_
#define KILN_CLIENT_BATCH_BATCH_H_

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "proto/compile.pb.h"

namespace kiln::client {

// What an item comes to.
struct ItemLines {
  std::vector<std::string> lines;  // JSON lines, or nothing where none are wanted
  // Without code, texts and records: for the summary and for messages.
  std::vector<kiln::v1alpha::TargetResult> results;
};

struct BatchOptions {
  size_t jobs = 8;
  size_t window = 512;
};

// Does item i; called from several threads. An error stops the batch.
using CompileItem = std::function<absl::StatusOr<ItemLines>(size_t i)>;
// Called in the caller's thread: an item's lines, in order.
using WriteItem = std::function<absl::Status(size_t i, const ItemLines& lines)>;
// Called in the caller's thread, at least ten times a second: how many items are done.
using Tick = std::function<void(size_t done)>;

// The first error of an item or of writing; what was finished before it has been written.
absl::Status RunBatch(size_t items, const BatchOptions& options, const CompileItem& compile,
                      const WriteItem& write, const Tick& tick);

}  // namespace kiln::client

#endif  // KILN_CLIENT_BATCH_BATCH_H_
