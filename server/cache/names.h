// Names below the disk tier's directory. Only what has exactly the form that we write is ours;
// anything else that is there is left alone.
#ifndef KILN_SERVER_CACHE_NAMES_H_
#define KILN_SERVER_CACHE_NAMES_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace kiln::cache {

inline constexpr char kMarkerName[] = "kilnd-cache";
inline constexpr char kLockName[] = "lock";
inline constexpr char kTrialName[] = "trial";            // written to see whether that can be done
inline constexpr char kQuarantineName[] = "quarantine";  // server/quarantine's
inline constexpr char kOldLayoutName[] = "db";  // of versions before there were generations

// Their names have 12 digits; the first is 1.
inline constexpr uint64_t kMaxGeneration = 999'999'999'999;
std::string GenerationName(uint64_t number);
// 0: not a generation's name.
uint64_t GenerationNumber(std::string_view name);
// Of a repaired generation that is not yet in its place.
std::string RepairedName(uint64_t number);
// 0: not such a name.
uint64_t RepairedNumber(std::string_view name);
// A name that nothing else has, for what is being removed.
std::string NewDoomedName();
bool IsDoomedName(std::string_view name);

// Of any of these kinds.
bool IsOurName(std::string_view name);

}  // namespace kiln::cache

#endif  // KILN_SERVER_CACHE_NAMES_H_
