// Reads amdhsa code objects as a loader does: segments, dynamic table, notes. Knows no sections.
//
// Written from LLVM's AMDGPUUsage and the ELF specification, not from core/out: it judges that.
#ifndef KILN_TESTS_AMD_CODE_OBJECT_H_
#define KILN_TESTS_AMD_CODE_OBJECT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "nlohmann/json.hpp"

namespace kiln::tests {

struct KernelDescriptor {
  uint32_t group_segment_bytes = 0, private_segment_bytes = 0, kernarg_bytes = 0;
  int64_t entry_offset = 0;  // from the descriptor
  uint32_t rsrc1 = 0, rsrc2 = 0, rsrc3 = 0;
  uint16_t properties = 0, preload = 0;
};

class CodeObject {
 public:
  // InvalidArgument, with what is wrong, for anything that a loader of gfx1030 refuses.
  static absl::StatusOr<CodeObject> Load(absl::Span<const uint8_t> file);

  const nlohmann::json& metadata() const { return metadata_; }
  // Returns the metadata of the kernel of that symbol (NAME.kd), null if there is none.
  const nlohmann::json* KernelOf(const std::string& symbol) const;

  struct Symbol {
    uint64_t address = 0, bytes = 0;
    uint8_t type = 0;
  };
  // Finds a dynamic symbol by the hash table.
  absl::StatusOr<Symbol> Find(const std::string& name) const;
  absl::StatusOr<KernelDescriptor> DescriptorAt(uint64_t address) const;
  // Returns the loaded bytes from an address to the end of its segment, which must be executable.
  absl::StatusOr<absl::Span<const uint8_t>> CodeAt(uint64_t address) const;

 private:
  struct Segment {
    uint64_t address = 0;
    std::vector<uint8_t> bytes;
    bool executable = false;
  };
  absl::Status ReadHeaders(absl::Span<const uint8_t> file);
  absl::Status ReadNotes(absl::Span<const uint8_t> notes);
  absl::Status ReadDynamic(absl::Span<const uint8_t> table);
  // Returns a number of the loaded image; counts what is outside in `faults_`.
  uint64_t At(uint64_t address, int bytes) const;
  std::string TextAt(uint64_t address) const;

  std::vector<Segment> segments_;
  nlohmann::json metadata_;
  uint64_t symbols_ = 0, strings_ = 0, hash_ = 0;  // addresses
  mutable int faults_ = 0;
};

}  // namespace kiln::tests

#endif  // KILN_TESTS_AMD_CODE_OBJECT_H_
