#include "core/mid/memory/find_unchanging_buffers.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/mid/analysis/alias.h"
#include "core/mir/build.h"

namespace kiln::mid {
namespace {

using mir::Module;
using mir::Resource;
using mir::ResourceKind;

struct Written {
  std::vector<bool> resources;
  bool anything = false;  // by address, or by an op that may access any buffer
};

Written FindWritten(const Module& m) {
  Written written;
  written.resources.resize(m.resources.size());
  mir::ForEachInst(m, m.body, [&](mir::InstId id) {
    const auto access = AccessOf(m, id);
    if (!access.has_value() || !access->writes) return;
    if (access->space == Space::kBuffer) written.resources[access->memory] = true;
    if (access->space == Space::kUnknown || access->space == Space::kGlobal) {
      written.anything = true;
    }
  });
  return written;
}

bool MayBeSame(const Resource& a, const Resource& b) {
  return a.aliased || b.aliased || (a.set == b.set && a.binding == b.binding);
}

}  // namespace

absl::StatusOr<bool> FindUnchangingBuffers(Module& m, PassContext& context) {
  const auto is_candidate = [](const Resource& r) {
    return r.kind == ResourceKind::kStorageBuffer && !r.unchanging;
  };
  if (std::none_of(m.resources.begin(), m.resources.end(), is_candidate)) return false;
  const Written written = FindWritten(m);
  if (written.anything) return false;
  bool changed = false;
  for (Resource& r : m.resources) {
    if (!is_candidate(r)) continue;
    bool is_written = false;
    for (size_t i = 0; i < m.resources.size() && !is_written; ++i) {
      is_written = written.resources[i] && MayBeSame(r, m.resources[i]);
    }
    if (is_written || !context.Rewrite()) continue;
    r.unchanging = changed = true;
  }
  return changed;
}

}  // namespace kiln::mid
