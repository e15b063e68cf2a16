// See in_flight.h.
#include "core/sim/rdna2/in_flight.h"

#include <algorithm>
#include <bit>

#include "core/sim/rdna2/access.h"
#include "core/sim/rdna2/resource/image_address.h"

namespace kiln::sim::rdna2 {
namespace {

using isa::Encoding;

Path PathOf(const Op& op) {
  switch (op.info->encoding) {
    case Encoding::kSmem: return Path::kScalar;
    case Encoding::kDs: return Path::kLds;
    case Encoding::kScratch: return Path::kScratch;
    default: return Path::kVector;
  }
}

// Adds those that must have taken effect so that at most `count` are counted.
void AddWaited(absl::Span<const Message> messages, bool InFlight::*counter, int count,
               std::vector<Message>* waited) {
  std::vector<Message> in_order, others;
  for (const Message& m : messages) {
    if (!((*m).*counter) || (!m->IsCounted() && in_order.empty())) continue;
    const bool ordered = counter == &InFlight::lgkm
                             ? LgkmcntKeepsOrder(*m->op)
                             : SequenceOf(*m->op, /*memory_ordered=*/true) != Sequence::kNone;
    if (ordered) in_order.push_back(m);
    if (!ordered && m->IsCounted()) others.push_back(m);
  }
  const auto most = static_cast<size_t>(count);
  const size_t sure = in_order.size() > most ? in_order.size() - most : 0;
  for (size_t i = 0; i < sure; ++i) {
    if (in_order[i]->IsCounted()) waited->push_back(in_order[i]);
  }
  // Those that come in any order: the newest, all of them if none may be left.
  const size_t kept = std::min(in_order.size(), most);
  for (size_t i = others.size(); i > 0 && kept + i > most; --i) waited->push_back(others[i - 1]);
}

}  // namespace

void Join(Ranges* ranges) {
  std::sort(ranges->begin(), ranges->end());
  size_t kept = 0;
  for (const auto& range : *ranges) {
    if (kept > 0 && range.first <= (*ranges)[kept - 1].second) {
      (*ranges)[kept - 1].second = std::max((*ranges)[kept - 1].second, range.second);
    } else {
      (*ranges)[kept++] = range;
    }
  }
  ranges->resize(kept);
}

bool Overlap(const Ranges& a, const Ranges& b) {
  for (size_t i = 0, k = 0; i < a.size() && k < b.size();) {
    if (a[i].second <= b[k].first) {
      ++i;
    } else if (b[k].second <= a[i].first) {
      ++k;
    } else {
      return true;
    }
  }
  return false;
}

bool AreWholeLines(const Ranges& ranges) {
  return !ranges.empty() && std::all_of(ranges.begin(), ranges.end(), [](const auto& r) {
    return r.first % kLineBytes == 0 && r.second % kLineBytes == 0;
  });
}

Message MakeMessage(const Op& op, uint32_t wave, const WaveState& state) {
  auto m = std::make_shared<InFlight>();
  m->op = &op;
  m->wave = wave;
  m->path = PathOf(op);
  m->payload = state;
  const Counter counter = CounterOf(ProducerOf(op));
  m->vm = counter == Counter::kVm || counter == Counter::kVmAndLgkm;
  m->vs = counter == Counter::kVs || counter == Counter::kVsAndLgkm;
  m->lgkm =
      counter == Counter::kLgkm || counter == Counter::kVmAndLgkm || counter == Counter::kVsAndLgkm;
  m->left = m->path == Path::kScalar ? 1 : state.Exec();
  for (const isa::OperandUse& use : op.uses) {
    if (!use.written || !use.operand.is_vgpr()) continue;
    m->results.emplace_back(use.operand.code, use.operand.code + use.dwords);
  }
  const bool exchanges = m->path == Path::kLds && AccessOf(op.inst.op).kind == AccessKind::kOther;
  m->whole = m->path == Path::kScalar || exchanges;
  m->by_halves = m->path == Path::kLds && !exchanges;
  if (op.info->encoding == Encoding::kMimg) {
    const absl::StatusOr<ImageOpcode> image = ImageOpcodeOf(op.inst.op);
    m->by_quads = image.ok() && image->NeedsQuad();
  }
  return m;
}

void CopyResults(const InFlight& m, uint64_t lanes, WaveState& to) {
  const Access& access = AccessOf(m.op->inst.op);
  const bool half = access.d16 && access.kind == AccessKind::kLoad;
  const uint32_t taken = !half ? ~0u : access.high ? 0xffff0000u : 0xffffu;
  for (const isa::OperandUse& use : m.op->uses) {
    if (!use.written) continue;
    for (int i = 0; i < use.dwords; ++i) {
      const int code = use.operand.code + i;
      if (code < 256) {
        to.SetScalar(code, m.payload.scalar[static_cast<size_t>(code)]);
        continue;
      }
      LaneDwords& result = to.vector[static_cast<size_t>(code - 256)];
      const LaneDwords& found = m.payload.vector[static_cast<size_t>(code - 256)];
      for (uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<size_t>(std::countr_zero(rest));
        result[lane] = (result[lane] & ~taken) | (found[lane] & taken);
      }
    }
  }
}

std::vector<Message> Waited(absl::Span<const Message> messages, const WaitCounts& counts) {
  std::vector<Message> waited;
  if (counts.vm != kNoWait) AddWaited(messages, &InFlight::vm, counts.vm, &waited);
  if (counts.vs != kNoWait) AddWaited(messages, &InFlight::vs, counts.vs, &waited);
  if (counts.lgkm != kNoWait) AddWaited(messages, &InFlight::lgkm, counts.lgkm, &waited);
  return waited;
}

void Clean(std::vector<Message>* messages) {
  bool vm = false, vs = false, lds = false;
  std::erase_if(*messages, [&](const Message& m) {
    const bool in_order = m->lgkm && m->path == Path::kLds;
    const bool needed = (m->vm && vm) || (m->vs && vs) || (in_order && lds);
    if (m->IsCounted()) {
      vm |= m->vm;
      vs |= m->vs;
      lds |= in_order;
    }
    return !m->IsCounted() && !needed;
  });
}

}  // namespace kiln::sim::rdna2
