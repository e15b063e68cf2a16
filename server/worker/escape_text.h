// Makes a message's text UTF-8, as the last step before the message leaves a worker.
//
// Statuses, remarks and names quote the shader, whose names are bytes (a validator's message has a
// damaged name as it is). protobuf's `string` does not carry bytes that are not UTF-8: the reader
// would take the whole answer for broken. Escaping here, by reflection over every field of type
// string, leaves no field to be forgotten.
//
// Cost: linear in the text; a message has a few hundred short strings at most, and assembly.
#ifndef KILN_SERVER_WORKER_ESCAPE_TEXT_H_
#define KILN_SERVER_WORKER_ESCAPE_TEXT_H_

#include "google/protobuf/message.h"

namespace kiln::worker {

// Writes bytes that are not UTF-8 as \xHH, in all fields of type string, including nested messages
// and maps.
void EscapeText(google::protobuf::Message* message);

}  // namespace kiln::worker

#endif  // KILN_SERVER_WORKER_ESCAPE_TEXT_H_
