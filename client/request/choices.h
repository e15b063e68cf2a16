// Values of flags that are a fixed set, for completion (Flag::choices), as this program knows them.
// A daemon of another version may know others.
#ifndef KILN_CLIENT_REQUEST_CHOICES_H_
#define KILN_CLIENT_REQUEST_CHOICES_H_

#include "absl/strings/string_view.h"

namespace kiln::client {

// For --widths and --subgroup-size.
inline constexpr absl::string_view kWidthChoices = "8 16 32 64";

// Words with a space between; the texts live as long as the process.
absl::string_view TargetChoices();
absl::string_view StageChoices();
absl::string_view ContainerChoices();
absl::string_view ScanChoices();      // of all targets
absl::string_view NggGroupChoices();  // of all targets
absl::string_view PassChoices();      // optional passes alone

}  // namespace kiln::client

#endif  // KILN_CLIENT_REQUEST_CHOICES_H_
