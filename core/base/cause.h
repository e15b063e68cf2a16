// What an error status says to machines: a stable cause, and the SPIR-V id that is to blame.
//
// The message of a status is for people. The cause ("subgroup_operations", "out_of_registers") is
// a snake_case word from a bounded set, for tables, metrics and tests. The id is attached where it
// is known, by whoever makes the status; nobody reads it out of the message, which may name LIR
// values, blocks and registers as well.
#ifndef KILN_CORE_BASE_CAUSE_H_
#define KILN_CORE_BASE_CAUSE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace kiln {

// What an error is about; the values are described in causes.def.
enum class CauseKind { kHardware, kScope, kWidth, kRequest };

struct CauseInfo {
  std::string_view name;
  CauseKind kind;
  std::string_view reason;
};

inline constexpr CauseInfo kCauses[] = {
#define CAUSE(name, kind, reason) {name, CauseKind::kind, reason},
#include "core/base/causes.def"
#undef CAUSE
};

// The name of a row of causes.def. A literal that has none does not compile.
class KnownCause {
 public:
  template <size_t N>
  consteval KnownCause(const char (&name)[N]) : name_(name, N - 1) {
    for (const CauseInfo& row : kCauses) {
      if (row.name == name_) return;
    }
    throw "this cause has no row in core/base/causes.def";
  }
  std::string_view name() const { return name_; }

 private:
  std::string_view name_;
};

// The status with `cause` attached (replacing an earlier one). An ok status is returned as it is.
absl::Status WithCause(absl::Status status, KnownCause cause);

// The same for those who have a table of their own: the front end (coverage.def), the client.
absl::Status WithForeignCause(absl::Status status, std::string_view cause);

// The attached cause; without one a word for the status code ("invalid_module", "cancelled",
// "limit_exceeded", "internal"); "ok" for an ok status.
std::string CauseOf(const absl::Status& status);

// The status with another message; code, cause and id stay.
absl::Status WithMessage(const absl::Status& status, std::string_view message);

// The status of work on what the compiler itself made (its IRs, its machine code): there
// INVALID_ARGUMENT and NOT_FOUND, elsewhere the user's faults, are INTERNAL. Message and payloads
// stay; so does every other status.
absl::Status AsOwnFault(absl::Status status);

// The status with the SPIR-V id to blame attached (replacing an earlier one). An ok status, and one
// whose id is 0 (none), are returned as they are.
absl::Status WithSpirvId(absl::Status status, uint32_t id);

// The attached id; 0: none.
uint32_t SpirvIdOf(const absl::Status& status);

}  // namespace kiln

#endif  // KILN_CORE_BASE_CAUSE_H_
