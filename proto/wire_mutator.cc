// Mutations of protobuf messages on the wire: see wire_mutator.h.
#include "proto/wire_mutator.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

namespace kiln::proto {
namespace {

constexpr int kDepth = 6;
constexpr uint64_t kValues[] = {
    0,           1, 2, 3, 127, 128, 4095, 0x7fffffff, 0x80000000, 0xffffffff, uint64_t{1} << 63,
    ~uint64_t{0}};

struct Field {
  uint64_t tag = 0;
  std::string value;      // as it is on the wire, without its length
  uint64_t too_long = 0;  // added to the length that is written
};

bool TakeVarint(std::string_view* in, uint64_t* value) {
  *value = 0;
  for (int shift = 0; shift < 64 && !in->empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(in->front());
    in->remove_prefix(1);
    *value |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

std::string Varint(uint64_t n) {
  std::string out;
  for (; n >= 0x80; n >>= 7) out.push_back(static_cast<char>(n | 0x80));
  out.push_back(static_cast<char>(n));
  return out;
}

std::optional<std::vector<Field>> Split(std::string_view in) {
  std::vector<Field> fields;
  while (!in.empty()) {
    Field field;
    if (!TakeVarint(&in, &field.tag)) return std::nullopt;
    const std::string_view start = in;
    uint64_t length = 0;
    switch (field.tag & 7) {
      case 0:
        if (!TakeVarint(&in, &length)) return std::nullopt;
        field.value = std::string(start.substr(0, start.size() - in.size()));
        fields.push_back(std::move(field));
        continue;
      case 1: length = 8; break;
      case 2:
        if (!TakeVarint(&in, &length)) return std::nullopt;
        break;
      case 5: length = 4; break;
      default: return std::nullopt;
    }
    if (length > in.size()) return std::nullopt;
    field.value = std::string(in.substr(0, length));
    in.remove_prefix(length);
    fields.push_back(std::move(field));
  }
  return fields;
}

std::string Join(const std::vector<Field>& fields) {
  std::string out;
  for (const Field& field : fields) {
    out += Varint(field.tag);
    if ((field.tag & 7) == 2) out += Varint(field.value.size() + field.too_long);
    out += field.value;
  }
  return out;
}

std::string ChangeBytes(std::string bytes, MutationRandom* random) {
  if (bytes.empty()) return std::string(1 + random->Below(4), static_cast<char>(random->Next()));
  const size_t at = random->Below(bytes.size());
  switch (random->Below(4)) {
    case 0: bytes[at] = static_cast<char>(random->Next()); break;
    case 1: bytes[at] = static_cast<char>(bytes[at] ^ (1 << random->Below(8))); break;
    case 2: bytes.insert(at, 1 + random->Below(8), static_cast<char>(random->Next())); break;
    default: bytes.erase(at, 1 + random->Below(8));
  }
  return bytes;
}

Field NewField(MutationRandom* random) {
  static constexpr uint64_t kWires[] = {0, 0, 1, 2, 2, 2, 3, 4, 5};
  Field field;
  const uint64_t wire = kWires[random->Below(std::size(kWires))];
  field.tag = (1 + random->Below(18)) << 3 | wire;
  if (wire == 0) field.value = Varint(kValues[random->Below(std::size(kValues))]);
  if (wire == 1 || wire == 5) field.value.assign(wire == 1 ? 8 : 4, '\1');
  return field;
}

void ChangeValue(Field* field, MutationRandom* random) {
  if ((field->tag & 7) == 0) {
    field->value = Varint(random->Below(2) == 0 ? kValues[random->Below(std::size(kValues))]
                                                : random->Below(32));
  } else if ((field->tag & 7) == 2) {
    field->value = ChangeBytes(std::move(field->value), random);
  } else if (!field->value.empty()) {
    field->value[random->Below(field->value.size())] = static_cast<char>(random->Next());
  }
}

void MutateFields(std::vector<Field>* fields, MutationRandom* random, int depth);

// Mutates the content of a bytes field, if it is a message.
void MutateInside(Field* field, MutationRandom* random, int depth) {
  std::optional<std::vector<Field>> inner;
  if ((field->tag & 7) == 2 && depth < kDepth) inner = Split(field->value);
  if (!inner.has_value()) return ChangeValue(field, random);
  MutateFields(&*inner, random, depth + 1);
  field->value = Join(*inner);
}

void MutateFields(std::vector<Field>* fields, MutationRandom* random, int depth) {
  if (fields->empty()) return fields->push_back(NewField(random));
  const size_t at = random->Below(fields->size());
  const auto place = fields->begin() + static_cast<std::ptrdiff_t>(at);
  const Field copy = *place;
  switch (random->Below(12)) {
    case 0: fields->erase(place); break;
    case 1:
      fields->insert(place, 1 + (random->Below(4) == 0 ? random->Below(600) : 0), copy);
      break;
    case 2: std::swap(*place, (*fields)[random->Below(fields->size())]); break;
    case 3: fields->insert(place, NewField(random)); break;
    case 4: place->tag = (1 + random->Below(18)) << 3 | (copy.tag & 7); break;
    case 5:  // into another
      fields->erase(place);
      if (!fields->empty()) {
        Field& other = (*fields)[random->Below(fields->size())];
        if ((other.tag & 7) == 2) other.value += Join({copy});
      }
      break;
    case 6:
      if (random->Below(4) == 0) place->too_long = 1 + random->Below(64);
      break;
    default: MutateInside(&*place, random, depth);
  }
}

}  // namespace

uint64_t MutationRandom::Next() {
  uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

std::string MutateWire(std::string_view message, uint64_t seed) {
  MutationRandom random(seed);
  std::optional<std::vector<Field>> fields = Split(message);
  if (!fields.has_value()) return ChangeBytes(std::string(message), &random);
  for (size_t n = 1 + random.Below(3); n > 0; --n) MutateFields(&*fields, &random, 0);
  return Join(*fields);
}

}  // namespace kiln::proto
