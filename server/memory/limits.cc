// Reads how much memory this process may have: see limits.h.
#include "server/memory/limits.h"

#include <sys/resource.h>

#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace kiln::memory {
namespace {

// A hierarchy of control groups that contains this process and limits memory.
struct Hierarchy {
  std::string mounted_at;    // the mount point
  std::string mounted_root;  // the group that is mounted there
  std::string file;          // name of the file with a group's limit
};

// Reads a limit. An unlimited group has "max" (version 2) or about 2^63 bytes (version 1).
std::optional<uint64_t> ReadNumber(const std::string& path) {
  std::string text;
  if (!(std::ifstream(path) >> text)) return std::nullopt;
  uint64_t bytes = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return bytes < uint64_t{1} << 62 ? std::optional(bytes) : std::nullopt;
}

// Parses a line of mountinfo: id, parent, device, root, mount point, options, tags, "-", type,
// source, options of the file system.
std::optional<Hierarchy> ReadMount(const std::string& line, bool version2) {
  const std::vector<std::string> halves = absl::StrSplit(line, absl::MaxSplits(" - ", 1));
  if (halves.size() != 2) return std::nullopt;
  const std::vector<std::string> mount = absl::StrSplit(halves[0], ' ');
  const std::vector<std::string> system = absl::StrSplit(halves[1], ' ');
  if (mount.size() < 6 || system.size() < 3) return std::nullopt;
  if (version2 && system[0] == "cgroup2") return Hierarchy{mount[4], mount[3], "memory.max"};
  const std::vector<std::string> options = absl::StrSplit(system[2], ',');
  for (const std::string& option : options) {
    if (!version2 && system[0] == "cgroup" && option == "memory") {
      return Hierarchy{mount[4], mount[3], "memory.limit_in_bytes"};
    }
  }
  return std::nullopt;
}

std::optional<Hierarchy> FindHierarchy(const std::string& proc, bool version2) {
  std::ifstream mounts(proc + "/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    if (auto found = ReadMount(line, version2)) return found;
  }
  return std::nullopt;
}

// Lowers `limits` to those of the group and of the groups above it, up to the mounted one.
void Narrow(const Hierarchy& hierarchy, std::string_view group, const std::string& root,
            Limits* limits) {
  // In a container's own mount the root is the container's group.
  if (hierarchy.mounted_root != "/" && group.starts_with(hierarchy.mounted_root)) {
    group.remove_prefix(hierarchy.mounted_root.size());
  }
  for (std::string path(group);; path.resize(path.rfind('/'))) {
    while (!path.empty() && path.back() == '/') path.pop_back();
    const std::string file = absl::StrCat(hierarchy.mounted_at, path, "/", hierarchy.file);
    if (const auto bytes = ReadNumber(root + file); bytes && *bytes < limits->group) {
      limits->group = *bytes;
      limits->group_file = file;
    }
    if (path.rfind('/') == std::string::npos) return;
  }
}

}  // namespace

// A line of cgroup has: number, controllers with commas, group. Version 2 has number 0 and no
// controllers.
Limits ReadGroupLimits(const std::string& proc, const std::string& root) {
  Limits limits;
  std::ifstream groups(proc + "/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::vector<std::string> parts = absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (parts.size() != 3) continue;
    const bool version2 = parts[0] == "0" && parts[1].empty();
    bool memory = version2;
    for (absl::string_view controller : absl::StrSplit(parts[1], ',')) {
      memory = memory || controller == "memory";
    }
    if (!memory) continue;
    if (const auto hierarchy = FindHierarchy(proc, version2)) {
      Narrow(*hierarchy, parts[2], root, &limits);
    }
  }
  return limits;
}

Limits ReadLimits() {
  Limits limits = ReadGroupLimits("/proc/self", "");
  rlimit space = {};
  if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) {
    limits.address_space = space.rlim_cur;
  }
  return limits;
}

}  // namespace kiln::memory
