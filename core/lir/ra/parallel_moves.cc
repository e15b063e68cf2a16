#include "core/lir/ra/parallel_moves.h"

#include <algorithm>
#include <cassert>

namespace kiln::lir::ra {

namespace {

constexpr uint32_t kNone = ~uint32_t{0};

struct Sequencer {
  std::vector<Move> moves;
  std::vector<char> done;
  std::vector<uint32_t> reads;   // per unit: moves that have yet to read it
  std::vector<uint32_t> writer;  // per unit: the pending move that will write it
  std::vector<uint32_t> ready;   // a stack
  UnitSet busy;
  uint32_t pool_units;
  std::vector<MoveStep>* out;
  size_t left = 0;

  bool Unread(const Move& m) const {
    for (uint32_t u = m.to; u < m.to + m.units; ++u) {
      if (reads[u] != 0) return false;
    }
    return true;
  }

  // Counts one pending read less for each unit; moves that waited for that become ready.
  void FinishReads(uint32_t from, uint32_t units) {
    for (uint32_t u = from; u < from + units; ++u) --reads[u];
    uint32_t last = kNone;
    for (uint32_t u = from; u < from + units; ++u) {
      const uint32_t w = writer[u];
      if (w == kNone || w == last) continue;
      last = w;
      if (!done[w] && Unread(moves[w])) ready.push_back(w);
    }
  }

  void Emit(uint32_t k) {
    const Move m = moves[k];
    if (done[k]) return;
    done[k] = 1;
    --left;
    out->push_back({false, m.to, m.from, m.units, m.no_mask, m.tag});
    FinishReads(m.from, m.units);
  }

  void Drain() {
    while (!ready.empty()) {
      const uint32_t k = ready.back();
      ready.pop_back();
      Emit(k);
    }
  }

  bool SaveSource(uint32_t k) {
    Move& m = moves[k];
    uint32_t at = 0;
    while (true) {
      at = busy.next_free(at, pool_units);
      at = (at + m.alignment - 1) / m.alignment * m.alignment;
      if (at + m.units > pool_units) return false;
      if (!busy.intersects(at, m.units)) break;
      ++at;
    }
    out->push_back({false, at, m.from, m.units, m.no_mask, m.tag});
    busy.insert(at, m.units);
    const uint32_t from = m.from;
    m.from = at;
    for (uint32_t u = at; u < at + m.units; ++u) ++reads[u];
    FinishReads(from, m.units);
    return true;
  }

  // Exchanges the two ranges of move k; every pending reader of either must read all of it, in
  // the same lanes.
  bool Exchange(uint32_t k) {
    const Move m = moves[k];
    const auto overlaps = [](uint32_t a, uint32_t b, uint32_t an, uint32_t bn) {
      return a < b + bn && b < a + an;
    };
    if (overlaps(m.to, m.from, m.units, m.units)) return false;
    std::vector<uint32_t> of_to, of_from;
    for (uint32_t i = 0; i < moves.size(); ++i) {
      const Move& o = moves[i];
      if (done[i] || i == k) continue;
      const bool reads_to = overlaps(o.from, m.to, o.units, m.units);
      const bool reads_from = overlaps(o.from, m.from, o.units, m.units);
      if (!reads_to && !reads_from) continue;
      if (o.units != m.units || o.no_mask != m.no_mask) return false;
      if (reads_to ? o.from != m.to : o.from != m.from) return false;
      (reads_to ? of_to : of_from).push_back(i);
    }
    out->push_back({true, m.to, m.from, m.units, m.no_mask, m.tag});
    done[k] = 1;
    --left;
    for (uint32_t i : of_to) moves[i].from = m.from;
    for (uint32_t i : of_from) moves[i].from = m.to;
    Recount();
    return true;
  }

  void Recount() {
    std::fill(reads.begin(), reads.end(), 0);
    ready.clear();
    for (uint32_t i = 0; i < moves.size(); ++i) {
      Move& m = moves[i];
      if (done[i]) continue;
      if (m.to == m.from) {  // already there after an exchange
        done[i] = 1;
        --left;
        continue;
      }
      for (uint32_t u = m.from; u < m.from + m.units; ++u) ++reads[u];
    }
    for (uint32_t i = static_cast<uint32_t>(moves.size()); i-- > 0;) {
      if (!done[i] && Unread(moves[i])) ready.push_back(i);
    }
  }

  bool Run() {
    Recount();
    Drain();
    for (uint32_t k = 0; left != 0; ++k) {
      assert(k < moves.size());
      if (done[k]) continue;
      if (!SaveSource(k)) {
        if (!Exchange(k)) return false;
      }
      Drain();
    }
    return true;
  }
};

}  // namespace

bool SequenceMoves(absl::Span<const Move> moves, const UnitSet& busy, uint32_t pool_units,
                   std::vector<MoveStep>* out) {
  // Usually no move writes units that another reads, and the moves need no reordering.
  UnitSet read, written;
  for (const Move& m : moves) {
    if (m.to == m.from) continue;
    assert(!written.intersects(m.to, m.units) && "destinations overlap");
    read.insert(m.from, m.units);
    written.insert(m.to, m.units);
  }
  if (!read.intersects(written)) {
    for (const Move& m : moves) {
      if (m.to != m.from) out->push_back({false, m.to, m.from, m.units, m.no_mask, m.tag});
    }
    return true;
  }
  Sequencer s;
  s.out = out;
  s.busy = busy;
  s.pool_units = pool_units;
  s.reads.assign(pool_units, 0);
  s.writer.assign(pool_units, kNone);
  for (const Move& m : moves) {
    assert(m.to + m.units <= pool_units && m.from + m.units <= pool_units);
    s.busy.insert(m.to, m.units);
    s.busy.insert(m.from, m.units);
    for (uint32_t u = m.to; u < m.to + m.units; ++u) {
      assert(s.writer[u] == kNone && "destinations overlap");
      s.writer[u] = static_cast<uint32_t>(s.moves.size());
    }
    s.moves.push_back(m);
  }
  s.done.assign(s.moves.size(), 0);
  s.left = s.moves.size();
  return s.Run();
}

}  // namespace kiln::lir::ra
