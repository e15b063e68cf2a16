// The shaders that workers compiled or refused last: see shader_list.h.
#include "server/pages/shader_list.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "absl/strings/ascii.h"

namespace kiln::pages {
namespace {

using kiln::v1::TargetResult;

// A worker may say anything: keeps words like those of the compiler's lists, and no others.
std::string Word(std::string_view text) {
  constexpr size_t kMaxBytes = 48;
  const bool is_word = std::all_of(text.begin(), text.end(), [](char c) {
    return c == '_' || absl::ascii_islower(static_cast<unsigned char>(c)) ||
           absl::ascii_isdigit(static_cast<unsigned char>(c));
  });
  return is_word && text.size() <= kMaxBytes ? std::string(text) : "other";
}

}  // namespace

ShaderList::ShaderList(const worker::Hello& hello) {
  for (const auto& target : hello.targets()) {
    for (const auto& statistic : target.statistics()) {
      if (!positions_.try_emplace(statistic.name(), statistics_.size()).second) continue;
      statistics_.push_back(statistic);
    }
  }
}

void ShaderList::AddVariant(const kiln::v1::Variant& variant, Shader* to) const {
  ++to->variants;
  to->code_bytes += static_cast<int64_t>(variant.code().size());
  to->values.resize(statistics_.size(), Shader::kNoValue);
  for (const auto& value : variant.statistics().values()) {
    const auto position = positions_.find(value.name());
    if (position == positions_.end()) continue;
    int64_t& kept = to->values[position->second];
    kept = std::max(kept, value.value());
  }
}

Shader& ShaderList::Touch(const cache::Digest& key) {
  auto [entry, fresh] = index_.try_emplace(key);
  if (fresh) {
    order_.emplace_front().key = key;
    entry->second = order_.begin();
    if (order_.size() > kMaxShaders) {
      index_.erase(order_.back().key);
      order_.pop_back();
    }
    return order_.front();
  }
  order_.splice(order_.begin(), order_, entry->second);
  return order_.front();
}

void ShaderList::Made(const cache::Digest& key, const TargetResult& result, absl::Duration ran,
                      absl::Time now) {
  Shader fresh;
  fresh.key = key;
  fresh.target = result.target();
  fresh.stage = Word(result.stage());
  fresh.status = result.status();
  fresh.cause = Word(result.cause());
  fresh.last = now;
  const int64_t compile_ns = result.timings().compile_ns();
  fresh.took = compile_ns > 0 ? absl::Nanoseconds(compile_ns) : ran;
  for (const auto& variant : result.variants()) AddVariant(variant, &fresh);
  absl::MutexLock lock(&mutex_);
  Shader& shader = Touch(key);
  fresh.made = shader.made + 1;
  fresh.refused = shader.refused + (result.status() == TargetResult::OK ? 0 : 1);
  shader = std::move(fresh);
}

void ShaderList::RefusedAgain(const cache::Digest& key, absl::Time now) {
  absl::MutexLock lock(&mutex_);
  if (!index_.contains(key)) return;
  Shader& shader = Touch(key);
  ++shader.refused;
  shader.last = now;
}

std::vector<Shader> ShaderList::All() const {
  absl::MutexLock lock(&mutex_);
  return {order_.begin(), order_.end()};
}

}  // namespace kiln::pages
