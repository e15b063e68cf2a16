// The pages of the manual: kiln(1), and kiln-COMMAND(1) of each command.
#ifndef KILN_CLIENT_MANUAL_PAGES_H_
#define KILN_CLIENT_MANUAL_PAGES_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "client/cli/command.h"
#include "server/manual/page.h"

namespace kiln::client {

// kiln(1), then a page for each command in their order.
std::vector<manual::Page> Pages(absl::Span<const Command> commands);

// All pages as one Markdown document: client/REFERENCE.md.
std::string Reference(absl::Span<const Command> commands);

}  // namespace kiln::client

#endif  // KILN_CLIENT_MANUAL_PAGES_H_
