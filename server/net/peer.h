// Tells who is at the other end of a connection, as bounds and shares need it.
//
// An address tells one client from another: an IPv4 address; the first 64 bits of an IPv6 address,
// since a client that has one address has all that begin likewise; for a Unix-domain socket the
// user who connected (SO_PEERCRED).
#ifndef KILN_SERVER_NET_PEER_H_
#define KILN_SERVER_NET_PEER_H_

#include <sys/socket.h>

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace kiln::net {

// Returns the address of an accepted connection: "192.0.2.7", "2001:db8:0:1::/64", "unix:1000".
std::string AddressOf(int fd, const sockaddr_storage& peer);
// Likewise for an IP address in text, without a port; nothing: it is none.
std::optional<std::string> AddressOfText(std::string_view text);

// Returns the name by which gRPC (1.51) tells a call's handler the peer of a TCP connection:
// "ipv4:192.0.2.7:4711", "ipv6:[2001:db8::1]:4711". Empty: it is no TCP connection.
std::string PeerName(const sockaddr_storage& peer);
// Returns ServerContext::peer() in that form: without percent-encoding, without an address's scope.
std::string PeerName(std::string peer);

// Addresses whose forwarding headers are believed.
class TrustedProxies {
 public:
  // Parses "none", or IP addresses and "unix" (all users who may connect to the socket), separated
  // by commas. InvalidArgument: says what is wrong.
  static absl::StatusOr<TrustedProxies> Parse(const std::string& text);
  bool Has(const sockaddr_storage& peer) const;

 private:
  bool unix_ = false;
  std::set<std::string> hosts_;  // in PeerName's form, without a port
};

// Returns the address that a trusted proxy forwards: the last of the list in an x-forwarded-for
// header, which is the one that the proxy itself saw. Some proxies write it with a port, and in
// brackets ("192.0.2.7:80", "[2001:db8::1]:80"). Nothing: there is none.
std::optional<std::string> ForwardedAddress(std::string_view header);

}  // namespace kiln::net

#endif  // KILN_SERVER_NET_PEER_H_
