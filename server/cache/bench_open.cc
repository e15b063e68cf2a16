// Not a test: measures how long the disk tier takes from the start of a process to serving, after
// kill -9.
//
//   bazel run -c opt //server/cache:bench_open -- DIRECTORY [RECORDS [BYTES]]
//
// fills DIRECTORY, if it is missing, with RECORDS (1,000,000) records of BYTES (1,000) that do not
// compress, ends without closing anything, starts anew and prints the time to open and the time of
// the first hits. Pages of the files are in the system's cache; a cold disk adds its reads.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "server/cache/disk_tier.h"

namespace kiln::cache {
namespace {

DiskOptions Options(const char* directory, uint64_t records, uint64_t bytes) {
  DiskOptions options;
  options.directory = directory;
  options.limit_bytes = 2 * records * (bytes + 100);
  return options;
}

int Fill(const DiskOptions& options, uint64_t records, uint64_t bytes) {
  auto tier = DiskTier::Open(options);
  if (!tier.ok()) return 1;
  std::mt19937_64 random(1);
  std::string value(bytes, '\0');
  for (uint64_t i = 0; i < records; ++i) {
    for (size_t at = 0; at + 8 <= bytes; at += 8) {
      uint64_t word = random();
      value.replace(at, 8, reinterpret_cast<const char*>(&word), 8);
    }
    if (!(*tier)->Put(absl::StrCat("key", i), value).ok()) return 1;
  }
  _exit(0);
}

int Measure(const DiskOptions& options, uint64_t records) {
  absl::Time start = absl::Now();
  auto tier = DiskTier::Open(options);
  absl::Duration open = absl::Now() - start;
  if (!tier.ok()) return 1;
  int hits = 0;
  std::string value;
  start = absl::Now();
  for (uint64_t i = 0; i < 100; ++i) {
    hits += (*tier)->Get(absl::StrCat("key", i * (records / 100)), true, &value) ==
            DiskTier::Found::kHit;
  }
  absl::Duration look = absl::Now() - start;
  DiskTier::Usage usage = (*tier)->usage();
  printf(
      "%lu entries, %lu MB, %d generations: open %.1f ms; 100 look-ups %.1f ms, %d hits; lost "
      "%lu\n",
      static_cast<unsigned long>(usage.entries), static_cast<unsigned long>(usage.bytes >> 20),
      usage.generations, absl::ToDoubleMilliseconds(open), absl::ToDoubleMilliseconds(look), hits,
      static_cast<unsigned long>(usage.lost_records));
  return 0;
}

}  // namespace
}  // namespace kiln::cache

int main(int argc, char** argv) {
  if (argc < 2) {
    fprintf(stderr, "bench_open DIRECTORY [RECORDS [BYTES]]\n");
    return 2;
  }
  uint64_t records = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1'000'000;
  uint64_t bytes = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1'000;
  kiln::cache::DiskOptions options = kiln::cache::Options(argv[1], records, bytes);
  if (!std::filesystem::exists(options.directory)) {
    pid_t child = fork();
    if (child == 0) return kiln::cache::Fill(options, records, bytes);
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0) return 1;
  }
  return kiln::cache::Measure(options, records);
}
