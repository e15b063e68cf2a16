// Describes how well workers are confined: see sandbox_level.h.
#include "server/worker/sandbox_level.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace kiln::worker {
namespace {

using google::protobuf::FieldDescriptor;

uint32_t Get(const Hello::Sandbox& sandbox, const FieldDescriptor* field) {
  const auto* reflection = Hello::Sandbox::GetReflection();
  return field->cpp_type() == FieldDescriptor::CPPTYPE_BOOL
             ? uint32_t{reflection->GetBool(sandbox, field)}
             : reflection->GetUInt32(sandbox, field);
}

void Set(Hello::Sandbox* sandbox, const FieldDescriptor* field, uint32_t value) {
  const auto* reflection = Hello::Sandbox::GetReflection();
  if (field->cpp_type() == FieldDescriptor::CPPTYPE_BOOL) {
    reflection->SetBool(sandbox, field, value != 0);
  } else {
    reflection->SetUInt32(sandbox, field, value);
  }
}

template <typename Use>
void ForEachProtection(const Use& use) {
  const auto* type = Hello::Sandbox::GetDescriptor();
  for (int i = 0; i < type->field_count(); ++i) use(type->field(i));
}

}  // namespace

SandboxLevel LevelOf(const Hello::Sandbox& sandbox) {
  SandboxLevel level;
  ForEachProtection(
      [&](const FieldDescriptor* field) { level[field->name()] = Get(sandbox, field); });
  return level;
}

Hello::Sandbox Weaker(const Hello::Sandbox& a, const Hello::Sandbox& b) {
  Hello::Sandbox both;
  ForEachProtection([&](const FieldDescriptor* field) {
    Set(&both, field, std::min(Get(a, field), Get(b, field)));
  });
  return both;
}

std::string SandboxText(const SandboxLevel& level) {
  std::vector<std::string> has, misses;
  for (const auto& [name, value] : level) {
    if (value == 0) misses.push_back(name);
    if (value != 0) has.push_back(value == 1 ? name : absl::StrCat(name, " ", value));
  }
  return absl::StrCat(has.empty() ? "nothing" : absl::StrJoin(has, ", "),
                      misses.empty() ? "" : "; missing: ", absl::StrJoin(misses, ", "));
}

}  // namespace kiln::worker
