// Tells which client makes a call: see clients.h.
#include "server/rpc/clients.h"

#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "server/net/peer.h"

namespace kiln::server {
namespace {

std::optional<std::string_view> HeaderOf(const Headers& headers, const char* name) {
  // The last one: a proxy that adds a header line of its own appends it after its client's.
  const auto [begin, end] = headers.equal_range(name);
  if (begin == end) return std::nullopt;
  const auto last = std::prev(end);
  return std::string_view(last->second.data(), last->second.size());
}

}  // namespace

worker::Owner OwnerOf(const net::OpenCall& call, const Headers& headers) {
  const net::Connection* connection = call.connection();
  if (connection == nullptr) return {};  // closed already, or the daemon's own
  worker::Owner own{connection->address, std::to_string(connection->number)};
  if (!connection->trusted) return own;
  const auto header = HeaderOf(headers, kForwardedForHeader);
  const auto address = header.has_value() ? net::ForwardedAddress(*header) : std::nullopt;
  if (!address.has_value()) return own;
  const auto name = HeaderOf(headers, kForwardedConnectionHeader).value_or("");
  // The prefix keeps such names apart from the numbers of connections here.
  return {*address, "through " + std::string(name.substr(0, kMaxConnectionName))};
}

std::string ClientName(const net::OpenCall& call, const worker::Owner& owner) {
  return call.connection() == nullptr ? "" : owner.group + " " + owner.member;
}

}  // namespace kiln::server
