// The keys that an object of a job may have, and the form of their values.
#ifndef KILN_CLIENT_RUN_JOB_KEYS_H_
#define KILN_CLIENT_RUN_JOB_KEYS_H_

#include <cstdint>
#include <nlohmann/json.hpp>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace kiln::client::run {

// The form of a value. A count is a whole number that is not negative, kInt32 any of 32 bits.
enum class Form : uint8_t { kAny, kCount, kInt32, kNumber, kBool, kText, kList, kObject };

struct Key {
  const char* name;
  Form form;
  uint64_t most = 0;  // of counts
  uint64_t least = 0;
};

// Checks that this is an object that has only these keys, with values of their forms.
// InvalidArgument names the key and the object, which is called `what`.
absl::Status CheckKeys(const nlohmann::json& object, absl::Span<const Key> keys,
                       absl::string_view what);

}  // namespace kiln::client::run

#endif  // KILN_CLIENT_RUN_JOB_KEYS_H_
