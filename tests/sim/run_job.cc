// See run_job.h.
#include "tests/sim/run_job.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "client/run/draw.h"
#include "client/run/job.h"
#include "client/run/vertices.h"
#include "nlohmann/json.hpp"
#include "proto/launch_record_convert.h"

namespace kiln::tests {
namespace {

using nlohmann::json;
using sim::scene::ClientBuffer;

struct Patch {
  uint32_t offset;
  uint8_t value;
};

struct Request {
  std::string binary, launch, job;
  sim::scene::RunOptions options;
  double max_seconds = 0;  // of the run itself; 0: no limit
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

json Output(const out::DescriptorRef& where, const std::vector<uint8_t>& bytes) {
  return {{"set", where.set},
          {"binding", where.binding},
          {"index", where.element},
          {"hex", absl::BytesToHexString(absl::string_view(
                      reinterpret_cast<const char*>(bytes.data()), bytes.size()))}};
}

template <typename T>
std::string Hex(const std::vector<T>& values) {
  return absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)));
}

void AddDraw(const sim::scene::FragmentInputs& draw, json* result) {
  (*result)["width"] = draw.width;
  (*result)["height"] = draw.height;
  (*result)["colors"] = json::array();
  for (const sim::scene::RenderTarget& t : draw.targets) {
    (*result)["colors"].push_back({{"location", t.location}, {"hex", Hex(t.texels)}});
  }
  if (!draw.depth.empty()) (*result)["depth"] = {{"hex", Hex(draw.depth)}};
  if (!draw.stencil.empty()) (*result)["stencil"] = {{"hex", Hex(draw.stencil)}};
  if (!draw.sample_mask.empty()) (*result)["sample_mask"] = {{"hex", Hex(draw.sample_mask)}};
}

// Sets the state by which tests/peer shows the stencil values that a program exports, if the job
// has no state of its own.
void KeepExportedStencil(sim::scene::FragmentInputs& draw) {
  if (draw.output.stencil) return;
  sim::scene::StencilFace face;
  face.pass = face.depth_fail = sim::scene::StencilOp::kReplace;
  draw.output.stencil = {face, face};
}

absl::StatusOr<json> Execute(const Machine& machine, const Request& request) {
  absl::StatusOr<std::string> code = ReadFile(request.binary);
  if (!code.ok()) return code.status();
  absl::StatusOr<std::string> launch = ReadFile(request.launch);
  if (!launch.ok()) return launch.status();
  absl::StatusOr<out::LaunchRecord> record = proto::LaunchRecordFromJson(*launch);
  if (!record.ok()) return record.status();
  absl::StatusOr<std::string> text = ReadFile(request.job);
  if (!text.ok()) return text.status();
  absl::StatusOr<client::run::Job> job = client::run::ReadJob(*text, Folder(request.job));
  if (!job.ok()) return absl::InvalidArgumentError(absl::StrCat("job: ", job.status().message()));
  sim::scene::Dispatch* const dispatch = &job->dispatch;
  if (!job->draw.is_null()) {
    absl::StatusOr<sim::scene::FragmentInputs> inputs =
        client::run::ReadDraw(job->draw, *record, job->folder);
    if (!inputs.ok()) return inputs.status();
    dispatch->draw = *std::move(inputs);
    if (record->fragment.writes_stencil) KeepExportedStencil(*dispatch->draw);
  }
  if (!job->vertices.is_null()) {
    absl::StatusOr<sim::scene::VertexInputs> inputs =
        client::run::ReadVertices(job->vertices, record->vertex);
    if (!inputs.ok()) return inputs.status();
    dispatch->vertices = *std::move(inputs);
  }
  for (const Patch& p : request.patches) {
    if (p.offset >= code->size()) return absl::InvalidArgumentError("--patch offset");
    (*code)[p.offset] = static_cast<char>(p.value);
  }
  const auto start = std::chrono::steady_clock::now();
  const absl::Span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(code->data()),
                                        code->size());
  dispatch->limit = sim::scene::TimeLimit(request.max_seconds);
  json result = {{"ok", true}};
  absl::StatusOr<sim::scene::RunStats> stats =
      machine.run(bytes, *record, request.options, *dispatch, result);
  if (!stats.ok()) return stats.status();
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  result["instructions"] = stats->instructions;
  result["lane_operations"] = stats->lane_operations;
  result["messages"] = stats->messages;
  result["seconds"] = spent.count();
  result["outputs"] = json::array();
  if (request.coverage) result["executed"] = stats->executed;
  for (const client::run::Output& o : job->outputs) {
    if (o.is_image) continue;
    const ClientBuffer& b = dispatch->buffers[o.index];
    json output = Output(b.where, b.bytes);
    if (!b.bound) output = {{"name", o.name}, {"hex", output["hex"]}};
    result["outputs"].push_back(output);
  }
  for (const sim::scene::ClientImage& i : dispatch->images) {
    result["outputs"].push_back(Output(i.where, i.texels));
  }
  if (dispatch->draw) AddDraw(*dispatch->draw, &result);
  if (dispatch->vertices) {
    result["resources"] = std::move(result["outputs"]);
    result["outputs"] = client::run::VertexOutputs(*dispatch->vertices);
    result["count"] = dispatch->vertices->count;
    result["instances"] = dispatch->vertices->instances;
  }
  return result;
}

// Takes one option or file name; returns false if it is not understood.
bool Take(const Machine& machine, const std::string& argument, Request& request) {
  absl::string_view a = argument;
  if (a == "--no-contract") {
    request.options.contract = false;
  } else if (a == "--sourced") {
    request.options.unsourced = false;
  } else if (a == "--coverage") {
    request.coverage = true;
  } else if (a == "--zero-memory") {
    request.options.zero_memory = true;
  } else if (a == "--opposite") {
    request.options.opposite = true;
  } else if (absl::ConsumePrefix(&a, "--memory-seed=")) {
    return absl::SimpleAtoi(a, &request.options.memory_seed.emplace());
  } else if (absl::ConsumePrefix(&a, "--max-instructions=")) {
    return absl::SimpleAtoi(a, &request.options.max_instructions);
  } else if (absl::ConsumePrefix(&a, "--max-seconds=")) {
    return absl::SimpleAtod(a, &request.max_seconds);
  } else if (absl::ConsumePrefix(&a, "--patch=")) {
    unsigned offset = 0, value = 0;
    if (std::sscanf(std::string(a).c_str(), "%u:%u", &offset, &value) != 2) return false;
    request.patches.push_back({offset, static_cast<uint8_t>(value)});
  } else if (absl::StartsWith(a, "--")) {
    return machine.take_option(a);
  } else {
    std::string& slot = request.binary.empty()   ? request.binary
                        : request.launch.empty() ? request.launch
                                                 : request.job;
    if (!slot.empty()) return false;
    slot = argument;
  }
  return true;
}

void Print(const Machine& machine, const Request& request) {
  absl::StatusOr<json> result = Execute(machine, request);
  json line = result.ok() ? *result
                          : json{{"ok", false},
                                 {"code", absl::StatusCodeToString(result.status().code())},
                                 {"error", std::string(result.status().message())}};
  std::cout << line.dump() << std::endl;
}

bool RunOne(const Machine& machine, const std::vector<std::string>& words) {
  Request request;
  machine.reset();
  bool good = true;
  for (const std::string& w : words) good &= Take(machine, w, request);
  if (!good || request.job.empty()) {
    std::fprintf(stderr, "usage: %s [option...] BINARY LAUNCH.json JOB.json | --list FILE\n",
                 machine.name);
    return false;
  }
  Print(machine, request);
  return true;
}

}  // namespace

int RunJobs(const Machine& machine, int argc, char** argv) {
  if (argc != 3 || std::string(argv[1]) != "--list") {
    return RunOne(machine, std::vector<std::string>(argv + 1, argv + argc)) ? 0 : 2;
  }
  std::ifstream list(argv[2]);
  for (std::string line; std::getline(list, line);) {
    if (!RunOne(machine, absl::StrSplit(line, '\t', absl::SkipEmpty()))) return 2;
  }
  return 0;
}

}  // namespace kiln::tests
