// Rows of results: see result_rows.h.
#include "client/database/result_rows.h"

namespace kiln::client {

using kiln::v1::TargetResult;

bool IsFinal(const TargetResult& result) {
  if (result.version().empty() || result.code_generation_version() == 0) return false;
  return result.status() == TargetResult::OK || result.status() == TargetResult::REFUSED ||
         result.status() == TargetResult::INVALID;
}

}  // namespace kiln::client
