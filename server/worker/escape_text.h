// The last thing that happens to a message before it leaves a worker: its text becomes UTF-8.
//
// Statuses, remarks and names quote the shader, whose names are bytes (a validator's message has a
// damaged name as it stands). protobuf's `string` does not carry what is no UTF-8: the reader would
// take the whole answer for broken. Doing it here, by reflection over every field of type string,
// leaves no field to be forgotten.
//
// Cost: linear in the text; a message has a few hundred short strings at most, and assembly.
#ifndef KILN_SERVER_WORKER_ESCAPE_TEXT_H_
#define KILN_SERVER_WORKER_ESCAPE_TEXT_H_

#include "google/protobuf/message.h"

namespace kiln::worker {

// Writes bytes that are no UTF-8 as \xHH, in all fields of type string, nested ones and maps
// included.
void EscapeText(google::protobuf::Message* message);

}  // namespace kiln::worker

#endif  // KILN_SERVER_WORKER_ESCAPE_TEXT_H_
