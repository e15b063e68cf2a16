// Fuzz target: any text is either an error that names a line, or a function that prints and parses
// back to the same text, verified or not. For one that verifies, the analyses that need no back end
// can be computed: dominators, liveness, pressure.
//
// Under libFuzzer, most mutations are of lines and words, since random bytes seldom make a line.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "core/lir/dominators.h"
#include "core/lir/liveness.h"
#include "core/lir/parse.h"
#include "core/lir/print.h"
#include "core/lir/testing.h"
#include "core/lir/verify.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size)
    __attribute__((weak));

namespace {

struct Random {
  uint64_t state;
  size_t Below(size_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return n == 0 ? 0 : (state >> 33) % n;
  }
};

std::vector<std::string> Split(std::string_view text, char by) {
  std::vector<std::string> parts(1);
  for (char c : text) {
    if (c == by) {
      parts.emplace_back();
    } else {
      parts.back().push_back(c);
    }
  }
  return parts;
}

std::string Join(const std::vector<std::string>& parts, char by) {
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text.push_back(by);
    text += parts[i];
  }
  return text;
}

void MutateWords(std::string* line, const std::vector<std::string>& lines, Random* random) {
  static constexpr const char* kWords[] = {
      "$0",      "_x2",  "%0",      "#0x0", "%1.1x2:f", "whole",      "{w8",  "@8",        "0",
      "65535",   "4x4",  "0x1",     "F",    "U",        "b1,",        "b2",   "params",    "=",
      "-|%0|+2", "copy", "collect", "256",  "16}",      "4294967295", "exit", "exit_block"};
  std::vector<std::string> words = Split(*line, ' ');
  std::string& word = words[random->Below(words.size())];
  const std::vector<std::string> others = Split(lines[random->Below(lines.size())], ' ');
  switch (random->Below(4)) {
    case 0: word = kWords[random->Below(std::size(kWords))]; break;
    case 1: word = others[random->Below(others.size())]; break;
    case 2:
      words.insert(words.begin() + static_cast<std::ptrdiff_t>(random->Below(words.size())),
                   others[random->Below(others.size())]);
      break;
    default:
      if (!word.empty())
        word[random->Below(word.size())] = "0123456789%.:|-+@_xfb"[random->Below(21)];
  }
  *line = Join(words, ' ');
}

void MutateLines(std::vector<std::string>* lines, Random* random) {
  const auto at = lines->begin() + static_cast<std::ptrdiff_t>(random->Below(lines->size()));
  const std::string other = (*lines)[random->Below(lines->size())];
  switch (random->Below(8)) {
    case 0: lines->insert(at, other); break;
    case 1:
      if (lines->size() > 1) lines->erase(at);
      break;
    case 2: std::swap(*at, (*lines)[random->Below(lines->size())]); break;
    default: MutateWords(&*at, *lines, random);
  }
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  Random random{seed};
  if (size == 0 || random.Below(6) == 0) return LLVMFuzzerMutate(data, size, max_size);
  std::vector<std::string> lines =
      Split(std::string_view(reinterpret_cast<const char*>(data), size), '\n');
  for (size_t n = 1 + random.Below(3); n > 0; --n) MutateLines(&lines, &random);
  const std::string text = Join(lines, '\n');
  const size_t bytes = std::min(text.size(), max_size);
  std::memcpy(data, text.data(), bytes);
  return bytes;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kiln::lir;  // NOLINT: a fuzz driver, no header
  const Machine& machine = testing::TestMachine();
  const auto function = Parse(machine, std::string_view(reinterpret_cast<const char*>(data), size));
  if (!function.ok()) {
    const std::string message(function.status().message());
    if (message.find("line ") == std::string::npos) std::abort();
    return 0;
  }
  const std::string text = Print(machine, *function);
  const auto again = Parse(machine, text);
  if (!again.ok() || Print(machine, *again) != text) {
    std::fprintf(stderr, "%s\n%s\n", again.status().ToString().c_str(), text.c_str());
    std::abort();
  }
  const absl::Status verified = Verify(machine, *function);
  if (verified.ok() != Verify(machine, *again).ok()) std::abort();
  VerifyAllocated(machine, *function).IgnoreError();
  if (!verified.ok()) return 0;
  const Dominators dominators(*function);
  if (!dominators.reachable(BlockId(0))) std::abort();
  const Liveness live(machine, *function);
  if (MaxPressure(machine, *function, live).size() != machine.pools.size()) std::abort();
  return 0;
}
