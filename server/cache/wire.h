// Reads protobuf's wire format without parsing messages: fields of numbers and bytes.
#ifndef KILN_SERVER_CACHE_WIRE_H_
#define KILN_SERVER_CACHE_WIRE_H_

#include <cstdint>
#include <string_view>

namespace kiln::cache {

// One field of the wire format.
struct WireField {
  uint32_t number = 0;
  uint32_t wire = 0;          // the wire type: 0 varint, 1 fixed64, 2 length-delimited, 5 fixed32
  uint64_t value = 0;         // of a varint
  std::string_view contents;  // of a length-delimited field
  std::string_view bytes;     // all of it
};

// Takes a varint off the front. Returns false if there is none.
inline bool ReadVarint(std::string_view* in, uint64_t* value) {
  *value = 0;
  for (int shift = 0; shift < 64 && !in->empty(); shift += 7) {
    auto byte = static_cast<unsigned char>(in->front());
    in->remove_prefix(1);
    *value |= uint64_t{byte & 0x7fU} << shift;
    if ((byte & 0x80) == 0) return true;
  }
  return false;
}

// Takes one field off the front. Returns false if there is none, or of a group.
inline bool ReadField(std::string_view* in, WireField* field) {
  std::string_view start = *in;
  uint64_t tag = 0;
  if (!ReadVarint(in, &tag)) return false;
  field->number = static_cast<uint32_t>(tag >> 3);
  field->wire = static_cast<uint32_t>(tag & 7);
  uint64_t length = 0;
  switch (field->wire) {
    case 0:
      if (!ReadVarint(in, &field->value)) return false;
      break;
    case 1: length = 8; break;
    case 2:
      if (!ReadVarint(in, &length)) return false;
      break;
    case 5: length = 4; break;
    default: return false;
  }
  if (length > in->size()) return false;
  field->contents = in->substr(0, length);
  in->remove_prefix(length);
  field->bytes = start.substr(0, start.size() - in->size());
  return true;
}

}  // namespace kiln::cache

#endif  // KILN_SERVER_CACHE_WIRE_H_
