// The version of Kiln: the same in the client, the daemon, its workers and what they write.
#ifndef KILN_CORE_BASE_VERSION_H_
#define KILN_CORE_BASE_VERSION_H_

namespace kiln {

inline constexpr char kVersion[] = "0.1.0";

}  // namespace kiln

#endif  // KILN_CORE_BASE_VERSION_H_
