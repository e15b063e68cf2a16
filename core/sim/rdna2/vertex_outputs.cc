// See vertex_outputs.h. Fields of PA_CL_VS_OUT_CNTL and SPI_SHADER_POS_FORMAT: Mesa,
// amd/registers/gfx103.json; order of positions and contents of the second: Mesa 25.0.7,
// ac_nir_prerast_utils.c, ac_nir_export_position.
#include "core/sim/rdna2/vertex_outputs.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace kiln::sim::rdna2 {
namespace {

// Fields of PA_CL_VS_OUT_CNTL: clip distances 7:0, distances that cull 15:8, and these.
constexpr uint32_t kPointSize = 1 << 16, kLayer = 1 << 18, kViewport = 1 << 19;
constexpr uint32_t kMiscellaneous = 1 << 21;
constexpr int kFirstDistances = 22;  // whether the first, and the second, four are exported

// SPI_PS_INPUT_CNTL: OFFSET without a parameter, and the constant instead.
constexpr uint32_t kNoParameter = 0x20;

const out::AmdVertex& StateOf(const out::LaunchRecord& record) { return out::AmdOf(record).vertex; }

// Numbers of the position exports; -1: there is none.
struct Positions {
  int miscellaneous = -1;
  std::array<int, 2> distances = {-1, -1};
};

Positions PositionsOf(const out::LaunchRecord& record) {
  const uint32_t control = StateOf(record).pa_cl_vs_out_cntl;
  Positions p;
  int next = 1;
  if ((control & kMiscellaneous) != 0) p.miscellaneous = next++;
  for (int i = 0; i < 2; ++i) {
    if ((control >> (kFirstDistances + i) & 1) != 0) p.distances[static_cast<size_t>(i)] = next++;
  }
  return p;
}

// First slots of what an entry has, and their number.
struct Slots {
  uint32_t miscellaneous, parameters, constants, count;
};

Slots SlotsOf(const out::LaunchRecord& record) {
  Slots s{};
  s.miscellaneous = PositionExports(record);
  s.parameters = s.miscellaneous + 1;
  s.constants = s.parameters + ParameterExports(record);
  s.count = s.constants;
  for (const out::AmdParameter& p : StateOf(record).parameters) {
    s.count += p.builtin.empty() && (p.spi_ps_input_cntl & kNoParameter) != 0;
  }
  return s;
}

scene::VertexOutput Whole(uint32_t slot) {
  scene::VertexOutput output;
  for (uint32_t c = 0; c < 4; ++c) output.components.push_back({slot, c});
  return output;
}

void AddMiscellaneous(const out::LaunchRecord& record, std::vector<scene::VertexOutput>& outputs) {
  const uint32_t control = StateOf(record).pa_cl_vs_out_cntl;
  const std::pair<uint32_t, const char*> kParts[] = {
      {kPointSize, "point_size"}, {kLayer, "layer"}, {kViewport, "viewport"}};
  for (uint32_t i = 0; i < 3; ++i) {
    if ((control & kParts[i].first) == 0) continue;
    scene::VertexOutput& output = outputs.emplace_back();
    output.builtin = kParts[i].second;
    output.components = {{SlotsOf(record).miscellaneous, i}};
  }
}

void AddDistances(const out::LaunchRecord& record, std::vector<scene::VertexOutput>& outputs) {
  const uint32_t control = StateOf(record).pa_cl_vs_out_cntl;
  const uint32_t clip = control & 0xff, cull = control >> 8 & 0xff & ~clip;
  const Positions positions = PositionsOf(record);
  for (const auto& [mask, name] : {std::pair{clip, "clip_distance"}, {cull, "cull_distance"}}) {
    if (mask == 0) continue;
    scene::VertexOutput& output = outputs.emplace_back();
    output.builtin = name;
    for (uint32_t i = 0; i < 8; ++i) {
      const int position = positions.distances[i / 4];
      if ((mask >> i & 1) == 0 || position < 0) continue;
      output.components.push_back({static_cast<uint32_t>(position), i % 4});
    }
  }
}

// Returns component c of a default: 0000, 0001, 1110, 1111.
uint32_t Constant(uint32_t control, uint32_t c) {
  const uint32_t which = control >> 8 & 3;
  return (c == 3 ? which & 1 : which >> 1) != 0 ? 0x3f800000u : 0u;
}

void AddParameters(const out::LaunchRecord& record, scene::VertexInputs& draw) {
  const Slots slots = SlotsOf(record);
  uint32_t constant = slots.constants;
  for (const out::AmdParameter& p : StateOf(record).parameters) {
    if (!p.builtin.empty() || p.per_primitive) continue;
    const bool exported = (p.spi_ps_input_cntl & kNoParameter) == 0;
    const uint32_t slot = exported ? slots.parameters + p.spi_ps_input_cntl : constant++;
    draw.outputs.push_back(Whole(slot));
    draw.outputs.back().location = p.location;
    for (uint64_t run = 0; !exported && run < draw.Runs(); ++run) {
      for (uint32_t c = 0; c < 4; ++c) {
        const size_t at = draw.At(static_cast<uint32_t>(run), slot, c);
        draw.entries[at] = Constant(p.spi_ps_input_cntl, c);
        draw.written[at] = 1;
      }
    }
  }
}

}  // namespace

uint32_t PositionExports(const out::LaunchRecord& record) {
  uint32_t count = 0;
  for (uint32_t f = StateOf(record).spi_shader_pos_format; f != 0; f >>= 4) ++count;
  return count;
}

uint32_t ParameterExports(const out::LaunchRecord& record) {
  uint32_t count = 0;
  for (const out::AmdParameter& p : StateOf(record).parameters) {
    if ((p.spi_ps_input_cntl & kNoParameter) == 0) {
      count = std::max(count, p.spi_ps_input_cntl + 1);
    }
  }
  return count;
}

const out::AmdParameter* ParameterAt(const out::LaunchRecord& record, uint32_t number) {
  for (const out::AmdParameter& p : StateOf(record).parameters) {
    if (p.spi_ps_input_cntl == number) return &p;
  }
  return nullptr;
}

void PrepareOutputs(const out::LaunchRecord& record, scene::VertexInputs& draw) {
  draw.slots = SlotsOf(record).count;
  draw.entries.assign(draw.Runs() * draw.slots * 4, 0);
  draw.written.assign(draw.entries.size(), 0);
  draw.outputs = {Whole(0)};
  draw.outputs[0].builtin = "position";
  AddMiscellaneous(record, draw.outputs);
  AddDistances(record, draw.outputs);
  AddParameters(record, draw);
}

void WriteOutputs(const out::LaunchRecord& record, const ExportedVertex& vertex, uint32_t run,
                  scene::VertexInputs& draw) {
  const auto write = [&](uint32_t slot, uint32_t component, uint32_t value) {
    const size_t at = draw.At(run, slot, component);
    draw.entries[at] = value;
    draw.written[at] = 1;
  };
  const auto copy = [&](uint32_t slot, uint32_t target) {
    for (uint32_t c = 0; c < 4; ++c) {
      if ((vertex.channels[target] >> c & 1) != 0) write(slot, c, vertex.values[target][c]);
    }
  };
  const Slots slots = SlotsOf(record);
  for (uint32_t p = 0; p < PositionExports(record); ++p) copy(p, p);
  for (uint32_t p = 0; p < ParameterExports(record); ++p) {
    copy(slots.parameters + p, kPositions + p);
  }
  const int packed = PositionsOf(record).miscellaneous;
  if (packed < 0) return;
  const auto from = static_cast<size_t>(packed);
  const uint8_t channels = vertex.channels[from];
  if ((channels & 1) != 0) write(slots.miscellaneous, 0, vertex.values[from][0]);
  if ((channels & 4) == 0) return;
  write(slots.miscellaneous, 1, vertex.values[from][2] & 0xffff);
  write(slots.miscellaneous, 2, vertex.values[from][2] >> 16);
}

}  // namespace kiln::sim::rdna2
