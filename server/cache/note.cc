// Reads and writes a generation's note: see note.h.
#include "server/cache/note.h"

#include <unistd.h>

#include <algorithm>
#include <array>

namespace kiln::cache {
namespace {

constexpr size_t kNumbers = 7;
using Words = std::array<uint64_t, 2 * kNumbers>;

}  // namespace

Note ReadNote(int fd) {
  Words words = {};
  const ssize_t n = pread(fd, words.data(), sizeof words, 0);
  const size_t whole = n < 0 ? 0 : static_cast<size_t>(n) / (2 * sizeof words[0]);
  const auto number = [&](size_t i) {
    return i < whole && words[2 * i] == ~words[2 * i + 1] ? words[2 * i] : 0;
  };
  return {number(0), number(1), number(2), std::max({number(3), number(4), number(5)}), number(6)};
}

bool WriteNote(int fd, const Note& note) {
  const uint64_t numbers[kNumbers] = {note.written, note.gone, note.invalid_bytes, note.salt,
                                      note.salt,    note.salt, note.not_erased};
  Words words = {};
  for (size_t i = 0; i < kNumbers; ++i) {
    words[2 * i] = numbers[i];
    words[2 * i + 1] = ~numbers[i];
  }
  return pwrite(fd, words.data(), sizeof words, 0) == static_cast<ssize_t>(sizeof words);
}

}  // namespace kiln::cache
