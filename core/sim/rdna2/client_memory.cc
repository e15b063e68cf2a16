// See client_memory.h.
#include "core/sim/rdna2/client_memory.h"

#include <cstring>

#include "absl/types/span.h"

namespace kiln::sim::rdna2 {
namespace {

// Names: the number of the allocation above, the offset below.
constexpr uint64_t kFirstName = uint64_t{1} << 63, kAllocation = uint64_t{1} << 40;

}  // namespace

ClientMemory::ClientMemory(const scene::Dispatch& dispatch, Splitmix& random, Needs* needs)
    : history_(kLineBytes, kMaxChanges), caches_(random, history_), needs_(needs) {
  for (const scene::ClientBuffer& b : dispatch.buffers) {
    if (!b.window) allocations_.push_back({b.bytes.data(), b.bytes.size()});
  }
  for (const scene::ClientImage& i : dispatch.images) {
    if (!i.window) allocations_.push_back({i.texels.data(), i.texels.size()});
  }
}

uint64_t ClientMemory::NameOf(const uint8_t* data) const {
  for (size_t i = 0; i < allocations_.size(); ++i) {
    const Allocation& a = allocations_[i];
    if (data >= a.data && data < a.data + a.size) {
      return kFirstName + i * kAllocation + static_cast<uint64_t>(data - a.data);
    }
  }
  return kNoName;
}

void ClientMemory::Access(const InFlight& m, uint32_t cu, uint8_t* data, uint32_t bytes, Use use) {
  const uint64_t name = NameOf(data);
  if (name == kNoName) return;
  if (needs_ != nullptr) NoteNeeds(m, cu, name, bytes, use);
  if (use == Use::kRead) {
    Load(m, cu, name, data, bytes);
  } else {
    Change(cu, name, data, bytes);
  }
}

void ClientMemory::Load(const InFlight& m, uint32_t cu, uint64_t name, uint8_t* data,
                        uint32_t bytes) {
  const Nearest nearest = NearestOf(m.op->inst.glc, m.op->inst.dlc);
  history_.ForEachLine(name, bytes, [&](uint64_t line, uint64_t offset, uint64_t size) {
    const LineCopy copy = caches_.Load(cu, m.path == Path::kScalar, line, nearest);
    if (copy.time == history_.now()) return;
    Remember(data + offset, static_cast<uint32_t>(size));
    const uint64_t within = name + offset - line;
    for (uint64_t first = 0, end = 0; first < size; first = end) {
      const uint64_t time = copy.TimeOf(within + first);
      for (end = first + 1; end < size && copy.TimeOf(within + end) == time;) ++end;
      history_.Restore(name + offset + first, time,
                       absl::MakeSpan(data + offset + first, end - first));
    }
  });
}

void ClientMemory::Change(uint32_t cu, uint64_t name, const uint8_t* data, uint32_t bytes) {
  history_.Change(name, absl::MakeConstSpan(data, bytes));
  history_.ForEachLine(name, bytes, [&](uint64_t line, uint64_t offset, uint64_t size) {
    caches_.Change(cu, line, name + offset - line, size);
  });
}

void ClientMemory::PutBack() {
  for (; !patches_.empty(); patches_.pop_back()) {
    const Patch& patch = patches_.back();
    std::memcpy(patch.data, patch.present.data(), patch.present.size());
  }
}

void ClientMemory::NoteNeeds(const InFlight& m, uint32_t cu, uint64_t name, uint32_t bytes,
                             Use use) {
  const uint32_t op = m.op->offset;
  for (uint64_t dword = name / 4; dword <= (name + bytes - 1) / 4; ++dword) {
    const auto at = writers_.find(dword);
    if (at != writers_.end() && at->second.cu != cu) {
      const Writer& writer = at->second;
      const bool far = ArrayOf(writer.cu) != ArrayOf(cu);
      if (use == Use::kRead) needs_->emplace(op, Need::kLoad);
      if (use == Use::kRead && far) needs_->emplace(op, Need::kFarLoad);
      if (use != Use::kWrite && writer.whole_lines) needs_->emplace(writer.op, Need::kStore);
      if (use != Use::kWrite && writer.waits) {
        for (const uint32_t wait : *writer.waits) needs_->emplace(wait, Need::kVscnt);
      }
    }
    if (use != Use::kRead) writers_.insert_or_assign(dword, Writer{cu, op, m.whole_lines, m.waits});
  }
}

}  // namespace kiln::sim::rdna2
