// A generation's note: numbers about it in a file beside its database.
#ifndef KILN_SERVER_CACHE_NOTE_H_
#define KILN_SERVER_CACHE_NOTE_H_

#include <cstdint>

#include "server/cache/frame.h"

namespace kiln::cache {

inline constexpr char kNoteName[] = "written";

struct Note {
  uint64_t written = 0;        // records; 0: not known
  uint64_t gone = 0;           // those of them that were dropped for the bound, or counted as lost
  uint64_t invalid_bytes = 0;  // of records of the class kInvalid
  Salt salt = 0;               // of the frames; 0: not known
  // 1 + the number of the last record up to which no record was erased; 0: not known. It says
  // nothing of a database that has later records: a note may be out of date.
  uint64_t not_erased = 0;
};

// Each number is followed by its complement, so that a damaged one is recognised as not known; the
// salt is stored three times, because without it records are lost. A missing file reads as a note
// of zeros.
Note ReadNote(int fd);
// Returns false if not all of it was written.
bool WriteNote(int fd, const Note& note);

}  // namespace kiln::cache

#endif  // KILN_SERVER_CACHE_NOTE_H_
