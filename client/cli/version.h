// Versions that `kiln --version` prints beside Kiln's own.
#ifndef KILN_CLIENT_CLI_VERSION_H_
#define KILN_CLIENT_CLI_VERSION_H_

#include "core/base/version.h"

namespace kiln::client {

inline constexpr char kApi[] = "kiln.v1";

}  // namespace kiln::client

#endif  // KILN_CLIENT_CLI_VERSION_H_
