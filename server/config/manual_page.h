// The manual of kilnd: kilnd(8), made from the table that makes --help.
#ifndef KILN_SERVER_CONFIG_MANUAL_PAGE_H_
#define KILN_SERVER_CONFIG_MANUAL_PAGE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace kiln::server {

// `form` is "man" (roff) or "markdown" (server/REFERENCE.md); `version` is Kiln's, for "man".
std::string Manual(absl::string_view form, absl::string_view version);

}  // namespace kiln::server

#endif  // KILN_SERVER_CONFIG_MANUAL_PAGE_H_
