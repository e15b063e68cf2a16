// Chooses the form of an answer: see negotiate.h.
#include "server/net/negotiate.h"

#include <zlib.h>

#include <algorithm>
#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace kiln::net {
namespace {

// Calls `each` with the name, in lower case, and the weight (0 to 1) of each element of a list like
// "text/html;level=1;q=0.5, gzip". A weight that is no number is 0.
template <typename Each>
void ForEachWeighted(std::string_view list, Each each) {
  for (absl::string_view element :
       absl::StrSplit(absl::string_view(list.data(), list.size()), ',')) {
    std::string name;
    double weight = 1;
    bool first = true;
    for (absl::string_view part : absl::StrSplit(element, ';')) {
      part = absl::StripAsciiWhitespace(part);
      if (first) name = absl::AsciiStrToLower(part);
      first = false;
      if (!absl::StartsWithIgnoreCase(part, "q=")) continue;
      double given = 0;
      weight = absl::SimpleAtod(part.substr(2), &given) && given >= 0 ? std::min(given, 1.0) : 0;
    }
    if (!name.empty()) each(name, weight);
  }
}

}  // namespace

std::string HeaderValues(std::string_view header, std::string_view name) {
  std::string values;
  for (absl::string_view line :
       absl::StrSplit(absl::string_view(header.data(), header.size()), '\n')) {
    const size_t colon = line.find(':');
    if (colon != name.size() ||
        !absl::EqualsIgnoreCase(line.substr(0, colon), absl::string_view(name.data(), colon))) {
      continue;
    }
    if (!values.empty()) values += ',';
    values += std::string(absl::StripAsciiWhitespace(line.substr(colon + 1)));
  }
  return values;
}

bool Prefers(std::string_view header, std::string_view media_type) {
  double wanted = 0, text = 0, text_range = -1, any = -1;
  bool has_text = false;
  ForEachWeighted(HeaderValues(header, "accept"), [&](const std::string& type, double weight) {
    if (type == media_type) wanted = std::max(wanted, weight);
    if (type == "text/plain") {
      text = std::max(text, weight);
      has_text = true;
    }
    if (type == "text/*") text_range = std::max(text_range, weight);
    if (type == "*/*") any = std::max(any, weight);
  });
  // The most specific range counts.
  if (!has_text) text = std::max(text_range >= 0 ? text_range : any, 0.0);
  return wanted > 0 && wanted >= text;
}

bool TakesGzip(std::string_view header) {
  bool takes = false;
  ForEachWeighted(HeaderValues(header, "accept-encoding"),
                  [&](const std::string& coding, double weight) {
                    if (coding == "gzip" || coding == "x-gzip") takes = takes || weight > 0;
                  });
  return takes;
}

bool Compress(std::string* text) {
  // 16 beyond the largest window asks zlib for gzip's header and end.
  constexpr int kGzip = 16 + MAX_WBITS;
  constexpr int kDefaultMemory = 8;
  z_stream stream = {};
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzip, kDefaultMemory, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    return false;
  }
  std::string packed(text->size(), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(text->data());
  stream.avail_in = static_cast<uInt>(text->size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  // No room is left at the end: the text does not become shorter.
  const bool done = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (done) *text = std::move(packed);
  return done;
}

}  // namespace kiln::net
