// The parts of a launch record that RADV's compute, fragment and vertex programs have.
//
// Facts from Mesa 25.0.7: fields in amd/vulkan/radv_shader_info.h, order of a fragment shader's
// attributes and its SPI_PS_INPUT_CNTL in radv_cmd_buffer.c (radv_emit_ps_inputs), holes in colour
// formats there (radv_emit_fragment_output_state), numbers of outputs in compiler/shader_enums.h,
// descriptors of vertex buffers in radv_cmd_buffer.c (radv_write_vertex_descriptors), fields of
// registers in amd/registers/gfx103.json.
#pragma once

#include "launch_vertex.hpp"
#include "radv_cache.hpp"

namespace radv {

using json::Object;
using json::array;
using json::numbers;
using json::rows;

// A refusal: the program is laid out as expected, but records cannot describe it.
[[noreturn]] inline void refuse(const std::string &what) { throw std::runtime_error("no launch record: " + what); }

inline void refuse_if(bool unfit, const std::string &what)
{
   if (unfit)
      refuse(what);
}

struct Attribute {            // where the pipeline has a vertex attribute
   uint32_t location, offset; // bytes within a vertex
};

struct Input {
   std::string target, file, entry, stage;
   const reflect::Interface *io = nullptr;
   const std::vector<launch::Slot> *slots = nullptr;
   uint32_t view_mask = 0;
   bool linked = false;                 // with a partner: the driver moves inputs and outputs
   std::vector<Attribute> attributes;   // of one vertex buffer
   uint32_t vertex_stride = 0;          // bytes
};

// What a record says of its stage: for all architectures, and AMD's.
struct StageParts {
   std::string common, amd;
};

// Returns true if a dword of the code is that of s_barrier; a literal may be the same.
inline bool has_barrier(const Shader &s)
{
   for (uint32_t at = 0; at < s.instruction_bytes; at += 4)
      if (s.code.u32(at) == 0xbf8a0000)
         return true;
   return false;
}

inline StageParts compute_part(const Shader &s, const Input &in)
{
   const Bytes &w = s.info;
   std::vector<uint32_t> size;
   for (size_t i = 0; i < 3; i++) {
      size.push_back(w.u32(764 + 4 * i));
      expect(size[i] == in.io->local_size[i], "local size");
      expect(w.flag(757 + i) == (s.rsrc(2) >> (7 + i) & 1), "workgroup ids in rsrc2");
   }
   expect(w.flag(763) == (s.rsrc(2) >> 10 & 1), "number of the wave in rsrc2");
   expect((s.rsrc(2) >> 15 & 511) * 512 == s.lds_bytes(), "LDS in rsrc2");
   refuse_if(w.flag(776), "ray tracing pipeline");
   return {Object().raw("local_size", numbers(size)).yes("uses_barrier", has_barrier(s)).text(), ""};
}

// ---- fragment -----------------------------------------------------------------

enum : uint32_t {             // SPI_PS_INPUT_CNTL_n
   CntlDefault = 0x20,        // OFFSET: no parameter, DEFAULT_VAL instead
   CntlFlat = 1 << 10,
   CntlVertices = CntlFlat | 1 << 5,          // parameters as exported: a value for each vertex,
   CntlOrdered = CntlVertices | 1 << 11,      // in the order of the primitive's own vertices
   CntlPointSprite = 1 << 17,
   CntlHalf = 1 << 19 | 1 << 24,
   CntlBothHalves = CntlHalf | 1 << 25,
};

struct FragmentAttribute {
   uint32_t varying, cntl;    // Mesa's number of the input; register without OFFSET
};

// The attributes in the order of their numbers.
inline std::vector<FragmentAttribute> fragment_attributes(const Shader &s)
{
   const Bytes &w = s.info;
   std::vector<FragmentAttribute> out;
   if (w.flag(665))
      out.push_back({25, CntlPointSprite | CntlDefault});
   for (uint32_t half = 0; half < 2; half++)
      if (w.u8(668) >> 4 * half & 15)
         out.push_back({17 + half, 0});
   refuse_if(w.u32(676) != 0, "fragment inputs of primitives");
   for (uint32_t location = 0; location < 32; location++) {
      if (!(w.u32(672) >> location & 1))
         continue;
      const size_t n = out.size();
      expect(n < 32, "number of fragment inputs");
      auto in = [&](size_t mask) { return w.u32(mask) >> n & 1; };
      const uint32_t cntl[] = {CntlVertices, CntlOrdered, CntlBothHalves, CntlHalf, 0, CntlFlat};
      out.push_back({32 + location, cntl[in(684) ? 0 : in(688) ? 1 : in(696) ? 2 : in(692) ? 3 : in(680) ? 4 : 5]});
   }
   if (w.flag(667))
      out.push_back({23, CntlFlat});
   if (w.flag(666))
      out.push_back({21, CntlFlat});
   expect(out.size() == w.u32(700), "number of fragment inputs");
   return out;
}

// Colour formats as the register has them: without holes.
inline uint32_t compact_formats(uint32_t formats)
{
   uint32_t out = 0;
   for (uint32_t i = 0, n = 0; i < 8; i++)
      if (const uint32_t f = formats >> 4 * i & 15)
         out |= f << 4 * n++;
   return out;
}

inline void refuse_fragment(const Shader &s)
{
   refuse_if(s.info.flag(753) || s.info.flag(664), "fragment program that ends in another program");
   refuse_if(s.info.flag(725), "fragment shader interlock");
}

inline std::string fragment_outputs(const Shader &s)
{
   const Bytes &w = s.info;
   const uint32_t formats = w.u32(740);
   const bool dual = w.flag(727);
   std::vector<uint32_t> colors;
   for (uint32_t i = 0; i < 8; i++)
      if (formats >> 4 * i & 15 && w.u32(744) >> 4 * i & 15 && !(dual && i == 1))
         colors.push_back(i);
   static const char *const depth[5] = {"any", "any", "greater", "less", "any"};
   expect(w.u8(723) < 5, "depth layout");
   return Object().raw("colors", numbers(colors)).str("depth", w.flag(660) ? depth[w.u8(723)] : "off").yes("stencil", w.flag(661))
      .yes("sample_mask", w.flag(662)).yes("dual_source", dual).text();
}

inline StageParts fragment_part(const Shader &s, const Input &in)
{
   refuse_fragment(s);
   const Bytes &w = s.info;
   expect(s.ps_input_ena() == w.u32(728) && s.ps_input_addr() == w.u32(732), "inputs of fragments");
   expect(w.flag(749) == (s.rsrc(1) >> 27 & 1), "provoking vertex in rsrc1");
   std::vector<std::string> inputs;
   std::vector<uint32_t> cntl;
   for (auto &a : fragment_attributes(s)) {
      Object o;
      if (a.varying >= 32) {
         const auto vars = launch::variables(in.io->inputs, a.varying - 32);
         expect(!vars.empty(), "the shader has an input at location " + std::to_string(a.varying - 32));
         o.num("location", a.varying - 32).raw("parts", array(vars));
      } else {
         o.str("builtin", launch::varying_name(a.varying));
      }
      const bool vertices = (a.cntl & CntlVertices) == CntlVertices;
      inputs.push_back(o.yes("flat", (a.cntl & CntlFlat) && !vertices).yes("per_vertex", vertices).text());
      cntl.push_back(a.cntl);
   }
   Object o, a;
   o.raw("inputs", rows(inputs)).raw("outputs", fragment_outputs(s));
   o.yes("uses_discard", w.flag(704)).yes("early_fragment_tests", w.flag(705)).yes("post_depth_coverage", w.flag(706));
   o.yes("has_side_effects", w.flag(659)).yes("per_sample", w.flag(656)).num("samples", 1).yes("alpha_to_coverage", false);
   a.num("spi_ps_input_ena", s.ps_input_ena()).num("spi_ps_input_addr", s.ps_input_addr());
   uint32_t formats = compact_formats(w.u32(740));
   // So that exports have memory: radv_needs_null_export_workaround, when it draws.
   if (w.flag(704) && formats == 0 && w.u32(1048) == 0)
      formats = 1;
   a.num("spi_shader_col_format", formats).num("cb_shader_mask", w.u32(744));
   a.num("spi_shader_z_format", w.u32(1048)).num("db_shader_control", w.u32(1036));
   a.raw("spi_ps_input_cntl", numbers(cntl));
   return {o.text(), a.text()};
}

// ---- vertex -------------------------------------------------------------------

inline void refuse_vertex(const Shader &s)
{
   const Bytes &w = s.info;
   refuse_if(!s.ngg(), "vertex program that is no primitive shader");
   refuse_if(w.flag(346) || w.flag(347) || w.flag(270), "vertex program before tessellation or a geometry shader");
   refuse_if(w.flag(380) || w.flag(381), "vertex program that begins in another program");
   refuse_if(w.u32(852) & 0xffff, "transform feedback");
   refuse_if(w.flag(248), "forced shading rate");
}

// The locations that are read, and where the program fetches them.
inline void vertex_inputs(const Shader &s, const Input &in, Object &common, Object &amd)
{
   const uint32_t read = s.info.u32(376), descriptors = s.info.u32(372);
   const bool of_attribute = s.info.flag(370);   // else one for each buffer, of which there is one
   expect(of_attribute || descriptors == (read ? 1u : 0u), "descriptors of vertex buffers");
   std::vector<uint32_t> locations;
   std::vector<std::string> places;
   for (uint32_t l = 0; l < 32; l++) {
      if (!(read >> l & 1))
         continue;
      expect(!launch::variables(in.io->inputs, l).empty(), "the shader has an input at location " + std::to_string(l));
      locations.push_back(l);
   }
   for (auto &a : in.attributes) {
      if (a.location >= 32 || !(read >> a.location & 1))
         continue;
      uint32_t components = 0, bits = 0;
      std::string type;
      for (auto &x : in.io->inputs) {
         if (x.location != a.location)
            continue;
         components = std::max(components, std::min(4u, x.component + x.comps));
         if (type.empty())
            type = x.base == reflect::Base::F ? "float" : x.base == reflect::Base::I ? "int" : "uint", bits = x.bits;
      }
      const uint32_t before = (1u << a.location) - 1;
      places.push_back(Object().num("location", a.location)
                          .num("buffer", of_attribute ? uint32_t(__builtin_popcount(descriptors & before)) : 0)
                          .num("offset", a.offset).num("stride", in.vertex_stride).num("components", components)
                          .str("type", type).num("bits", bits).text());
   }
   common.raw("attributes", numbers(locations));
   amd.raw("attributes", rows(places));
}

inline std::string system_values(const Shader &s)
{
   std::vector<std::string> out{json::quote("first_vertex")};
   if (s.info.flag(369))
      out.push_back(json::quote("base_instance"));
   out.push_back(json::quote("vertex_id_from_zero"));
   if (s.info.flag(345))
      out.push_back(json::quote("instance_id_from_zero"));
   if (s.info.flag(344))
      out.push_back(json::quote("draw_id"));
   return array(out);
}

// The values that the program exports as parameters, or that it leaves to a default.
inline void vertex_outputs(const Shader &s, const Input &in, Object &common, Object &amd)
{
   std::vector<std::string> outputs, parameters;
   std::set<uint32_t> slots;
   const uint32_t of_vertices = s.info.u8(226);   // those of primitives follow
   for (uint32_t v = 0; v < 64; v++) {
      const uint32_t place = s.info.u8(160 + v);
      if (place == 255)
         continue;
      expect(place < 32 || (place >= 64 && place < 68), "place of output " + std::to_string(v));
      Object o;
      if (v >= 32) {
         const auto vars = launch::variables(in.io->outputs, v - 32);
         expect(!vars.empty(), "the shader has an output at location " + std::to_string(v - 32));
         o.num("location", v - 32);
         if (place < 32)
            outputs.push_back(Object().num("location", v - 32).raw("parts", array(vars)).text());
      } else {
         refuse_if(!launch::varying_name(v), "vertex output " + std::to_string(v));
         o.str("builtin", launch::varying_name(v));
      }
      if (place < 32)
         slots.insert(place);
      o.num("spi_ps_input_cntl", place < 32 ? place : CntlDefault | (place - 64) << 8);
      parameters.push_back(o.yes("per_primitive", place < 32 && place >= of_vertices).text());
   }
   const uint32_t count = of_vertices + s.info.u8(227);
   expect(slots.size() == count && (slots.empty() || *slots.rbegin() == count - 1), "number of parameters");
   common.raw("outputs", rows(outputs));
   amd.raw("parameters", rows(parameters));
}

inline StageParts vertex_part(const Shader &s, const Input &in)
{
   refuse_vertex(s);
   const Bytes &w = s.info;
   expect((s.rsrc(2) >> 16 & 3) == (w.flag(345) ? 3u : 0u), "number of VGPRs in rsrc2");
   expect((s.rsrc(2) >> 19 & 255) * 512 == s.lds_bytes(), "LDS in rsrc2");
   expect((w.u32(1008) & 511) == w.u32(904) && (w.u32(1008) >> 9 & 511) == w.u32(900), "size of a group in GE_CNTL");
   expect(w.u32(1016) == 1 && w.u32(1020) == 1, "one primitive of each");   // SUBGRP_CNTL, IDX_FORMAT
   expect(w.u32(1024) == 0, "vertices shared by primitives");   // VGT_PRIMITIVEID_EN
   Object o, a;
   vertex_inputs(s, in, o, a);
   o.raw("system_values", system_values(s));
   a.yes("primgen_passthru_en", w.flag(145)).num("ge_cntl", w.u32(1008));
   a.num("ge_max_output_per_subgroup", w.u32(1012)).num("ge_ngg_subgrp_cntl", w.u32(1016));
   a.num("vgt_gs_onchip_cntl", w.u32(1080)).num("spi_shader_idx_format", w.u32(1020));
   a.num("spi_shader_pos_format", w.u32(1104)).num("pa_cl_vs_out_cntl", w.u32(1096)).num("spi_vs_out_config", w.u32(1100));
   vertex_outputs(s, in, o, a);
   // The driver draws once for each view.
   if (in.view_mask)
      o.raw("views", Object().num("mask", in.view_mask).num("instance_multiplier", 1).text());
   return {o.text(), a.text()};
}

}   // namespace radv
