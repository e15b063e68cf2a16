// The entry points of a SPIR-V module, by its OpEntryPoint instructions.
//
// For `kiln batch`, where each is an item, and for results that name theirs. The words are read
// before validation: only the magic number is trusted, and every length is checked against the
// number of bytes. If they are inconsistent, the answer is no entry point at all: the worker, which
// validates modules, reports the error. Reading stops at the first instruction after the section
// (SPIR-V 2.4, logical layout of a module).
#ifndef KILN_CLIENT_SOURCE_ENTRY_POINTS_H_
#define KILN_CLIENT_SOURCE_ENTRY_POINTS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace kiln::client {

struct EntryPoint {
  std::string name;   // valid UTF-8
  std::string stage;  // "compute", "any_hit", ...; empty: an OpenCL kernel, or no model known here
};

// A module with more entry points than this is a single item.
inline constexpr size_t kMaxEntryPoints = 1024;

// Returns them in the module's order; takes either byte order. Empty also if there are more than
// kMaxEntryPoints, or a name is not UTF-8 (which the API could not carry).
std::vector<EntryPoint> EntryPointsOf(absl::string_view module);

// Does the same for a regular file; empty if it cannot be read or is no SPIR-V.
std::vector<EntryPoint> EntryPointsOfFile(const std::string& path);

}  // namespace kiln::client

#endif  // KILN_CLIENT_SOURCE_ENTRY_POINTS_H_
