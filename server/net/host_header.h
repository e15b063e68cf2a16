// Checks the Host header of requests to a listener on loopback.
//
// A page of another site can make a browser connect to this machine under a name of that site (DNS
// rebinding), and then read the answers as its own. Such requests carry the site's name in Host;
// requests by address or by localhost cannot come from there.
#ifndef KILN_SERVER_NET_HOST_HEADER_H_
#define KILN_SERVER_NET_HOST_HEADER_H_

#include <string_view>

namespace kiln::net {

// Returns true for an IP address, localhost and names below it, with a port or without, and for an
// empty value: programs of HTTP/1.0 send none, browsers always do.
bool NamesNoOtherHost(std::string_view host);

}  // namespace kiln::net

#endif  // KILN_SERVER_NET_HOST_HEADER_H_
