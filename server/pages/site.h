// The pages' own files, as embed.py puts them into the program.
#ifndef KILN_SERVER_PAGES_SITE_H_
#define KILN_SERVER_PAGES_SITE_H_

#include <span>
#include <string_view>

namespace kiln::pages {

struct SiteFile {
  std::string_view path;  // of its URL
  std::string_view content_type;
  std::string_view text;
};

std::span<const SiteFile> Site();

}  // namespace kiln::pages

#endif  // KILN_SERVER_PAGES_SITE_H_
