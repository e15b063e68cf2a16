// Makes and checks ids of calls: see request_id.h.
#include "server/request/request_id.h"

#include <atomic>
#include <cstdint>
#include <random>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"

namespace kiln::server {

bool IsRequestId(std::string_view text) {
  if (text.empty() || text.size() > 64) return false;
  for (char c : text) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '_' && c != '-') {
      return false;
    }
  }
  return true;
}

std::string NewRequestId() {
  static const uint32_t process = std::random_device()();
  static std::atomic<uint64_t> last = 0;
  return absl::StrFormat("%08x-%u", process, ++last);
}

}  // namespace kiln::server
