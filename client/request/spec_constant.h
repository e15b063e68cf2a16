// Specialisation constants as written on the command line: ID=TYPE:VALUE.
//
// TYPE: bool (true, false, 1, 0), int, uint, int64, uint64 (decimal or 0x...), float, double (as in
// C, also inf and nan), bits (0x..., for any other type). Without "TYPE:" the value is an int if it
// is a whole number, a uint if it is too large for one, a bool if it is true or false, else a
// float. Ints are also for constants that are uints, and uints for ints: the range decides.
#ifndef KILN_CLIENT_REQUEST_SPEC_CONSTANT_H_
#define KILN_CLIENT_REQUEST_SPEC_CONSTANT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "kiln/v1/compile.pb.h"

namespace kiln::client {

// InvalidArgument shows the error and the form.
absl::StatusOr<kiln::v1::SpecConstant> ParseSpecConstant(absl::string_view text);

// Also InvalidArgument if an id is given twice.
absl::StatusOr<std::vector<kiln::v1::SpecConstant>> ParseSpecConstants(
    absl::Span<const std::string> texts);

// Returns the text from which ParseSpecConstant makes the same constant: "3=uint:64".
std::string SpecConstantText(const kiln::v1::SpecConstant& constant);

}  // namespace kiln::client

#endif  // KILN_CLIENT_REQUEST_SPEC_CONSTANT_H_
