// Parts of an error status for machines: a stable cause, what of the shader is to blame, and where.
//
// The message of a status is for tools and logs. The cause ("subgroup_operations",
// "out_of_registers") is a snake_case word from a bounded set, for tables, metrics and tests; its
// row in causes.def says why and what to do. Detail, id and instruction are attached by the code
// that makes the status; nothing is read out of the message, which may name LIR values, blocks and
// registers as well. Texts for users are composed from these parts (core/driver/explain.h).
#ifndef KILN_CORE_BASE_CAUSE_H_
#define KILN_CORE_BASE_CAUSE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"

namespace kiln {

// The kind of thing that an error is about; causes.def describes the values.
enum class CauseKind { kHardware, kScope, kWidth, kRequest, kOwn };

struct CauseInfo {
  std::string_view name;
  CauseKind kind;
  std::string_view sentence;  // why
  std::string_view remedy;    // what the user can do about it, a sentence too
};

inline constexpr CauseInfo kCauses[] = {
#define CAUSE(name, kind, sentence, remedy) {name, CauseKind::kind, sentence, remedy},
#include "core/base/causes.def"
#undef CAUSE
};

// The row of causes.def with this name; null: there is none. Cost: a walk over the rows.
const CauseInfo* FindCause(std::string_view name);

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

// The same for a cause that is known by value: the front end's, which are in coverage.def (each has
// a row of causes.def, which its tests check), and the client's own, which have none.
absl::Status WithForeignCause(absl::Status status, std::string_view cause);

// The part of a shader that is to blame, and how much of it there is.
struct Detail {
  Detail() = default;
  Detail(std::string words) : what(std::move(words)) {}
  Detail(const char* words) : what(words) {}
  // `n` of something of which at most `most` is accepted. No number: it was not counted to the end.
  Detail(std::string words, std::optional<uint64_t> n, uint64_t most)
      : what(std::move(words)), seen(n), limit(most) {}

  std::string what;  // UTF-8: "element of a buffer", "invocations of the workgroup"
  std::optional<uint64_t> seen;
  std::optional<uint64_t> limit;
  std::string capability;  // declared, and the feature's; empty: none is known
};

// UNIMPLEMENTED, with detail, id and cause: the shader is refused at every width. Its message is
// the detail in words.
absl::Status Unsupported(KnownCause cause, const Detail& detail, uint32_t spirv_id = 0);
// RESOURCE_EXHAUSTED, likewise: there is too much of something, perhaps at this width only.
absl::Status BeyondLimit(KnownCause cause, const Detail& detail, uint32_t spirv_id = 0);

// "WHAT: SEEN, at most LIMIT [capability NAME]", as far as there is any of it.
std::string DetailText(const Detail& detail);

// The status with the detail attached (replacing an earlier one). Ok: as it is.
absl::Status WithDetail(absl::Status status, const Detail& detail);

// The attached detail; without one everything is empty.
Detail DetailOf(const absl::Status& status);

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

// The status with the instruction at which it arose attached, as its offset in the words of the
// module; likewise. It has a source line where the id, which may be of a type or a variable, has
// none.
absl::Status WithInstruction(absl::Status status, uint32_t offset);

// The attached offset; 0: none.
uint32_t InstructionOf(const absl::Status& status);

// "CAUSE: MESSAGE (%ID)", without what is not attached: one line for tests and tools.
std::string TextOf(const absl::Status& status);

}  // namespace kiln

#endif  // KILN_CORE_BASE_CAUSE_H_
