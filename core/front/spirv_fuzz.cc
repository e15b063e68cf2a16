// Fuzz target: arbitrary words into the importer. It must end in an error or in MIR that verifies;
// an INTERNAL error is a bug too.
//
// Under libFuzzer, most mutations are of instructions (operands exchanged for other words of the
// module, instructions moved, removed, repeated), since random bytes seldom get past the reader.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "core/front/import.h"
#include "core/mir/verify.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size)
    __attribute__((weak));

namespace {

using Words = std::vector<uint32_t>;

Words ToWords(const uint8_t* data, size_t size) {
  Words words(size / 4);
  if (!words.empty()) std::memcpy(words.data(), data, words.size() * 4);
  return words;
}

struct Random {
  uint64_t state;
  uint32_t Below(size_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>((state >> 33) % n);
  }
};

// Word offsets of the instructions, as far as lengths make sense.
std::vector<uint32_t> Instructions(const Words& words) {
  std::vector<uint32_t> starts;
  for (size_t at = 5; at < words.size();) {
    const uint32_t count = words[at] >> 16;
    if (count == 0 || at + count > words.size()) break;
    starts.push_back(static_cast<uint32_t>(at));
    at += count;
  }
  return starts;
}

void MutateInstruction(Words* words, Random* random) {
  const std::vector<uint32_t> starts = Instructions(*words);
  if (starts.empty()) return;
  const uint32_t a = starts[random->Below(starts.size())];
  const uint32_t b = starts[random->Below(starts.size())];
  const uint32_t length_a = (*words)[a] >> 16;
  const uint32_t length_b = (*words)[b] >> 16;
  const Words copy(words->begin() + b, words->begin() + b + length_b);
  switch (random->Below(8)) {
    case 0:
      words->erase(words->begin() + a, words->begin() + a + length_a);
      break;
    case 1:  // repeat, with a new result id where it most often stands
      words->insert(words->begin() + a, copy.begin(), copy.end());
      if (length_b > 2) (*words)[a + 2] = (*words)[3]++;
      break;
    case 2:
      if (length_a == length_b) {
        std::swap_ranges(words->begin() + a, words->begin() + a + length_a, words->begin() + b);
      }
      break;
    case 3:  // another opcode of the same length
      if (length_a == length_b) (*words)[a] = (*words)[b];
      break;
    case 4:
      if (length_a > 1) (*words)[a + 1 + random->Below(length_a - 1)] = random->Below(16);
      break;
    default:  // another word of the module in place of an operand
      if (length_a > 1) {
        (*words)[a + 1 + random->Below(length_a - 1)] = random->Below(2) == 0
                                                            ? (*words)[random->Below(words->size())]
                                                            : random->Below((*words)[3] % 4096 + 1);
      }
      break;
  }
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  Random random{seed};
  if (size < 24 || random.Below(5) == 0) return LLVMFuzzerMutate(data, size, max_size);
  Words words = ToWords(data, size);
  for (uint32_t n = 1 + random.Below(3); n > 0; --n) MutateInstruction(&words, &random);
  const size_t bytes = std::min(words.size() * 4, max_size);
  std::memcpy(data, words.data(), bytes);
  return bytes;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  kiln::front::ImportOptions options;
  options.max_instructions = 20000;
  const auto module = kiln::front::ImportSpirv(ToWords(data, size), options);
  absl::Status status = module.status();
  if (module.ok()) {
    status = kiln::mir::Verify(*module);
  } else if (status.code() != absl::StatusCode::kInternal) {
    return 0;
  }
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    std::abort();
  }
  return 0;
}
