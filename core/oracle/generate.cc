#include "core/oracle/generate.h"

#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "core/oracle/generator.h"
#include "core/oracle/splitmix.h"

namespace kiln::oracle {
namespace {

using mir::BuiltIn;
using mir::Interface;
using mir::Module;
using mir::Stage;
using mir::Type;
using random_modules::Random;

// Floats of moderate size, some helpers; every fragment has a number of its own.
StageData FragmentInputs(Random& random, const Module& module) {
  const auto number = [&] { return (random.Next() & 0x807fffffu) | 0x3f000000u; };
  const auto offset = [&] { return static_cast<float>(random.Below(17)) / 16 - 0.5f; };
  StageData data;
  data.invocations = kFragmentLanes;
  for (const Interface& v : module.inputs) {
    std::vector<uint64_t> values(size_t{v.elements} * v.components * kFragmentLanes);
    std::vector<std::array<float, 2>> slopes(values.size());
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = v.type == Type::kI32 ? i % kFragmentLanes : number();
      slopes[i] = {offset(), offset()};
    }
    data.inputs.push_back(std::move(values));
    data.slopes.push_back(std::move(slopes));
  }
  for (uint32_t lane = 0; lane < kFragmentLanes; ++lane) {
    data.helpers.push_back(random.OneIn(6));
    data.centroids.push_back({offset(), offset()});
    data.sample_ids.push_back(random.Below(4));
  }
  for (int i = 0; i < 4; ++i) data.samples.push_back({offset(), offset()});
  return data;
}

// Floats of moderate size; every vertex has a number of its own.
StageData VertexInputs(Random& random, const Module& module) {
  StageData data;
  data.invocations = kVertexLanes;
  for (const Interface& v : module.inputs) {
    std::vector<uint64_t> values(size_t{v.elements} * v.components * kVertexLanes);
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = v.builtin != BuiltIn::kNone ? i
                  : v.type == Type::kI32      ? random.Below(64)
                                              : (random.Next() & 0x807fffffu) | 0x3f000000u;
    }
    data.inputs.push_back(std::move(values));
  }
  return data;
}

}  // namespace

Module GenerateModule(uint64_t seed, const GenerateOptions& options) {
  return random_modules::Generator(seed, options).Run();
}

LaunchInputs GenerateInputs(uint64_t seed, const Module& module) {
  Random random(seed ^ 0x5bd1e995u);
  const auto bytes = [&](uint32_t dwords) {
    std::vector<uint8_t> data(4 * dwords);
    for (uint32_t i = 0; i < dwords; ++i) {
      // Small integers, floats of moderate size, and arbitrary bits.
      const uint32_t x = random.OneIn(3)   ? random.Below(64)
                         : random.OneIn(2) ? (random.Next() & 0x807fffffu) | 0x3f800000u
                                           : random.Next();
      std::memcpy(&data[4 * i], &x, 4);
    }
    return data;
  };
  LaunchInputs inputs;
  if (module.stage == Stage::kFragment) inputs.stage = FragmentInputs(random, module);
  if (module.stage == Stage::kVertex) inputs.stage = VertexInputs(random, module);
  const uint32_t lanes = module.stage == Stage::kFragment ? kFragmentLanes
                         : module.stage == Stage::kVertex ? kVertexLanes
                                                          : module.local_size[0];
  inputs.groups = {2, 1, 1};
  inputs.push_constants = bytes(8);
  inputs.buffers.push_back({0, 0, 0, bytes(kOutputDwords * lanes)});
  inputs.buffers.push_back({0, 1, 0, bytes(64)});
  inputs.buffers.push_back({0, 2, 0, bytes(64)});
  return inputs;
}

}  // namespace kiln::oracle
