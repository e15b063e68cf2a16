#include "client/run/job_sampler.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cli/flags.h"
#include "core/base/utf8.h"

namespace kiln::client::run {

absl::Status IsNoneOf(const char* key, const std::string& value,
                      const std::vector<std::string>& known) {
  const std::string shown = Quoted(value);
  return absl::InvalidArgumentError(absl::StrCat("\"", key, "\": \"", shown, "\" is not one of ",
                                                 absl::StrJoin(known, ", "),
                                                 DidYouMean(shown, known)));
}

}  // namespace kiln::client::run
