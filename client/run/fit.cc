// Job, record and code: see fit.h.
#include "client/run/fit.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/key/sha256.h"

namespace kiln::client::run {
namespace {

// (set, binding) -> the last element.
using Bindings = std::map<std::pair<uint32_t, uint32_t>, uint32_t>;

// Adds the resources that the program may access. For an array, all elements up to the last: the
// compiler decides which of the others it uses.
void AddUsed(const out::LaunchRecord& record, Bindings& used) {
  constexpr uint32_t kNoEnd = ~0u;
  for (const out::Resource& r : record.resources) {
    uint32_t& last = used[{r.set, r.binding}];
    last = std::max(last, r.elements == 0 ? kNoEnd : r.elements - 1);
  }
}

// `given`: bytes of push constants of the job.
absl::Status CheckPush(const out::LaunchRecord& record, size_t given) {
  if (given >= record.push_constant_bytes) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the program reads ", record.push_constant_bytes,
                   " bytes of push constants; \"push\" of the job has ",
                   given == 0 ? "none" : absl::StrCat("only ", given)));
}

absl::Status CheckUsed(const out::DescriptorRef& where, const Bindings& used) {
  const auto at = used.find({where.set, where.binding});
  if (at != used.end() && where.element <= at->second) return absl::OkStatus();
  if (at != used.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the program does not use set ", where.set, " binding ", where.binding,
                     " index ", where.element, " of the job: index ", at->second,
                     " is the last that it uses (--allow-unused accepts others)"));
  }
  std::string known;
  for (const auto& [binding, last] : used) {
    absl::StrAppend(&known, known.empty() ? "" : ", ", "set ", binding.first, " binding ",
                    binding.second);
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "the program does not use set ", where.set, " binding ", where.binding,
      " of the job; it uses ", known.empty() ? "none" : known, " (--allow-unused accepts others)"));
}

std::string Listed(const std::set<uint32_t>& locations) {
  return locations.empty() ? "none" : absl::StrJoin(locations, ", ");
}

// Compares the attributes that the program reads with those that are given.
absl::Status CheckAttributes(const sim::scene::VertexInputs& vertices,
                             const out::VertexLaunch& launch, bool unused) {
  std::set<uint32_t> read, given;
  read.insert(launch.attributes.begin(), launch.attributes.end());
  for (const sim::scene::VertexInput& i : vertices.inputs) given.insert(i.location);
  for (const uint32_t location : read) {
    if (given.count(location) != 0) continue;
    return absl::InvalidArgumentError(absl::StrCat("vertices: no input at location ", location,
                                                   "; the program reads ", Listed(read),
                                                   ", \"inputs\" has ", Listed(given)));
  }
  for (const uint32_t location : given) {
    if (unused || read.count(location) != 0) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("vertices: the program does not read the input at location ", location,
                     "; it reads ", Listed(read), " (--allow-unused accepts others)"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckJobFits(const Job& job, const out::LaunchRecord* vertex,
                          const out::LaunchRecord& record, bool unused) {
  Bindings used;
  for (const out::LaunchRecord* r : {vertex, &record}) {
    if (r == nullptr) continue;
    AddUsed(*r, used);
    if (absl::Status s = CheckPush(*r, job.dispatch.push_constants.size()); !s.ok()) return s;
  }
  if (job.dispatch.vertices) {
    const out::VertexLaunch& launch = vertex != nullptr ? vertex->vertex : record.vertex;
    absl::Status s = CheckAttributes(*job.dispatch.vertices, launch, unused);
    if (!s.ok()) return s;
  }
  if (unused) return absl::OkStatus();
  for (const sim::scene::ClientBuffer& b : job.dispatch.buffers) {
    if (!b.bound) continue;
    if (absl::Status s = CheckUsed(b.where, used); !s.ok()) return s;
  }
  for (const sim::scene::ClientImage& i : job.dispatch.images) {
    if (absl::Status s = CheckUsed(i.where, used); !s.ok()) return s;
  }
  for (const sim::scene::ClientSampler& sampler : job.dispatch.samplers) {
    if (absl::Status s = CheckUsed(sampler.where, used); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status CheckRecordIsOf(absl::string_view record_text, const out::LaunchRecord& record,
                             absl::string_view code) {
  if (record.code_bytes != 0 && record.code_bytes != code.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("is the launch record of other machine code, of ", record.code_bytes,
                     " bytes, not ", code.size()));
  }
  const nlohmann::json json =
      nlohmann::json::parse(record_text.begin(), record_text.end(), nullptr, false);
  if (!json.is_object() || !json.contains("code_sha256")) return absl::OkStatus();
  const nlohmann::json& sha256 = json["code_sha256"];
  const bool same = sha256 == nlohmann::json("") ||
                    sha256 == cache::ToHex(cache::Sha256({code.data(), code.size()}));
  if (same) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "is the launch record of other machine code: the SHA-256 differs");
}

}  // namespace kiln::client::run
