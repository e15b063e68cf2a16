// Mutations of protobuf messages on the wire, for fuzz targets.
//
// Random bytes seldom get past the first lengths of a message. Here a message is taken apart into
// fields, without knowing its type, fields are changed, repeated, moved, removed, put into one
// another, and it is put together again with lengths that fit; now and then with one that does not.
#ifndef KILN_PROTO_WIRE_MUTATOR_H_
#define KILN_PROTO_WIRE_MUTATOR_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace kiln::proto {

// The mutated message; the same for the same arguments. Bytes that are no message have some of
// them changed.
std::string MutateWire(std::string_view message, uint64_t seed);

// splitmix64 (Steele, Lea, Flood 2014).
class MutationRandom {
 public:
  explicit MutationRandom(uint64_t seed) : state_(seed) {}
  uint64_t Next();
  // 0 where n is.
  size_t Below(size_t n) { return n == 0 ? 0 : Next() % n; }

 private:
  uint64_t state_;
};

}  // namespace kiln::proto

#endif  // KILN_PROTO_WIRE_MUTATOR_H_
