// Checks Host headers: see host_header.h.
#include "server/net/host_header.h"

#include <arpa/inet.h>

#include <algorithm>
#include <string>

#include "absl/strings/match.h"

namespace kiln::net {
namespace {

bool IsPort(std::string_view text) {
  return text.size() <= 5 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool IsAddress(int family, std::string_view text) {
  unsigned char bytes[sizeof(in6_addr)];
  return text.find('\0') == std::string_view::npos &&
         inet_pton(family, std::string(text).c_str(), bytes) == 1;
}

}  // namespace

bool NamesNoOtherHost(std::string_view host) {
  if (host.empty()) return true;
  if (host.front() == '[') {
    const size_t end = host.find(']');
    if (end == std::string_view::npos) return false;
    const std::string_view rest = host.substr(end + 1);
    const bool has_port = rest.empty() || (rest.front() == ':' && IsPort(rest.substr(1)));
    return has_port && IsAddress(AF_INET6, host.substr(1, end - 1));
  }
  const size_t colon = host.find(':');
  if (colon != std::string_view::npos && !IsPort(host.substr(colon + 1))) return false;
  const std::string_view name = host.substr(0, colon);
  const absl::string_view text(name.data(), name.size());
  return IsAddress(AF_INET, name) || absl::EqualsIgnoreCase(text, "localhost") ||
         absl::EndsWithIgnoreCase(text, ".localhost");
}

}  // namespace kiln::net
