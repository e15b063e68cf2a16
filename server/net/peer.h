// Who is at the other end of a connection, in the words that bounds and shares go by.
//
// An address is what one client can be told from another by: an IPv4 address; the first 64 bits of
// an IPv6 address, since a client that has one has all that begin like it; of a Unix-domain socket
// the user who connected (SO_PEERCRED).
#ifndef KILN_SERVER_NET_PEER_H_
#define KILN_SERVER_NET_PEER_H_

#include <sys/socket.h>

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace kiln::net {

// The address of an accepted connection: "192.0.2.7", "2001:db8:0:1::/64", "unix:1000".
std::string AddressOf(int fd, const sockaddr_storage& peer);
// The same of an IP address in text, without a port; nothing: it is none.
std::optional<std::string> AddressOfText(std::string_view text);

// The name under which gRPC (1.51) tells a call's handler the peer of a TCP connection that it was
// given: "ipv4:192.0.2.7:4711", "ipv6:[2001:db8::1]:4711". Empty: it is no TCP connection.
std::string PeerName(const sockaddr_storage& peer);
// ServerContext::peer() in that form: without percent-encoding, without the scope of an address.
std::string PeerName(std::string peer);

// Addresses whose word on other addresses is believed.
class TrustedProxies {
 public:
  // "none", or IP addresses and "unix" (all who may connect to the socket), with commas between.
  // InvalidArgument: what is wrong.
  static absl::StatusOr<TrustedProxies> Parse(const std::string& text);
  bool Has(const sockaddr_storage& peer) const;

 private:
  bool unix_ = false;
  std::set<std::string> hosts_;  // as PeerName has them, without a port
};

// The address that a trusted proxy forwards: the last of the list in an x-forwarded-for header,
// which is the one that it saw itself. It may stand with its port, and in brackets ("192.0.2.7:80",
// "[2001:db8::1]:80"): some proxies write it so. Nothing: there is none.
std::optional<std::string> ForwardedAddress(std::string_view header);

}  // namespace kiln::net

#endif  // KILN_SERVER_NET_PEER_H_
