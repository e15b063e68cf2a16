// Tells who is at the other end of a connection: see peer.h.
#include "server/net/peer.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <cstring>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace kiln::net {
namespace {

// The first 64 bits of an IPv6 address.
constexpr size_t kOwnBytes = 8;

std::string Text(const in_addr& ip) {
  char text[INET_ADDRSTRLEN];
  return inet_ntop(AF_INET, &ip, text, sizeof text) == nullptr ? "" : text;
}

std::string Text(const in6_addr& ip) {
  char text[INET6_ADDRSTRLEN];
  return inet_ntop(AF_INET6, &ip, text, sizeof text) == nullptr ? "" : text;
}

std::optional<in_addr> MappedIn(const in6_addr& ip) {
  if (!IN6_IS_ADDR_V4MAPPED(&ip)) return std::nullopt;
  in_addr mapped;
  memcpy(&mapped, ip.s6_addr + 12, sizeof mapped);
  return mapped;
}

std::string AddressOfIp(const in6_addr& ip) {
  if (auto mapped = MappedIn(ip)) return Text(*mapped);
  in6_addr network = ip;
  memset(network.s6_addr + kOwnBytes, 0, sizeof network.s6_addr - kOwnBytes);
  return absl::StrCat(Text(network), "/64");
}

bool IsPort(std::string_view text) {
  return !text.empty() && text.size() <= 5 &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Returns the host of "192.0.2.7:80", "[2001:db8::1]:80" and "[2001:db8::1]"; other texts
// unchanged.
std::string_view WithoutPort(std::string_view text) {
  const size_t colon = text.rfind(':');
  const bool bracketed = !text.empty() && text.front() == '[';
  // An IPv6 address without brackets has colons and no port.
  const bool has_port = colon != std::string_view::npos && IsPort(text.substr(colon + 1)) &&
                        (bracketed ? text[colon - 1] == ']' : text.find(':') == colon);
  std::string_view host = has_port ? text.substr(0, colon) : text;
  if (bracketed && host.back() == ']' && host.find(':') != std::string_view::npos) {
    host = host.substr(1, host.size() - 2);
  }
  return host;
}

// "ipv4:192.0.2.7", "ipv6:[2001:db8::1]".
std::string HostName(const sockaddr_storage& peer) {
  if (peer.ss_family == AF_INET) {
    return absl::StrCat("ipv4:", Text(reinterpret_cast<const sockaddr_in&>(peer).sin_addr));
  }
  if (peer.ss_family != AF_INET6) return "";
  const in6_addr& ip = reinterpret_cast<const sockaddr_in6&>(peer).sin6_addr;
  if (auto mapped = MappedIn(ip)) return absl::StrCat("ipv4:", Text(*mapped));
  return absl::StrCat("ipv6:[", Text(ip), "]");
}

}  // namespace

std::string AddressOf(int fd, const sockaddr_storage& peer) {
  if (peer.ss_family == AF_INET) return Text(reinterpret_cast<const sockaddr_in&>(peer).sin_addr);
  if (peer.ss_family == AF_INET6) {
    return AddressOfIp(reinterpret_cast<const sockaddr_in6&>(peer).sin6_addr);
  }
  ucred user = {};
  socklen_t size = sizeof user;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &user, &size) != 0) return "unix";
  return absl::StrCat("unix:", user.uid);
}

std::optional<std::string> AddressOfText(std::string_view text) {
  const std::string name(text);
  in_addr ip4;
  in6_addr ip6;
  if (inet_pton(AF_INET, name.c_str(), &ip4) == 1) return Text(ip4);
  if (inet_pton(AF_INET6, name.c_str(), &ip6) == 1) return AddressOfIp(ip6);
  return std::nullopt;
}

std::string PeerName(const sockaddr_storage& peer) {
  const std::string host = HostName(peer);
  if (host.empty()) return "";
  // Both address families have the port at the same offset.
  return absl::StrCat(host, ":", ntohs(reinterpret_cast<const sockaddr_in&>(peer).sin_port));
}

std::string PeerName(std::string peer) {
  if (peer.find('%') == std::string::npos) return peer;
  std::string name = absl::StrReplaceAll(peer, {{"%5B", "["}, {"%5D", "]"}, {"%25", "%"}});
  const size_t scope = name.find('%');
  if (scope != std::string::npos) name.erase(scope, name.find(']') - scope);
  return name;
}

absl::StatusOr<TrustedProxies> TrustedProxies::Parse(const std::string& text) {
  TrustedProxies proxies;
  const std::vector<std::string> words = absl::StrSplit(text, ',');
  if (words.size() == 1 && (text.empty() || text == "none")) return proxies;
  for (const std::string& word : words) {
    sockaddr_storage address = {};
    auto& ip4 = reinterpret_cast<sockaddr_in&>(address);
    auto& ip6 = reinterpret_cast<sockaddr_in6&>(address);
    if (word == "unix") {
      proxies.unix_ = true;
      continue;
    }
    if (inet_pton(AF_INET, word.c_str(), &ip4.sin_addr) == 1) {
      address.ss_family = AF_INET;
    } else if (inet_pton(AF_INET6, word.c_str(), &ip6.sin6_addr) == 1) {
      address.ss_family = AF_INET6;
    } else {
      return absl::InvalidArgumentError(absl::StrCat(
          "'trusted-proxies' takes IP addresses and 'unix', separated by commas, not '", word,
          "'"));
    }
    proxies.hosts_.insert(HostName(address));
  }
  return proxies;
}

bool TrustedProxies::Has(const sockaddr_storage& peer) const {
  if (peer.ss_family == AF_UNIX) return unix_;
  return hosts_.contains(HostName(peer));
}

std::optional<std::string> ForwardedAddress(std::string_view header) {
  const size_t comma = header.rfind(',');
  if (comma != std::string_view::npos) header.remove_prefix(comma + 1);
  const size_t begin = header.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return std::nullopt;
  header = header.substr(begin, header.find_last_not_of(" \t") + 1 - begin);
  return AddressOfText(WithoutPort(header));
}

}  // namespace kiln::net
