#include "core/target/fragment_attributes.h"

#include <optional>
#include <string>
#include <tuple>

#include "absl/container/btree_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/base/cause.h"
#include "core/mir/build.h"
#include "core/target/interface.h"

namespace kiln {
namespace {

using mir::BuiltIn;
using mir::Interface;
using Source = FragmentAttribute::Source;

// In the order of FragmentAttributes::list.
struct Key {
  std::string builtin;
  uint32_t number = 0;
  bool flat = false;
  Source source = Source::kLocation;
  bool per_vertex = false;
  friend bool operator<(const Key& a, const Key& b) {
    return std::tie(a.builtin, a.number, a.flat, a.per_vertex) <
           std::tie(b.builtin, b.number, b.flat, b.per_vertex);
  }
};

std::optional<Key> KeyOf(const mir::Module& m, const Interface& v, uint32_t element) {
  switch (v.builtin) {
    case BuiltIn::kNone:
      return Key{"", v.location + element, IsFlat(v), Source::kLocation,
                 v.interpolation == mir::Interpolation::kPerVertex};
    case BuiltIn::kPrimitiveId: return Key{"primitive_id", 0, true, Source::kPrimitiveId};
    case BuiltIn::kPointCoord: return Key{"point_coord", 0, false, Source::kPointCoord};
    case BuiltIn::kClipDistance:
    case BuiltIn::kCullDistance: {
      const uint32_t group = DistanceNumber(m.inputs, v, element) / kDistancesPerSlot;
      return Key{absl::StrCat("clip_distance_", group), group, false, Source::kDistances};
    }
    default: return std::nullopt;
  }
}

// Returns, by input and element, whether an instruction reads it.
std::vector<std::vector<bool>> ElementsRead(const mir::Module& m) {
  std::vector<std::vector<bool>> read;
  for (const Interface& v : m.inputs) read.emplace_back(v.elements);
  mir::ForEachInst(m, m.body, [&](mir::InstId id) {
    const mir::Op op = m.inst(id).op;
    if (op != mir::Op::kLoadInput && op != mir::Op::kInterpolate) return;
    NoteElements(m, id, read[m.inst(id).imm0]);
  });
  return read;
}

FragmentAttribute AttributeOf(const Key& key, const LocationParts& parts) {
  const bool location = key.source == Source::kLocation;
  FragmentAttribute made = {key.source, key.number, {}};
  made.input = {location ? key.number : 0, key.builtin, key.flat};
  made.input.per_vertex = key.per_vertex;
  const auto read = parts.find(key.number);
  if (!location || read == parts.end()) return made;
  for (const UsedPart& part : read->second) {
    if (part.flat == key.flat && part.per_vertex == key.per_vertex) {
      made.input.parts.push_back(part.part);
    }
  }
  return made;
}

}  // namespace

bool IsFlat(const Interface& v) {
  return v.interpolation == mir::Interpolation::kFlat || v.builtin == BuiltIn::kPrimitiveId;
}

bool IsAttribute(const Interface& v) {
  switch (v.builtin) {
    case BuiltIn::kNone:
    case BuiltIn::kPrimitiveId:
    case BuiltIn::kPointCoord:
    case BuiltIn::kClipDistance:
    case BuiltIn::kCullDistance: return true;
    default: return false;
  }
}

absl::StatusOr<FragmentAttributes> AttributesOf(const mir::Module& m) {
  if (const uint64_t distances = CountDistances(m.inputs); distances > kMaxDistances) {
    return BeyondLimit("fragment_inputs",
                       {"distances to clip and cull by", distances, kMaxDistances});
  }
  const std::vector<std::vector<bool>> read = ElementsRead(m);
  const auto key_if_read = [&](size_t i, uint32_t e) {
    return read[i][e] ? KeyOf(m, m.inputs[i], e) : std::nullopt;
  };
  absl::btree_map<Key, uint32_t> index;
  for (size_t i = 0; i < m.inputs.size(); ++i) {
    for (uint32_t e = 0; e < m.inputs[i].elements; ++e) {
      const std::optional<Key> key = key_if_read(i, e);
      if (!key) continue;
      if (key->source == Source::kLocation && mir::BitsOf(m.inputs[i].type) != 32) {
        return absl::InternalError("fragment: an input is not of 32 bits");
      }
      index[*key] = 0;
    }
  }
  FragmentAttributes made;
  const LocationParts parts = PartsRead(m);
  for (auto& [key, n] : index) {
    n = static_cast<uint32_t>(made.list.size());
    made.list.push_back(AttributeOf(key, parts));
  }
  for (size_t i = 0; i < m.inputs.size(); ++i) {
    std::vector<uint32_t>& of =
        made.of.emplace_back(m.inputs[i].elements, FragmentAttributes::kNone);
    for (uint32_t e = 0; e < of.size(); ++e) {
      if (const std::optional<Key> key = key_if_read(i, e)) of[e] = index.at(*key);
    }
  }
  return made;
}

uint32_t DistanceComponent(const mir::Module& m, const Interface& v, uint32_t element) {
  return DistanceNumber(m.inputs, v, element) % kDistancesPerSlot;
}

}  // namespace kiln
