// Programs in a pipeline cache of Mesa's RADV driver, in which it stores each shader with the values
// of its registers and the compiler's facts about it.
//
// Facts: struct radv_shader_binary_legacy (amd/vulkan/radv_shader.h), struct radv_shader_info
// (radv_shader_info.h), enum radv_ud_index (radv_shader_args.h), struct ac_shader_config
// (amd/common/ac_binary.h), radv_pipeline_cache_object_serialize (radv_pipeline_cache.c) and
// vk_pipeline_cache.c of Mesa 25.0.7; the offsets are those on x86-64. Every blob is checked against
// them and refused if anything does not fit.
#pragma once

#include <optional>

#include "launch_program.hpp"

namespace radv {

using launch::Bytes;

constexpr const char *KnownVersion = "Mesa 25.0.7";

inline void expect(bool ok, const std::string &what)
{
   if (!ok)
      throw std::runtime_error(std::string("pipeline cache is not laid out as in ") + KnownVersion + ": " + what);
}

constexpr size_t ShaderBytes = 1200, InfoAt = 56, InfoBytes = 1112, KeyBytes = 32, StatisticsBytes = 60;

enum : uint32_t { StageVertex = 0, StageFragment = 4, StageCompute = 5 };

// Numbers of Mesa for what user SGPRs hold, beside descriptor sets.
enum UserData : uint32_t {
   RingOffsets = 0,
   PushConstants = 1,
   InlinePushConstants = 2,
   IndirectDescriptorSets = 3,
   ViewIndex = 4,
   NggCullingSettings = 8,
   NggViewport = 9,
   VertexBuffers = 18,        // of vertex shaders
   GridSize = 18,             // of compute shaders
   BaseVertexStartInstance = 19,
   PixelState = 22,           // of fragment shaders
   UserDataCount = 26,
   MaxSets = 32,
};

// User SGPRs, counted from the stage's first one; none if count is 0.
struct Sgprs {
   uint32_t first = 0, count = 0;
};

struct Shader {
   Bytes config, info;        // register values; the compiler's facts
   Bytes code;                // instructions, then padding and constant data
   uint32_t instruction_bytes = 0;

   uint32_t vgprs() const { return config.u32(4); }
   uint32_t shared_vgprs() const { return config.u32(8); }
   uint32_t lds_bytes() const { return config.u32(20) * 512; }
   uint32_t ps_input_ena() const { return config.u32(24); }
   uint32_t ps_input_addr() const { return config.u32(28); }
   uint32_t scratch_bytes() const { return config.u32(36); }      // of a wave
   uint32_t rsrc(uint32_t n) const { return config.u32(36 + 4 * n); }

   uint32_t stage() const { return info.u32(252); }
   uint32_t wave_size() const { return info.u8(19); }
   bool ngg() const { return info.flag(144); }
   Sgprs set_sgprs(uint32_t set) const { return sgprs(24 + 2 * set); }
   Sgprs user_sgprs(uint32_t data) const { return sgprs(88 + 2 * data); }

private:
   Sgprs sgprs(size_t at) const
   {
      const int8_t first = int8_t(info.u8(at));
      const uint32_t count = info.u8(at + 1);
      expect(first < 0 ? first == -1 && !count : count > 0 && first + count <= 32, "place of user SGPRs");
      return {first < 0 ? 0u : uint32_t(first), count};
   }
};

// Checks facts that are stored twice or follow from others.
inline void check(const Shader &s)
{
   expect(s.stage() < 8, "stage " + std::to_string(s.stage()));
   expect(s.wave_size() == 32 || s.wave_size() == 64, "waves of " + std::to_string(s.wave_size()));
   expect(s.info.u32(260) == 0, "kind of shader " + std::to_string(s.info.u32(260)));
   for (size_t at : {8, 9, 10, 16, 17, 18, 144, 145, 146, 147, 148, 149, 248, 268, 269, 270, 271})
      s.info.flag(at);
   uint32_t sets = 0;
   for (uint32_t i = 0; i < MaxSets; i++)
      sets |= s.set_sgprs(i).count ? 1u << i : 0;
   expect(sets == s.info.u32(140), "mask of descriptor sets");
   expect(s.code.size() % 4 == 0 && s.instruction_bytes % 4 == 0 && s.instruction_bytes > 0 &&
             s.instruction_bytes <= s.code.size(), "size of the code");
   expect(s.vgprs() <= 256 && s.shared_vgprs() % 8 == 0, "number of VGPRs");
   // Addresses of the registers that the driver writes rsrc1 to (registers/gfx103.json).
   const uint32_t rsrc1 = s.info.u32(940);
   const bool known = s.stage() == StageCompute ? rsrc1 == 0xb848 : s.stage() == StageFragment ? rsrc1 == 0xb028 : true;
   expect(known && (!s.ngg() || rsrc1 == 0xb228), "registers of the stage");
}

inline Shader parse_shader(const Bytes &b)
{
   expect(b.size() >= ShaderBytes, "shader of " + std::to_string(b.size()) + " bytes");
   if (b.u32(0) == 1)
      throw std::runtime_error("the code is an ELF file of LLVM's");
   expect(b.u32(0) == 0, "type of shader " + std::to_string(b.u32(0)));
   expect(b.u32(1168) == b.size(), "size of the shader");
   const uint32_t code = b.u32(1176), statistics = b.u32(1192);
   expect(b.u32(1184) == 0 && b.u32(1188) == 0 && b.u32(1196) == 0, "no text in the cache");
   expect(statistics == 0 || statistics == StatisticsBytes, "statistics of " + std::to_string(statistics) + " bytes");
   expect(uint64_t(ShaderBytes) + statistics + code == b.size(), "parts of the shader");
   Shader s;
   s.config = b.sub(4, InfoAt - 4);
   s.info = b.sub(InfoAt, InfoBytes);
   s.code = b.sub(ShaderBytes + statistics, code);
   s.instruction_bytes = b.u32(1180);
   check(s);
   return s;
}

// Who made the cache: the driver's properties have the same.
struct Origin {
   uint32_t vendor, device;
   const uint8_t *uuid;       // 16 bytes
};

// All shaders in the data of vkGetPipelineCacheData, which must stay alive; none if the driver stored none.
inline std::vector<Shader> parse_cache(const std::vector<uint8_t> &data, const Origin &origin)
{
   Bytes b(data.data(), data.size());
   expect(b.size() >= 36 && b.u32(0) == 32 && b.u32(4) == 1, "header");
   expect(b.u32(8) == origin.vendor && b.u32(12) == origin.device && !memcmp(b.sub(16, 16).data(), origin.uuid, 16),
          "header of another driver");
   b.take(32);
   std::vector<Shader> out;
   for (uint32_t n = b.next32(); n > 0; n--) {
      const int32_t type = int32_t(b.next32());
      const uint32_t key = b.next32(), size = b.next32();
      expect(type == -1 && (key == 20 || key == KeyBytes), "type of an object");
      b.take(key);
      b.align(8);
      const Bytes object = b.take(size);
      if (key == KeyBytes)
         out.push_back(parse_shader(object));
      else
         expect(object.size() >= 8 && object.size() == 8 + uint64_t(object.u32(0)) * KeyBytes + object.u32(4),
                "list of a pipeline's shaders");
   }
   expect(b.at() == b.size(), std::to_string(b.size() - b.at()) + " bytes left over");
   return out;
}

// The shader of this stage, of which a pipeline has one.
inline Shader shader_of_stage(const std::vector<Shader> &shaders, uint32_t stage)
{
   if (shaders.empty())
      throw std::runtime_error("the driver stored no shader in the pipeline cache");
   std::optional<Shader> found;
   for (auto &s : shaders) {
      if (s.stage() != stage)
         continue;
      expect(!found, "one shader of a stage");
      found = s;
   }
   expect(bool(found), "a shader of stage " + std::to_string(stage));
   return *found;
}

}   // namespace radv
