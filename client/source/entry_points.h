// The entry points of a SPIR-V module, as its OpEntryPoint instructions name them.
//
// For `kiln batch`, where each is an item, and for results that say which one they are about. The
// words are read before anybody validated them: nothing is believed but the magic number, every
// length is checked against the bytes that are there, and where they do not make sense the answer
// is no entry point at all: the worker, whose business modules are, says what is wrong. Reading
// stops at the first instruction behind the section (SPIR-V 2.4, logical layout of a module).
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

// More than these are not told apart: the module is an item as it is.
inline constexpr size_t kMaxEntryPoints = 1024;

// In the module's order; either byte order. Empty also where there are more than kMaxEntryPoints,
// or a name is no UTF-8 (which the API could not carry).
std::vector<EntryPoint> EntryPointsOf(absl::string_view module);

// The same of a regular file; empty where it cannot be read or is no SPIR-V.
std::vector<EntryPoint> EntryPointsOfFile(const std::string& path);

}  // namespace kiln::client

#endif  // KILN_CLIENT_SOURCE_ENTRY_POINTS_H_
