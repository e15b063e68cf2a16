// Makes and recognises names below the disk tier's directory. Only names that have exactly the form
// that we write are ours; all other files there are left alone.
#ifndef KILN_SERVER_CACHE_NAMES_H_
#define KILN_SERVER_CACHE_NAMES_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace kiln::cache {

inline constexpr char kMarkerName[] = "kilnd-cache";
inline constexpr char kLockName[] = "lock";
// Written to find out if writing is possible.
inline constexpr char kTrialName[] = "trial";
inline constexpr char kQuarantineName[] = "quarantine";  // server/quarantine's
// Database of versions before there were generations.
inline constexpr char kOldLayoutName[] = "db";

// Numbers have 12 digits in names; the first is 1.
inline constexpr uint64_t kMaxGeneration = 999'999'999'999;
std::string GenerationName(uint64_t number);
// Returns 0 if it is not a generation's name.
uint64_t GenerationNumber(std::string_view name);
// Returns the name of a repaired generation before it replaces the damaged one.
std::string RepairedName(uint64_t number);
// Returns 0 if it is not such a name.
uint64_t RepairedNumber(std::string_view name);
// Returns a unique name for a directory under removal.
std::string NewDoomedName();
bool IsDoomedName(std::string_view name);

// Returns true for a name of any of these kinds.
bool IsOurName(std::string_view name);

}  // namespace kiln::cache

#endif  // KILN_SERVER_CACHE_NAMES_H_
