// The machine-readable part of an error status: a stable cause, and the SPIR-V id to blame.
//
// The message of a status is for people. The cause ("subgroup_operations", "out_of_registers") is a
// snake_case word from a bounded set, for tables, metrics and tests. The code that makes the status
// attaches the id where it is known. The id is never parsed out of the message, which may name LIR
// values, blocks and registers as well.
#ifndef KILN_CORE_BASE_CAUSE_H_
#define KILN_CORE_BASE_CAUSE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace kiln {

// The kind of thing that an error is about; causes.def describes the values.
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

// The name of a row of causes.def. A literal without a row does not compile.
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

// Returns the status with `cause` attached, replacing an earlier one. Returns ok statuses
// unchanged.
absl::Status WithCause(absl::Status status, KnownCause cause);

// The same for callers with a table of their own: the front end (coverage.def) and the client.
absl::Status WithForeignCause(absl::Status status, std::string_view cause);

// Returns the attached cause; if there is none, a word for the status code ("invalid_module",
// "cancelled", "limit_exceeded", "internal"); "ok" for an ok status.
std::string CauseOf(const absl::Status& status);

// Returns the status with another message; code, cause and id stay.
absl::Status WithMessage(const absl::Status& status, std::string_view message);

// Converts the status of work on the compiler's own products (its IRs, its machine code):
// INVALID_ARGUMENT and NOT_FOUND, which elsewhere are the user's faults, become INTERNAL. Message
// and payloads stay. Other statuses are returned unchanged.
absl::Status AsOwnFault(absl::Status status);

// Returns the status with the SPIR-V id to blame attached, replacing an earlier one. Returns ok
// statuses unchanged, and also any status if the id is 0 (none).
absl::Status WithSpirvId(absl::Status status, uint32_t id);

// Returns the attached id; 0: none.
uint32_t SpirvIdOf(const absl::Status& status);

}  // namespace kiln

#endif  // KILN_CORE_BASE_CAUSE_H_
