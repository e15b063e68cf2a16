#include "core/mid/arrays/tabulate_arrays.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/mir/build.h"
#include "core/mir/rewrite.h"

namespace kiln::mid {
namespace {

using mir::Inst;
using mir::InstId;
using mir::Module;
using mir::Op;
using mir::RegionId;
using mir::ValueId;

constexpr uint32_t kElementBytes = 4;
// Tables begin at multiples of this, the largest alignment that the importer notes for an offset.
constexpr size_t kTableAlign = 64;
// No target has larger arrays in the memory of a lane; a module may still declare them.
constexpr uint32_t kMaxBytes = 1u << 20;

bool Accesses(const Inst& inst) {
  return inst.op == Op::kLoadPrivate || inst.op == Op::kStorePrivate;
}

struct Table {
  bool constant = true;
  bool loaded = false;
  std::vector<std::optional<uint32_t>> elements;  // values stored to them
  std::vector<bool> stored;                       // on the path being walked
  size_t distinct = 0;                            // elements stored anywhere
  size_t now = 0;                                 // elements stored on the path
  uint32_t base = 0;                              // in the constant data
};

class Tabulator {
 public:
  Tabulator(Module& module, PassContext& context) : m_(module), b_(module), context_(context) {}

  bool Run() {
    for (const mir::PrivateArray& array : m_.private_arrays) {
      Table t;
      t.constant = array.bytes <= kMaxBytes;
      if (t.constant) t.elements.resize(array.bytes / kElementBytes);
      t.stored.resize(t.elements.size());
      tables_.push_back(std::move(t));
    }
    mir::ForEachInst(m_, m_.body, [&](InstId id) { Collect(id); });
    Walk(m_.body);
    bool any = false;
    for (Table& t : tables_) {
      t.constant = t.constant && t.loaded && t.distinct > 0 && context_.Rewrite();
      if (t.constant) Append(t);
      any |= t.constant;
    }
    if (any) {
      mir::RewriteInsts(b_, m_.body, [&](InstId id) { return Rewrite(id); });
    }
    return any;
  }

 private:
  void Collect(InstId id) {
    const Inst& inst = m_.inst(id);
    if (!Accesses(inst) || !tables_[inst.imm0].constant) return;
    Table& t = tables_[inst.imm0];
    const bool store = inst.op == Op::kStorePrivate;
    const ValueId accessed = store ? m_.source(id, 1) : m_.result(id);
    // Narrower and wider elements stay in memory, as in promote_private_arrays.
    if (mir::BytesOf(m_.value(accessed).type) != kElementBytes) t.constant = false;
    if ((inst.flags & mir::kVolatile) != 0) t.constant = false;
    if (!store) {
      t.loaded = true;
      return;
    }
    const ValueId offset = m_.source(id, 0);
    const size_t count = inst.num_sources - 1u;
    const size_t first = m_.IsConstant(offset) ? m_.value(offset).bits / kElementBytes : 0;
    if (!m_.IsConstant(offset) || m_.value(offset).bits % kElementBytes != 0 ||
        first > t.elements.size() || count > t.elements.size() - first) {
      t.constant = false;
      return;
    }
    for (size_t i = 0; i < count; ++i) {
      const ValueId value = m_.source(id, 1 + static_cast<int>(i));
      std::optional<uint32_t>& element = t.elements[first + i];
      if (!m_.IsConstant(value) || (element.has_value() && *element != m_.value(value).bits)) {
        t.constant = false;
        return;
      }
      t.distinct += !element.has_value();
      element = static_cast<uint32_t>(m_.value(value).bits);
    }
  }

  // Walks the tree: stores in a side of an if or in a loop count only inside it.
  void Walk(RegionId region) {
    for (InstId id : m_.region(region).insts) {
      const Inst& inst = m_.inst(id);
      if (Accesses(inst) && tables_[inst.imm0].constant) Step(id);
      for (int r = 0; r < inst.num_regions; ++r) {
        const size_t mark = log_.size();
        Walk(inst.regions[r]);
        for (; log_.size() > mark; log_.pop_back()) {
          Table& t = tables_[log_.back().first];
          t.stored[log_.back().second] = false;
          --t.now;
        }
      }
    }
  }

  void Step(InstId id) {
    const Inst& inst = m_.inst(id);
    Table& t = tables_[inst.imm0];
    if (inst.op == Op::kLoadPrivate) {
      t.constant = t.now == t.distinct;
      return;
    }
    const size_t first = m_.value(m_.source(id, 0)).bits / kElementBytes;
    for (size_t i = first; i + 1 < first + inst.num_sources; ++i) {
      if (t.stored[i]) continue;
      t.stored[i] = true;
      ++t.now;
      log_.push_back({inst.imm0, i});
    }
  }

  void Append(Table& t) {
    std::vector<uint8_t>& data = m_.constant_data;
    data.resize((data.size() + kTableAlign - 1) / kTableAlign * kTableAlign);
    t.base = static_cast<uint32_t>(data.size());
    for (const std::optional<uint32_t>& element : t.elements) {
      for (int byte = 0; byte < 4; ++byte) {
        data.push_back(static_cast<uint8_t>(element.value_or(0) >> (8 * byte)));
      }
    }
    data.resize((data.size() + 15) / 16 * 16);
  }

  // Returns true if the instruction stays.
  bool Rewrite(InstId id) {
    if (!Accesses(m_.inst(id)) || !tables_[m_.inst(id).imm0].constant) return true;
    if (m_.inst(id).op == Op::kStorePrivate) return false;
    ReadTable(id);
    return true;
  }

  void ReadTable(InstId load) {
    const ValueId base = b_.Int(tables_[m_.inst(load).imm0].base);
    const ValueId offset = b_.Iadd(m_.source(load, 0), base);
    Inst& inst = m_.inst(load);
    inst.op = Op::kLoadConstant;
    inst.imm0 = 0;
    inst.imm1 = std::min<uint32_t>(inst.imm1, kTableAlign);
    mir::SetSources(m_, load, {offset});
  }

  Module& m_;
  mir::Builder b_;
  PassContext& context_;
  std::vector<Table> tables_;                     // by private array
  std::vector<std::pair<uint32_t, size_t>> log_;  // array, element: stored on the path
};

}  // namespace

absl::StatusOr<bool> TabulateArrays(Module& module, PassContext& context) {
  if (module.private_arrays.empty()) return false;
  return Tabulator(module, context).Run();
}

}  // namespace kiln::mid
