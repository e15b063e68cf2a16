// Ids of calls, which connect a line of the log with a client.
//
// A client may send its own id in the header "kiln-request-id" (at most 64 letters, digits, '.',
// '_', '-'). Otherwise the daemon makes one, which no other call of this process has and hardly one
// of another process. A call that has to wait for a worker or is refused, and every stream, is told
// its id in the header of the same name; items of a stream are ID.ITEM. Calls answered from the
// caches have none, because the log has no lines about them.
#ifndef KILN_SERVER_REQUEST_REQUEST_ID_H_
#define KILN_SERVER_REQUEST_REQUEST_ID_H_

#include <string>
#include <string_view>

namespace kiln::server {

inline constexpr char kRequestIdHeader[] = "kiln-request-id";

bool IsRequestId(std::string_view text);
std::string NewRequestId();

}  // namespace kiln::server

#endif  // KILN_SERVER_REQUEST_REQUEST_ID_H_
