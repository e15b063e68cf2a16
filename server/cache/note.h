// What is noted of a generation in a file beside its database.
#ifndef KILN_SERVER_CACHE_NOTE_H_
#define KILN_SERVER_CACHE_NOTE_H_

#include <cstdint>

#include "server/cache/frame.h"

namespace kiln::cache {

inline constexpr char kNoteName[] = "written";

struct Note {
  uint64_t written = 0;        // records; 0: not known
  uint64_t gone = 0;           // of these: dropped for the bound, or counted as lost
  uint64_t invalid_bytes = 0;  // of records of the class kInvalid
  Salt salt = 0;               // of the frames; 0: not known
  bool never_erased = false;   // no record was erased; false: not known
};

// Each number is followed by its complement, so that a damaged one is not known; the salt is there
// three times, because records are lost without it. A file that is not there is a note of zeros.
Note ReadNote(int fd);
// False: not all of it was written.
bool WriteNote(int fd, const Note& note);

}  // namespace kiln::cache

#endif  // KILN_SERVER_CACHE_NOTE_H_
