// Renumbers a module's ids without gaps.
//
// A module's id bound may be up to 4,194,303 however few ids it has: tools that strip debug
// information keep the numbers of the other ids. The reader's tables are by id, so such a module
// would make it reserve memory out of proportion to its size. Its ids are therefore renumbered in
// order of appearance, before any other code sees them. Messages for people use the original ids
// (SpirvModule::WithOriginalId).
//
// The grammar tells which words are ids. Operands of debug information and of instructions without
// a layout may be renumbered although they are literals; they are not used.
//
// Cost: linear in the words; a hash table of the ids in use.
#ifndef KILN_CORE_FRONT_SPIRV_DENSE_IDS_H_
#define KILN_CORE_FRONT_SPIRV_DENSE_IDS_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"

namespace kiln::front {

// Renumbers the ids of a module in host byte order in place and sets its bound. `original`: the old
// id by the new one; 0 stays 0. InvalidArgument: an instruction runs past the end, or defines an id
// outside the bound.
absl::Status NumberIdsDensely(std::vector<uint32_t>* words, std::vector<uint32_t>* original);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_SPIRV_DENSE_IDS_H_
