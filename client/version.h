// The version that `kiln --version` prints.
#ifndef KILN_CLIENT_VERSION_H_
#define KILN_CLIENT_VERSION_H_

namespace kiln::client {

inline constexpr char kVersion[] = "0.1.0";
inline constexpr char kApi[] = "kiln.v1alpha";

}  // namespace kiln::client

#endif  // KILN_CLIENT_VERSION_H_
