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
enum class CauseKind { kHardware, kScope, kWidth, kNeed, kRequest, kOwn };

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

// Returns the row of causes.def with this name; null: there is none. Linear in the rows.
const CauseInfo* FindCause(std::string_view name);

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

// The same for a cause that is not a literal: the front end's, from coverage.def (its tests check
// that each has a row of causes.def), and the client's own, which have no row.
absl::Status WithForeignCause(absl::Status status, std::string_view cause);

// The part of a shader that is to blame, and how much of it there is.
struct Detail {
  Detail() = default;
  Detail(std::string words) : what(std::move(words)) {}
  Detail(const char* words) : what(words) {}
  // There are `n` of something, and at most `most` are accepted. nullopt: not counted to the end.
  Detail(std::string words, std::optional<uint64_t> n, uint64_t most)
      : what(std::move(words)), seen(n), limit(most) {}

  std::string what;  // UTF-8: "element of a buffer", "invocations of the workgroup"
  std::optional<uint64_t> seen;
  std::optional<uint64_t> limit;
  std::string capability;  // declared, and the feature's; empty: none is known
};

// Returns an UNIMPLEMENTED status with detail, id and cause attached: the shader is refused at
// every width. Its message is the detail in words.
absl::Status Unsupported(KnownCause cause, const Detail& detail, uint32_t spirv_id = 0);
// Returns a RESOURCE_EXHAUSTED status, likewise: a limit is exceeded, perhaps at this width only.
absl::Status BeyondLimit(KnownCause cause, const Detail& detail, uint32_t spirv_id = 0);

// Returns "WHAT: SEEN, at most LIMIT [capability NAME]" without the parts that are empty.
std::string DetailText(const Detail& detail);

// Returns the status with the detail attached, replacing an earlier one; ok statuses unchanged.
absl::Status WithDetail(absl::Status status, const Detail& detail);

// Returns the attached detail; an empty one if there is none.
Detail DetailOf(const absl::Status& status);

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

// Returns the status with the instruction attached at which it arose, as its offset in words in the
// module. The instruction has a source line where the id, which may be a type's or a variable's,
// has none.
absl::Status WithInstruction(absl::Status status, uint32_t offset);

// Returns the attached offset; 0: none.
uint32_t InstructionOf(const absl::Status& status);

// A line of a text that is not a module. `file` is any bytes, empty: none is known; `line` is from
// 1, 0: the whole text.
struct SourceLine {
  std::string file;
  uint32_t line = 0;
};

// Returns the status with the line of GLSL attached at which it arose, replacing an earlier one; ok
// statuses unchanged.
absl::Status WithSource(absl::Status status, const SourceLine& source);

// Returns the attached line; an empty one if there is none.
SourceLine SourceOf(const absl::Status& status);

// Returns "CAUSE: MESSAGE (%ID)" without the parts that are not attached: a line for tests and
// tools.
std::string TextOf(const absl::Status& status);

}  // namespace kiln

#endif  // KILN_CORE_BASE_CAUSE_H_
