#include "client/source/link_stages.h"

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace kiln::client {
namespace {

using kiln::v1::LaunchLocationPart;
using kiln::v1::TargetResult;
using Parts = google::protobuf::RepeatedPtrField<LaunchLocationPart>;

constexpr uint32_t kComponents = 4;
constexpr uint32_t kLocations = 32;  // of a vertex shader's outputs, and of NextStageReads
constexpr char kUnknown[] = "?";     // a component of unknown type

// The type of each component of a location, "float32", ...; empty: not used.
using Location = std::array<std::string, kComponents>;

Location LocationOf(const Parts& parts) {
  Location location;
  if (parts.empty()) location.fill(kUnknown);
  for (const LaunchLocationPart& part : parts) {
    for (uint64_t c = part.component(); c < kComponents && c - part.component() < part.components();
         ++c) {
      location[c] = absl::StrCat(part.type() == "uint" ? "int" : part.type(), part.bits());
    }
  }
  return location;
}

// Adds the components that another program, or the other of two parts of a location, uses.
void Add(const Location& more, Location& location) {
  for (uint32_t c = 0; c < kComponents; ++c) {
    const bool says_more = location[c].empty() || location[c] == kUnknown;
    if (says_more && !more[c].empty()) location[c] = more[c];
  }
}

std::map<uint32_t, Location> LocationsRead(const TargetResult& fragment) {
  std::map<uint32_t, Location> read;
  for (const auto& variant : fragment.variants()) {
    // A location that is flat in part is two inputs.
    for (const auto& input : variant.launch().fragment().inputs()) {
      if (input.builtin().empty()) Add(LocationOf(input.parts()), read[input.location()]);
    }
  }
  return read;
}

// Returns the built-ins that fragments read of vertices, as NextStageReads names them.
std::set<std::string> BuiltInsRead(const TargetResult& fragment) {
  std::set<std::string> read;
  for (const auto& variant : fragment.variants()) {
    for (const auto& input : variant.launch().fragment().inputs()) {
      const std::string& name = input.builtin();
      if (name == "viewport" || name == "primitive_id") read.insert(name);
      if (absl::StartsWith(name, "clip_distance") || absl::StartsWith(name, "cull_distance")) {
        read.insert("clip_distance");
      }
    }
  }
  return read;
}

std::map<uint32_t, Location> LocationsWritten(const TargetResult& vertex) {
  std::map<uint32_t, Location> written;
  for (const auto& variant : vertex.variants()) {
    for (const auto& output : variant.launch().vertex().outputs()) {
      Add(LocationOf(output.parts()), written[output.location()]);
    }
  }
  return written;
}

std::string Place(uint32_t location, uint32_t components) {
  std::string place = absl::StrCat("location ", location, ".");
  for (uint32_t c = 0; c < kComponents; ++c) {
    if ((components >> c & 1) != 0) place += "xyzw"[c];
  }
  return place;
}

}  // namespace

kiln::v1::NextStageReads ReadsOf(const TargetResult& fragment) {
  kiln::v1::NextStageReads reads;
  for (const auto& [number, location] : LocationsRead(fragment)) {
    if (number >= kLocations) continue;
    uint32_t components = 0;
    for (uint32_t c = 0; c < kComponents; ++c) components |= location[c].empty() ? 0 : 1u << c;
    auto* to = reads.add_locations();
    to->set_location(number);
    to->set_components(components);
  }
  for (const std::string& name : BuiltInsRead(fragment)) reads.add_builtins(name);
  return reads;
}

bool ReadsEachVertex(const TargetResult& fragment) {
  for (const auto& variant : fragment.variants()) {
    for (const auto& input : variant.launch().fragment().inputs()) {
      if (input.per_vertex()) return true;
    }
  }
  return false;
}

InterfaceFaults CompareStages(const TargetResult& vertex, const TargetResult& fragment) {
  InterfaceFaults faults;
  const std::map<uint32_t, Location> written = LocationsWritten(vertex);
  for (const auto& [number, read] : LocationsRead(fragment)) {
    const auto at = written.find(number);
    const Location from = at == written.end() ? Location() : at->second;
    uint32_t undefined = 0;
    std::map<std::string, uint32_t> mismatched;  // mismatch -> its components
    for (uint32_t c = 0; c < kComponents; ++c) {
      if (read[c].empty()) continue;
      if (from[c].empty()) {
        undefined |= read[c] == kUnknown ? 0 : 1u << c;
      } else if (from[c] != read[c] && from[c] != kUnknown && read[c] != kUnknown) {
        mismatched[absl::StrCat("written as ", from[c], ", read as ", read[c])] |= 1u << c;
      }
    }
    if (at == written.end() && undefined == 0) undefined = (1u << kComponents) - 1;
    if (undefined != 0) {
      faults.undefined.push_back(
          absl::StrCat(Place(number, undefined), ": read and never written"));
    }
    for (const auto& [what, components] : mismatched) {
      faults.mismatched.push_back(absl::StrCat(Place(number, components), ": ", what));
    }
  }
  return faults;
}

}  // namespace kiln::client
