// The items of a batch as text and as a manifest: --list-items.
#ifndef KILN_CLIENT_BATCH_LIST_ITEMS_H_
#define KILN_CLIENT_BATCH_LIST_ITEMS_H_

#include <string>

#include "client/batch/batch_items.h"
#include "client/request/request_options.h"

namespace kiln::client {

// Returns a line for people: the item's label, with the permutation and entry point that it has.
std::string ItemText(const BatchItem& item);

// Returns the line of a manifest, with the line feed, that has the item's files and its own
// options: compiled with the same flags, but --permutations, that manifest makes the same results.
// Paths are relative to `root`, or without one as the item has them. `common`: what the flags say,
// to which a permutation is added.
std::string ItemJson(const BatchItem& item, const std::string& root, const CompileSettings& common);

}  // namespace kiln::client

#endif  // KILN_CLIENT_BATCH_LIST_ITEMS_H_
