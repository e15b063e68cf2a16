// The name that a pair of files has in the database: the one column for both.
#ifndef KILN_CLIENT_DATABASE_PAIR_NAME_H_
#define KILN_CLIENT_DATABASE_PAIR_NAME_H_

#include <optional>
#include <string>
#include <utility>

namespace kiln::client {

// pipeline.kind of a file.
inline constexpr char kFileKind[] = "file";
// pipeline.kind of a pair; its stages are 0, the vertex shader, and 1, the fragment shader.
inline constexpr char kPairKind[] = "pair";

// Returns pipeline.file of a pair.
std::string PairName(const std::string& vertex, const std::string& fragment);

// Returns the names of the vertex and the fragment shader. nullopt: the text has not exactly one
// place at which it can be parted.
std::optional<std::pair<std::string, std::string>> FilesOfPair(const std::string& name);

}  // namespace kiln::client

#endif  // KILN_CLIENT_DATABASE_PAIR_NAME_H_
