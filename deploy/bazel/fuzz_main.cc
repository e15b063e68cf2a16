// Runs a fuzz target without libFuzzer, so that every build exercises it a little.
//
// Usage: TARGET [--runs=N] SEED...
// Calls LLVMFuzzerTestOneInput with the empty input, each seed, and N inputs derived from the seeds
// by a fixed pseudo-random sequence (byte and word changes, insertions, removals, splices): the
// same inputs in every run. A finding is a crash, a sanitiser report or the test's time limit.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

using Input = std::vector<uint8_t>;

// splitmix64 (Steele, Lea, Flood 2014).
class Random {
 public:
  uint64_t Next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  size_t Below(size_t n) { return n ? Next() % n : 0; }

 private:
  uint64_t state_ = 1;
};

// SPIR-V and binary formats react to whole words; boundary values find more than random ones.
void ChangeWord(Random& random, Input& input) {
  if (input.size() < 4) return;
  static constexpr uint32_t kValues[] = {0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff, 0xffff, 256};
  size_t at = random.Below(input.size() / 4) * 4;
  uint32_t word;
  std::memcpy(&word, &input[at], 4);
  switch (random.Below(3)) {
    case 0: word = kValues[random.Below(std::size(kValues))]; break;
    case 1: word += static_cast<uint32_t>(random.Below(9)) - 4; break;
    default: word ^= uint32_t{1} << random.Below(32);
  }
  std::memcpy(&input[at], &word, 4);
}

void Mutate(Random& random, const std::vector<Input>& seeds, Input& input) {
  for (size_t n = 1 + random.Below(4); n > 0; --n) {
    size_t at = random.Below(input.size());
    switch (random.Below(6)) {
      case 0:
        if (!input.empty()) input[at] = static_cast<uint8_t>(random.Next());
        break;
      case 1:
        input.insert(input.begin() + at, 1 + random.Below(8), static_cast<uint8_t>(random.Next()));
        break;
      case 2:
        input.erase(input.begin() + at,
                    input.begin() + std::min(input.size(), at + random.Below(16)));
        break;
      case 3: {
        const Input& other = seeds[random.Below(seeds.size())];
        size_t from = random.Below(other.size());
        size_t count = std::min(other.size() - from, random.Below(64));
        input.insert(input.begin() + at, other.begin() + from, other.begin() + from + count);
        break;
      }
      default: ChangeWord(random, input);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  size_t runs = 1000;
  std::vector<Input> seeds(1);
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (argument.rfind("--runs=", 0) == 0) {
      runs = std::strtoull(argument.c_str() + 7, nullptr, 10);
      continue;
    }
    std::ifstream file(argument, std::ios::binary);
    if (!file) {
      std::fprintf(stderr, "cannot read seed %s\n", argument.c_str());
      return 2;
    }
    seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }

  for (const Input& seed : seeds) LLVMFuzzerTestOneInput(seed.data(), seed.size());
  Random random;
  for (size_t i = 0; i < runs; ++i) {
    Input input = seeds[random.Below(seeds.size())];
    Mutate(random, seeds, input);
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  std::printf("%zu seeds and %zu mutations\n", seeds.size() - 1, runs);
  return 0;
}
