// Modes that only some targets' tools have: rows that a back end declares, and a check that refuses
// those that it does not have.
//
// The client has an option for each row and hands its name on; what it means is the back end's.
#ifndef KILN_CORE_TARGET_SWITCHES_H_
#define KILN_CORE_TARGET_SWITCHES_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace kiln {

struct Switch {
  std::string_view name;  // of the option that turns it on: small letters, digits and hyphens
  std::string_view help;  // what it does, as an option's line of help. Lives as long as the process
};

inline bool Has(absl::Span<const std::string> asked, std::string_view name) {
  for (const std::string& each : asked) {
    if (each == name) return true;
  }
  return false;
}

// Returns UNIMPLEMENTED, which names the switch, for the first one asked for that is not among
// `known`. `tool`: whose they are, "the simulator of x".
absl::Status CheckSwitches(absl::Span<const std::string> asked, absl::Span<const Switch> known,
                           std::string_view tool);

}  // namespace kiln

#endif  // KILN_CORE_TARGET_SWITCHES_H_
