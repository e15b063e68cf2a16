// Captures messages that protobuf logs itself.
//
// protobuf 3.21 writes a line to standard error for every message with a string that is not UTF-8
// (and for a few other mistakes of a sender): a client could fill a disk with them, at a line for
// each request of a hundred bytes. Here they are counted, and one per interval is passed on, with
// the number of those withheld since the one before. The sender learns of it from the answer
// (proto/bad_text.h); the line is for the operator. A fatal message is always passed on: the
// process ends after it.
#ifndef KILN_SERVER_RPC_PROTOBUF_LOG_H_
#define KILN_SERVER_RPC_PROTOBUF_LOG_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/time/time.h"

namespace kiln::server {

// Captures from now on, in the whole process. `say` is called from any thread, one call at a time;
// `withheld`: messages since its last call that it was not called for. Null: count only.
using ProtobufSay = std::function<void(const std::string& text, uint64_t withheld)>;
void CaptureProtobufMessages(ProtobufSay say, absl::Duration interval = absl::Minutes(1));

// Returns the messages since the start of the process (kiln_protobuf_messages_total).
uint64_t ProtobufMessages();

}  // namespace kiln::server

#endif  // KILN_SERVER_RPC_PROTOBUF_LOG_H_
