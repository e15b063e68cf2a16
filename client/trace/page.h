// The fixed parts of the page of a timeline: its style and its script.
#ifndef KILN_CLIENT_TRACE_PAGE_H_
#define KILN_CLIENT_TRACE_PAGE_H_

#include "absl/strings/string_view.h"

namespace kiln::client::trace {

inline constexpr int kPageColours = 8;  // of causes: classes k0, k1, ...

extern const absl::string_view kPageStyle;   // CSS
extern const absl::string_view kPageScript;  // JavaScript; the page is complete without it

}  // namespace kiln::client::trace

#endif  // KILN_CLIENT_TRACE_PAGE_H_
