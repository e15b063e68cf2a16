// eu_run: executes an EU binary with its launch record on the data of a job.
//
//   eu_run [--no-contract] [--fusion] [--opposite] [--zero-memory] [--max-instructions=N] [--max-seconds=S]
//          [--coverage] [--patch=OFFSET:VALUE]... BINARY LAUNCH.json JOB.json
//   eu_run --list FILE       lines "BINARY LAUNCH.json JOB.json [option...]"
//
// The job format is that of `run-peer exec` (tests/peer/README.md), compute only: `push`,
// `resources` (buffers, texel buffers, images, samplers) and `dispatch`. Prints one JSON line per run:
//   {"ok": true, "instructions": N, "lane_operations": N, "seconds": S,
//    "outputs": [{"set", "binding", "index", "hex"}]}   or   {"ok": false, "error": "..."}
// Outputs are all buffers and images given. --patch overwrites a byte of the code, for tests that remove
// waits;
// --coverage adds "executed": the byte offsets of executed instructions. Exit status 0 unless the
// arguments are unusable.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/sim/eu/simulator.h"
#include "nlohmann/json.hpp"
#include "proto/launch_record_convert.h"

namespace kiln {
namespace {

using nlohmann::json;
using sim::eu::ClientBuffer;

struct Patch {
  uint32_t offset;
  uint8_t value;
};

struct Request {
  std::string binary, launch, job;
  sim::eu::Options options;
  std::vector<Patch> patches;
  bool coverage = false;
};

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  std::ifstream f(path, std::ios::binary);
  if (!f) return absl::NotFoundError(absl::StrCat("cannot read ", path));
  return std::string(std::istreambuf_iterator<char>(f), {});
}

std::string Folder(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

template <typename T>
void Append(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

uint16_t HalfOf(double v) {
  const _Float16 h = static_cast<_Float16>(v);
  uint16_t bits;
  std::memcpy(&bits, &h, 2);
  return bits;
}

// "nan", "inf", "-inf" or "0x..." (a bit pattern), else a number.
absl::Status AppendNumber(std::string& out, const std::string& type, const json& v) {
  const int bits = std::atoi(type.c_str() + 1);
  if (v.is_string() && v.get<std::string>().rfind("0x", 0) == 0) {
    const uint64_t pattern = std::strtoull(v.get<std::string>().c_str(), nullptr, 16);
    out.append(reinterpret_cast<const char*>(&pattern), bits / 8);
    return absl::OkStatus();
  }
  if (type[0] == 'f') {
    const double d =
        v.is_string() ? std::strtod(v.get<std::string>().c_str(), nullptr) : v.get<double>();
    if (bits == 16) {
      Append(out, HalfOf(d));
    } else if (bits == 32) {
      Append(out, static_cast<float>(d));
    } else {
      Append(out, d);
    }
    return absl::OkStatus();
  }
  const uint64_t u = v.is_number_unsigned()  ? v.get<uint64_t>()
                     : v.is_number_integer() ? static_cast<uint64_t>(v.get<int64_t>())
                                             : static_cast<uint64_t>(v.get<double>());
  out.append(reinterpret_cast<const char*>(&u), bits / 8);
  return absl::OkStatus();
}

absl::StatusOr<std::string> DataBytes(const json& data, const std::string& folder,
                                      const std::map<std::string, uint64_t>& addresses) {
  std::string out;
  if (data.is_array()) {
    for (const json& part : data) {
      absl::StatusOr<std::string> bytes = DataBytes(part, folder, addresses);
      if (!bytes.ok()) return bytes.status();
      out += *bytes;
    }
    return out;
  }
  for (const auto& [key, value] : data.items()) {
    if (key == "hex") {
      out += absl::HexStringToBytes(value.get<std::string>());
    } else if (key == "zero") {
      out.append(value.get<size_t>(), '\0');
    } else if (key == "file") {
      absl::StatusOr<std::string> bytes = ReadFile(folder + value.get<std::string>());
      if (!bytes.ok()) return bytes.status();
      out += *bytes;
    } else if (key == "address") {
      auto at = addresses.find(value.get<std::string>());
      if (at == addresses.end()) return absl::InvalidArgumentError("unknown resource name");
      Append(out, at->second);
    } else {
      const json list = value.is_array() ? value : json::array({value});
      for (const json& v : list) {
        absl::Status status = AppendNumber(out, key, v);
        if (!status.ok()) return status;
      }
    }
  }
  return out;
}

bool IsImage(const json& r) { return r.contains("format"); }
bool IsSampler(const json& r) { return r.contains("filter"); }
bool IsBuffer(const json& r) { return !IsImage(r) && !IsSampler(r); }

out::DescriptorRef Where(const json& r) {
  return {r.value("set", 0u), r.value("binding", 0u), r.value("index", 0u)};
}

template <typename T>
absl::Status Pick(const json& r, const char* key, const std::string& fallback,
                  const std::map<std::string, T>& known, T& value) {
  const auto at = known.find(r.value(key, fallback));
  if (at == known.end()) return absl::InvalidArgumentError(absl::StrCat("unknown ", key));
  value = at->second;
  return absl::OkStatus();
}

absl::StatusOr<sim::eu::ClientImage> ReadImage(const json& r, const std::string& folder,
                                               const std::map<std::string, uint64_t>& addresses) {
  using sim::eu::ImageDim;
  sim::eu::ClientImage image;
  image.where = Where(r);
  const auto format = sim::eu::TexelFormatNamed(r["format"].get<std::string>());
  if (!format) return absl::InvalidArgumentError(absl::StrCat("format ", r["format"].dump()));
  image.format = *format;
  const bool buffer = !r.contains("width");
  std::string dim = r.value("dim", buffer ? "buffer" : "2d");
  absl::string_view name = dim;
  image.arrayed = absl::ConsumeSuffix(&name, "_array");
  static const std::map<std::string, ImageDim> kDims = {{"1d", ImageDim::k1d},
                                                        {"2d", ImageDim::k2d},
                                                        {"3d", ImageDim::k3d},
                                                        {"cube", ImageDim::kCube},
                                                        {"buffer", ImageDim::kBuffer}};
  const auto at = kDims.find(std::string(name));
  if (at == kDims.end()) return absl::InvalidArgumentError(absl::StrCat("dimension ", dim));
  image.dim = at->second;
  image.width = r.value("width", 1u);
  image.height = r.value("height", 1u);
  image.depth = r.value("depth", 1u);
  image.layers = r.value("layers", image.dim == ImageDim::kCube ? 6u : 1u);
  image.levels = r.value("levels", 1u);
  if (r.contains("data")) {
    const absl::StatusOr<std::string> bytes = DataBytes(r["data"], folder, addresses);
    if (!bytes.ok()) return bytes.status();
    image.texels.assign(bytes->begin(), bytes->end());
  }
  image.texels.resize(std::max<size_t>(image.texels.size(), r.value("size", size_t{0})));
  if (buffer) {
    image.width = static_cast<uint32_t>(image.texels.size() / TexelBytes(image.format));
  }
  image.texels.resize(std::max<size_t>(image.texels.size(), image.Bytes()));
  return image;
}

absl::StatusOr<sim::eu::ClientSampler> ReadSampler(const json& r) {
  using sim::eu::AddressMode;
  using sim::eu::BorderColor;
  using sim::eu::CompareFunction;
  static const std::map<std::string, bool> kFilters = {{"nearest", false}, {"linear", true}};
  static const std::map<std::string, AddressMode> kAddress = {{"clamp", AddressMode::kClamp},
                                                              {"repeat", AddressMode::kRepeat},
                                                              {"mirror", AddressMode::kMirror},
                                                              {"border", AddressMode::kBorder}};
  static const std::map<std::string, BorderColor> kBorders = {
      {"transparent", BorderColor::kTransparent},
      {"black", BorderColor::kBlack},
      {"white", BorderColor::kWhite}};
  static const std::map<std::string, CompareFunction> kCompares = {
      {"never", CompareFunction::kNever},
      {"less", CompareFunction::kLess},
      {"equal", CompareFunction::kEqual},
      {"less_equal", CompareFunction::kLessEqual},
      {"greater", CompareFunction::kGreater},
      {"not_equal", CompareFunction::kNotEqual},
      {"greater_equal", CompareFunction::kGreaterEqual},
      {"always", CompareFunction::kAlways}};
  sim::eu::ClientSampler s;
  s.where = Where(r);
  absl::Status status = Pick(r, "filter", "nearest", kFilters, s.linear);
  if (status.ok()) status = Pick(r, "mipmap", "nearest", kFilters, s.linear_mips);
  if (status.ok()) status = Pick(r, "address", "clamp", kAddress, s.address);
  if (status.ok()) status = Pick(r, "border", "transparent", kBorders, s.border);
  if (status.ok() && r.contains("compare")) {
    CompareFunction f = CompareFunction::kAlways;
    status = Pick(r, "compare", "always", kCompares, f);
    s.compare = f;
  }
  if (!status.ok()) return status;
  s.min_lod = r.value("min_lod", 0.0f);
  s.max_lod = r.value("max_lod", 1000.0f);
  s.lod_bias = r.value("lod_bias", 0.0f);
  s.unnormalized = r.value("unnormalized", false);
  return s;
}

absl::Status ReadImages(const json& resources, const std::string& folder,
                        const std::map<std::string, uint64_t>& addresses, sim::eu::Dispatch& d) {
  for (const json& r : resources) {
    if (IsImage(r)) {
      absl::StatusOr<sim::eu::ClientImage> image = ReadImage(r, folder, addresses);
      if (!image.ok()) return image.status();
      d.images.push_back(*std::move(image));
    }
    if (IsSampler(r)) {
      absl::StatusOr<sim::eu::ClientSampler> sampler = ReadSampler(r);
      if (!sampler.ok()) return sampler.status();
      d.samplers.push_back(*sampler);
    }
  }
  return absl::OkStatus();
}

// Sizes first, so that addresses exist before the data that contains them.
absl::StatusOr<sim::eu::Dispatch> ReadJob(const json& job, const std::string& folder) {
  sim::eu::Dispatch d;
  std::map<std::string, uint64_t> addresses;
  const json resources = job.value("resources", json::array());
  for (int pass = 0; pass < 2; ++pass) {
    for (size_t i = 0; i < resources.size(); ++i) {
      const json& r = resources[i];
      if (!IsBuffer(r)) {
        if (pass == 0) d.buffers.push_back(ClientBuffer{false, {}, 0, {}});
        continue;
      }
      std::map<std::string, uint64_t> known = addresses;
      if (pass == 0) {
        for (const json& other : resources) {
          if (other.contains("name")) known.emplace(other["name"].get<std::string>(), 0);
        }
        ClientBuffer b;
        b.bound = r.contains("binding");
        b.where = Where(r);
        d.buffers.push_back(b);
      }
      std::string bytes;
      if (r.contains("data")) {
        absl::StatusOr<std::string> read = DataBytes(r["data"], folder, known);
        if (!read.ok()) return read.status();
        bytes = *read;
      }
      bytes.resize(std::max<size_t>(bytes.size(), r.value("size", size_t{0})), '\0');
      d.buffers[i].bytes.assign(bytes.begin(), bytes.end());
    }
    if (pass == 1) break;
    sim::eu::AssignAddresses(absl::MakeSpan(d.buffers));
    for (size_t i = 0; i < resources.size(); ++i) {
      if (resources[i].contains("name")) {
        addresses[resources[i]["name"].get<std::string>()] = d.buffers[i].address;
      }
    }
  }
  if (absl::Status s = ReadImages(resources, folder, addresses, d); !s.ok()) return s;
  if (job.contains("push")) {
    absl::StatusOr<std::string> push = DataBytes(job["push"], folder, addresses);
    if (!push.ok()) return push.status();
    d.push_constants.assign(push->begin(), push->end());
  }
  const json groups = job.value("dispatch", json::array({1, 1, 1}));
  for (size_t i = 0; i < 3 && i < groups.size(); ++i) d.groups[i] = groups[i].get<uint32_t>();
  return d;
}

json Output(const out::DescriptorRef& where, const std::vector<uint8_t>& bytes) {
  return {{"set", where.set},
          {"binding", where.binding},
          {"index", where.element},
          {"hex", absl::BytesToHexString(absl::string_view(
                      reinterpret_cast<const char*>(bytes.data()), bytes.size()))}};
}

absl::StatusOr<json> Execute(const Request& request) {
  absl::StatusOr<std::string> code = ReadFile(request.binary);
  if (!code.ok()) return code.status();
  absl::StatusOr<std::string> launch = ReadFile(request.launch);
  if (!launch.ok()) return launch.status();
  absl::StatusOr<out::LaunchRecord> record = proto::LaunchRecordFromJson(*launch);
  if (!record.ok()) return record.status();
  absl::StatusOr<std::string> text = ReadFile(request.job);
  if (!text.ok()) return text.status();
  const json job = json::parse(*text, nullptr, false);
  if (job.is_discarded()) return absl::InvalidArgumentError("the job is not JSON");
  absl::StatusOr<sim::eu::Dispatch> dispatch = ReadJob(job, Folder(request.job));
  if (!dispatch.ok()) return dispatch.status();
  for (const Patch& p : request.patches) {
    if (p.offset >= code->size()) return absl::InvalidArgumentError("--patch offset");
    (*code)[p.offset] = static_cast<char>(p.value);
  }
  const auto start = std::chrono::steady_clock::now();
  const absl::Span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(code->data()),
                                        code->size());
  absl::StatusOr<sim::eu::RunStats> stats =
      sim::eu::Run(bytes, *record, request.options, *dispatch);
  if (!stats.ok()) return stats.status();
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  json result = {{"ok", true},
                 {"instructions", stats->instructions},
                 {"lane_operations", stats->lane_operations},
                 {"messages", stats->messages},
                 {"seconds", spent.count()},
                 {"outputs", json::array()}};
  if (request.coverage) result["executed"] = stats->executed;
  for (const ClientBuffer& b : dispatch->buffers) {
    if (b.bound) result["outputs"].push_back(Output(b.where, b.bytes));
  }
  for (const sim::eu::ClientImage& i : dispatch->images) {
    result["outputs"].push_back(Output(i.where, i.texels));
  }
  return result;
}

// Takes one option or file name; false when it is not understood.
bool Take(const std::string& argument, Request& request) {
  absl::string_view a = argument;
  if (a == "--no-contract") {
    request.options.contract = false;
  } else if (a == "--fusion") {
    request.options.fusion = true;
  } else if (a == "--coverage") {
    request.coverage = true;
  } else if (a == "--zero-memory") {
    request.options.zero_memory = true;
  } else if (a == "--opposite") {
    request.options.opposite = true;
  } else if (absl::ConsumePrefix(&a, "--max-instructions=")) {
    return absl::SimpleAtoi(a, &request.options.max_instructions);
  } else if (absl::ConsumePrefix(&a, "--max-seconds=")) {
    return absl::SimpleAtod(a, &request.options.max_seconds);
  } else if (absl::ConsumePrefix(&a, "--patch=")) {
    unsigned offset = 0, value = 0;
    if (std::sscanf(std::string(a).c_str(), "%u:%u", &offset, &value) != 2) return false;
    request.patches.push_back({offset, static_cast<uint8_t>(value)});
  } else if (absl::StartsWith(a, "--")) {
    return false;
  } else {
    std::string& slot = request.binary.empty()   ? request.binary
                        : request.launch.empty() ? request.launch
                                                 : request.job;
    if (!slot.empty()) return false;
    slot = argument;
  }
  return true;
}

void Print(const Request& request) {
  absl::StatusOr<json> result = Execute(request);
  json line = result.ok() ? *result
                          : json{{"ok", false},
                                 {"code", absl::StatusCodeToString(result.status().code())},
                                 {"error", std::string(result.status().message())}};
  std::cout << line.dump() << std::endl;
}

int Main(int argc, char** argv) {
  std::vector<std::vector<std::string>> runs;
  if (argc == 3 && std::string(argv[1]) == "--list") {
    std::ifstream list(argv[2]);
    for (std::string line; std::getline(list, line);) {
      std::istringstream words(line);
      runs.emplace_back(std::istream_iterator<std::string>(words),
                        std::istream_iterator<std::string>());
    }
  } else {
    runs.emplace_back(argv + 1, argv + argc);
  }
  for (const std::vector<std::string>& words : runs) {
    Request request;
    bool good = true;
    for (const std::string& w : words) good &= Take(w, request);
    if (!good || request.job.empty()) {
      std::fprintf(stderr, "usage: eu_run [option...] BINARY LAUNCH.json JOB.json | --list FILE\n");
      return 2;
    }
    Print(request);
  }
  return 0;
}

}  // namespace
}  // namespace kiln

int main(int argc, char** argv) { return kiln::Main(argc, argv); }
