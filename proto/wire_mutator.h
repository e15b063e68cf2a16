// Mutations of protobuf messages on the wire, for fuzz targets.
//
// Random bytes seldom get past the first lengths of a message. MutateWire splits a message into
// fields, without knowing its type; changes, repeats, moves, removes and nests them; and assembles
// it again with correct lengths, now and then with a wrong one.
#ifndef KILN_PROTO_WIRE_MUTATOR_H_
#define KILN_PROTO_WIRE_MUTATOR_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace kiln::proto {

// Returns the mutated message; the same for the same arguments. In bytes that are no message it
// changes some.
std::string MutateWire(std::string_view message, uint64_t seed);

// splitmix64 (Steele, Lea, Flood 2014).
class MutationRandom {
 public:
  explicit MutationRandom(uint64_t seed) : state_(seed) {}
  uint64_t Next();
  // Returns a number below n; 0 if n is 0.
  size_t Below(size_t n) { return n == 0 ? 0 : Next() % n; }

 private:
  uint64_t state_;
};

}  // namespace kiln::proto

#endif  // KILN_PROTO_WIRE_MUTATOR_H_
