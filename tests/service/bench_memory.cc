// Benchmark: kilnd's resident memory, beside the bounds that it was given.
//
//   bazel run -c opt //tests/service:bench_memory -- [--mebibytes=64] [--turnovers=10]
//       [--sizes=100,1000,100000] [--disk]
//
// For each size of a result's code: starts kilnd (with the compiler double: the measured part does
// not compile) with a memory cache of so many MiB, and with --disk a disk cache with the default
// memory; compiles different modules until the memory cache is full, and on until it was filled as
// many times again. Prints the resident memory after the start, when full, and after the turnovers,
// each at rest (the allocator returns memory that was free for a second), the maximum meanwhile,
// and the ratio of the growth since the start to the bounds. Goal: 1.2.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "kiln/v1/compiler.grpc.pb.h"
#include "server/worker/testing/fake_backend.h"
#include "tests/service/kilnd_process.h"

namespace {

using kiln::test::KilndProcess;
using kiln::v1::StreamRequest;
using kiln::v1::StreamResponse;

struct Settings {
  int mebibytes = 64;
  int turnovers = 10;
  std::vector<int> sizes = {100, 1000, 100'000};
  bool disk = false;
};

constexpr double kMiB = 1 << 20;
constexpr double kDiskMiB = 128;  // the default of --disk-cache-memory
constexpr int kInFlight = 64;

std::string Of(const std::string& tier) { return "{tier=\"" + tier + "\"}"; }

class Measured {
 public:
  Measured(const Settings& settings, int bytes) : words_(std::max(5, bytes / 4)) {
    const auto size = std::to_string(settings.mebibytes);
    std::vector<std::string> flags = {"--workers=2", "--memory-cache-bytes=" + size + "MiB"};
    if (settings.disk) {
      dir_ = std::filesystem::temp_directory_path() / ("bench_memory." + std::to_string(getpid()));
      std::filesystem::remove_all(dir_);
      flags.push_back("--cache-dir=" + dir_.string());
    }
    kilnd_ = std::make_unique<KilndProcess>(flags);
    if (!kilnd_->AwaitReady()) {
      fprintf(stderr, "kilnd did not start:\n%s", kilnd_->log().c_str());
      exit(1);
    }
  }
  ~Measured() {
    kilnd_.reset();
    if (!dir_.empty()) std::filesystem::remove_all(dir_);
  }

  double ResidentMiB() const { return kilnd_->Metric("process_resident_memory_bytes") / kMiB; }
  double AtRest() const {
    std::this_thread::sleep_for(std::chrono::seconds(3));
    return ResidentMiB();
  }
  double Evicted() const {
    return kilnd_->Metric("kiln_cache_evicted_bytes_total" + Of("memory")) / kMiB;
  }
  double most() const { return most_; }
  double entries() const { return kilnd_->Metric("kiln_cache_entries" + Of("memory")); }

  // Compiles until so many MiB have been evicted from the memory cache.
  void FillUntilEvicted(double mebibytes) {
    std::atomic<bool> done = false;
    std::thread watch([&] {
      while (Evicted() < mebibytes) {
        most_ = std::max(most_, ResidentMiB());
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        while (kilnd_->ReadLog(0)) {
        }
      }
      done = true;
    });
    grpc::ClientContext context;
    auto stub = kilnd_->Stub();
    auto stream = stub->CompileStream(&context);
    StreamResponse response;
    for (int open = -1; !done || open > 0;) {  // the first message belongs to no item
      for (; !done && open >= 0 && open < kInFlight; ++open) Ask(stream.get());
      if (!stream->Read(&response)) {
        fprintf(stderr, "the stream ended\n");
        exit(1);
      }
      if (response.has_response() || response.has_error() || open < 0) --open;
      if (open < 0) open = 0;
    }
    watch.join();
  }

 private:
  template <typename Stream>
  void Ask(Stream* stream) {
    StreamRequest item;
    item.set_item(++next_);
    auto* request = item.mutable_request();
    request->set_spirv(kiln::worker::FakeModule(static_cast<uint32_t>(next_), words_ - 5));
    request->add_targets("tgl");
    request->mutable_outputs()->set_binary(true);
    stream->Write(item);
  }

  std::filesystem::path dir_;
  std::unique_ptr<KilndProcess> kilnd_;
  const int words_;
  uint64_t next_ = 0;
  double most_ = 0;
};

void Measure(const Settings& settings, int bytes) {
  Measured kilnd(settings, bytes);
  const double bounds = settings.mebibytes + (settings.disk ? kDiskMiB : 0);
  const double start = kilnd.AtRest();
  kilnd.FillUntilEvicted(1e-6);
  const double full = kilnd.AtRest();
  kilnd.FillUntilEvicted(settings.turnovers * static_cast<double>(settings.mebibytes));
  const double turned = kilnd.AtRest();
  printf("| %7d | %8.0f | %4.0f | %5.1f | %5.1f | %5.1f | %5.1f | %.2f | %.2f | %.2f |\n", bytes,
         kilnd.entries(), bounds, start, full, turned, kilnd.most(), (full - start) / bounds,
         (turned - start) / bounds, (kilnd.most() - start) / bounds);
  fflush(stdout);
}

std::vector<int> Numbers(const char* text) {
  std::vector<int> numbers;
  for (char* end = nullptr;; text = end + 1) {
    numbers.push_back(static_cast<int>(strtol(text, &end, 10)));
    if (*end != ',') return numbers;
  }
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    const char* value = argv[i] + std::min(flag.size(), flag.find('=') + 1);
    if (flag.starts_with("--mebibytes=")) {
      settings.mebibytes = atoi(value);
    } else if (flag.starts_with("--turnovers=")) {
      settings.turnovers = atoi(value);
    } else if (flag.starts_with("--sizes=")) {
      settings.sizes = Numbers(value);
    } else if (flag == "--disk") {
      settings.disk = true;
    } else {
      fprintf(stderr, "unknown argument '%s'; the top of bench_memory.cc has the flags\n", argv[i]);
      return 2;
    }
  }
  printf(
      "MiB; the last three: what came on top of the start, as part of the bounds (goal: 1.2)\n\n"
      "| code, bytes | results | bounds | started | full | after %d turnovers | most | full / "
      "bounds | after / bounds | most / bounds |\n|---|---|---|---|---|---|---|---|---|---|\n",
      settings.turnovers);
  for (int bytes : settings.sizes) Measure(settings, bytes);
}
