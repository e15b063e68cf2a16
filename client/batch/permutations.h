// Permutations of a shader: the product of the values of its defines and specialisation constants.
//
//   PERMUTATIONS := AXIS {";" AXIS}
//   AXIS         := NAME "=" VALUE {"," VALUE}     a define: N=1,2,4
//                 | NAME "?"                       not defined, and defined
//                 | ID "=" TYPE ":" VALUE {...}    a specialisation constant: 3=uint:1,2
//   VALUE        := text without , and ; | INTEGER ".." INTEGER     all from the first to the last
//
// The last axis changes fastest. Blanks around names and values are ignored.
#ifndef KILN_CLIENT_BATCH_PERMUTATIONS_H_
#define KILN_CLIENT_BATCH_PERMUTATIONS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "kiln/v1/compile.pb.h"

namespace kiln::client {

// The most permutations of one shader.
inline constexpr size_t kMaxPermutations = 65536;

struct Permutation {
  std::vector<std::string> defines;  // "NAME" or "NAME=VALUE"
  std::vector<kiln::v1::SpecConstant> spec_constants;
};

class Permutations {
 public:
  // InvalidArgument names the wrong part; more than kMaxPermutations are one, too.
  static absl::StatusOr<Permutations> Parse(absl::string_view text);

  // At least 1.
  size_t size() const { return size_; }
  // `i` < size().
  Permutation At(size_t i) const;
  // Returns true if some axis is a define, which has no effect on SPIR-V.
  bool HasDefines() const;

 private:
  struct Value {
    std::string define;  // empty: not defined
    kiln::v1::SpecConstant constant;
  };
  struct Axis {
    bool is_define = true;
    std::string name;
    std::vector<Value> values;
  };
  static absl::StatusOr<Axis> ParseAxis(absl::string_view text);

  std::vector<Axis> axes_;
  size_t size_ = 1;
};

}  // namespace kiln::client

#endif  // KILN_CLIENT_BATCH_PERMUTATIONS_H_
