// See scalar_memory.h.
#include "core/sim/rdna2/scalar_memory.h"

#include "absl/strings/str_format.h"

namespace kiln::sim::rdna2 {
namespace {

// Calls f(dword, address of the access's dword).
template <typename F>
void ForDwords(const uint8_t* data, uint64_t address, uint32_t bytes, F f) {
  const uintptr_t first = reinterpret_cast<uintptr_t>(data) / 4;
  const uintptr_t last = (reinterpret_cast<uintptr_t>(data) + bytes - 1) / 4;
  for (uintptr_t dword = first; dword <= last; ++dword) f(dword, address + 4 * (dword - first));
}

}  // namespace

void ScalarMemory::Report(uint32_t reads, uint32_t writes, uint64_t address) {
  if (!status_.ok()) return;
  const bool writing = writes == op_;
  status_ = OpError(
      absl::StatusCode::kFailedPrecondition, program_->ops[op_], program_->wave,
      absl::StrFormat("contract: %s memory at 0x%x, which the dispatch %s by \"%s\": the scalar "
                      "cache is not coherent with vector stores",
                      writing ? "writes" : "reads", address, writing ? "reads" : "writes",
                      Describe(program_->ops[writing ? reads : writes], program_->wave)));
}

void ScalarMemory::Read(const uint8_t* data, uint64_t address, uint32_t bytes) {
  ForDwords(data, address, bytes, [&](uintptr_t dword, uint64_t at) {
    reads_.emplace(dword, op_);
    const auto page = writes_.find(dword / kPageDwords);
    if (page == writes_.end()) return;
    const uint32_t writer = page->second[dword % kPageDwords];
    if (writer != 0) Report(op_, writer - 1, at);
  });
}

void ScalarMemory::Write(const uint8_t* data, uint64_t address, uint32_t bytes) {
  ForDwords(data, address, bytes, [&](uintptr_t dword, uint64_t at) {
    writes_[dword / kPageDwords][dword % kPageDwords] = op_ + 1;
    const auto reader = reads_.find(dword);
    if (reader != reads_.end()) Report(reader->second, op_, at);
  });
}

}  // namespace kiln::sim::rdna2
