#include "client/link_stages.h"

#include <array>
#include <cstdint>
#include <map>

#include "absl/strings/str_cat.h"

namespace kiln::client {
namespace {

using kiln::v1alpha::LaunchInput;
using kiln::v1alpha::TargetResult;
using Parts = google::protobuf::RepeatedPtrField<LaunchInput>;

constexpr uint32_t kComponents = 4;
constexpr uint32_t kLocations = 32;  // of a vertex shader's outputs, and of NextStageReads
// Slots of the vertex's URB entry (core/intel/ABI.md, "Vertices").
constexpr uint32_t kFirstDistances = 2, kFirstLocation = 4;
constexpr char kUnknown[] = "?";  // a component of some type

// Of a location: the type of each component, "float32", ...; empty: it is not used.
using Location = std::array<std::string, kComponents>;

Location LocationOf(const Parts& parts) {
  Location location;
  if (parts.empty()) location.fill(kUnknown);
  for (const LaunchInput& part : parts) {
    for (uint64_t c = part.component(); c < kComponents && c - part.component() < part.components();
         ++c) {
      location[c] = absl::StrCat(part.type() == "uint" ? "int" : part.type(), part.bits());
    }
  }
  return location;
}

// What one program, or one of two parts of a location, uses and another uses, too.
void Add(const Location& more, Location& location) {
  for (uint32_t c = 0; c < kComponents; ++c) {
    if (location[c].empty() || location[c] == kUnknown) location[c] = more[c].empty() ? location[c] : more[c];
  }
}

std::map<uint32_t, Location> LocationsRead(const TargetResult& fragment) {
  std::map<uint32_t, Location> read;
  for (const auto& variant : fragment.variants()) {
    // A location that is flat in part has two attributes.
    for (const auto& a : variant.launch().fragment().setup().attributes()) {
      if (a.builtin().empty()) Add(LocationOf(a.inputs()), read[a.location()]);
    }
  }
  return read;
}

std::map<uint32_t, Location> LocationsWritten(const TargetResult& vertex) {
  std::map<uint32_t, Location> written;
  for (const auto& variant : vertex.variants()) {
    for (const auto& slot : variant.launch().vertex().outputs().vue()) {
      if (slot.what() == "location" && slot.written()) {
        Add(LocationOf(slot.outputs()), written[slot.location()]);
      }
    }
  }
  return written;
}

// Where the outputs lie that attributes of a fragment program are taken from: by the attribute's slot,
// that of the URB entry. Attributes that nobody wrote, and those that state makes, are none of it.
std::map<uint32_t, uint32_t> SourcesOf(const TargetResult& vertex,
                                       const kiln::v1alpha::LaunchSetup& setup) {
  std::map<std::string, uint32_t> slots;  // of a location's number, or of a built-in
  for (const auto& variant : vertex.variants()) {
    for (const auto& slot : variant.launch().vertex().outputs().vue()) {
      if (slot.what() == "location") slots[absl::StrCat(slot.location())] = slot.slot();
      if (slot.what() != "distances") continue;
      slots[absl::StrCat("clip_distance_", slot.slot() - kFirstDistances)] = slot.slot();
    }
  }
  std::map<uint32_t, uint32_t> sources;
  for (const auto& a : setup.attributes()) {
    const auto slot = slots.find(a.builtin().empty() ? absl::StrCat(a.location()) : a.builtin());
    if (slot != slots.end()) sources[a.slot()] = slot->second;
  }
  return sources;
}

// Is there a place in the entry to read from on, so that all attributes are delivered? It is one of a
// pair of slots; 32 are read at most; of the first 16 attributes each may be any of these, the others
// are the ones of their own number (Mesa 25.0.7, genX_pipeline.c, emit_3dstate_sbe).
bool IsDelivered(const std::map<uint32_t, uint32_t>& sources) {
  constexpr uint32_t kRouted = 16, kMostRead = 32, kPair = 2;
  for (uint32_t first = 0; first < kFirstLocation + kLocations; first += kPair) {
    bool all = true;
    for (const auto& [attribute, slot] : sources) {
      const bool read = slot >= first && slot - first < kMostRead;
      all &= read && (attribute < kRouted || slot - first == attribute);
    }
    if (all) return true;
  }
  return false;
}

std::string Place(uint32_t location, uint32_t components) {
  std::string place = absl::StrCat("location ", location, ".");
  for (uint32_t c = 0; c < kComponents; ++c) {
    if ((components >> c & 1) != 0) place += "xyzw"[c];
  }
  return place;
}

}  // namespace

kiln::v1alpha::NextStageReads ReadsOf(const TargetResult& fragment) {
  kiln::v1alpha::NextStageReads reads;
  for (const auto& [number, location] : LocationsRead(fragment)) {
    if (number >= kLocations) continue;
    uint32_t components = 0;
    for (uint32_t c = 0; c < kComponents; ++c) components |= location[c].empty() ? 0 : 1u << c;
    auto* to = reads.add_locations();
    to->set_location(number);
    to->set_components(components);
  }
  return reads;
}

InterfaceFaults CompareStages(const TargetResult& vertex, const TargetResult& fragment) {
  InterfaceFaults faults;
  const std::map<uint32_t, Location> written = LocationsWritten(vertex);
  for (const auto& [number, read] : LocationsRead(fragment)) {
    const auto at = written.find(number);
    const Location from = at == written.end() ? Location() : at->second;
    uint32_t undefined = 0;
    std::map<std::string, uint32_t> mismatched;  // by what is wrong: components
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
      faults.undefined.push_back(absl::StrCat(Place(number, undefined), ": read and never written"));
    }
    for (const auto& [what, components] : mismatched) {
      faults.mismatched.push_back(absl::StrCat(Place(number, components), ": ", what));
    }
  }
  for (const auto& variant : fragment.variants()) {
    if (!IsDelivered(SourcesOf(vertex, variant.launch().fragment().setup()))) {
      faults.undelivered =
          "more than 16 attributes are read, whose locations do not follow each other without a gap "
          "(from an even one on, flat and other components apart): the hardware brings only 16 from "
          "wherever they lie";
    }
  }
  return faults;
}

}  // namespace kiln::client
