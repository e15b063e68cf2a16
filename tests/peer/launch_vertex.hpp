// The part of a launch record that vertex programs have: payload, attributes, VUE map, URB entry.
//
// Facts from Mesa 25.0.7: fields of the prog data in intel/compiler/brw_compiler.h and
// intel_shader_enums.h, order of attributes in brw_nir.c, order of VUE slots in brw_vue_map.c, what is
// written to them in brw_fs_visitor.cpp (emit_urb_writes), numbers of attributes and outputs in
// compiler/shader_enums.h. The map is derived a second time from what the program writes, and the
// program's URB messages must keep to it: a record that contradicts its program is not made.
#pragma once

#include "json.hpp"
#include "launch_program.hpp"
#include "spirv_reflect.hpp"

namespace launch {

using json::Object;
using json::array;
using json::numbers;
using json::rows;

// What a record says of its stage: for all architectures, and Intel's.
struct StageParts {
   std::string common, intel;
};

// Names of Mesa's numbers for values passed between stages; from 32 on they are locations.
inline const char *varying_name(uint32_t v)
{
   switch (v) {
   case 0: return "position";
   case 12: return "point_size";
   case 17: return "clip_distance_0";
   case 18: return "clip_distance_1";
   case 19: return "cull_distance_0";
   case 20: return "cull_distance_1";
   case 21: return "primitive_id";
   case 22: return "layer";
   case 23: return "viewport";
   case 24: return "face";
   case 25: return "point_coord";
   case 30: return "view_index";
   default: return nullptr;
   }
}

// The shader's variables that have a part of a location.
inline std::vector<std::string> variables(const std::vector<reflect::IoItem> &items, uint32_t location)
{
   std::vector<std::string> out;
   for (auto &x : items) {
      const char *base = x.base == reflect::Base::F ? "float" : x.base == reflect::Base::I ? "int" : "uint";
      if (location < x.location || location >= x.location + x.locations())
         continue;
      Object o;
      o.num("component", x.component).num("components", x.comps).str("type", base).num("bits", x.bits);
      if (location != x.location)
         o.yes("second_half", true);
      out.push_back(o.text());
   }
   return out;
}

constexpr size_t VsProgData = 408;
constexpr uint32_t OutPosition = 0, OutPointSize = 12, OutDistance0 = 17, OutDistance1 = 18, OutLayer = 22,
                   OutViewport = 23, OutShadingRate = 24, OutLocation0 = 32, OutCount = 64;
constexpr uint32_t AttributeLocation0 = 15;

struct VertexData {
   bool separate, vertex_id, instance_id, indexed_draw, first_vertex, base_instance, draw_id;
   uint64_t outputs, inputs;            // bit masks of Mesa's numbers
   std::vector<int> slots;              // of the VUE: what is in each, OutCount: nothing
   uint32_t read_length, entry_size, attribute_slots, clip_mask, cull_mask;

   bool ids() const { return vertex_id || instance_id || first_vertex || base_instance; }
   bool draw() const { return draw_id || indexed_draw; }
};

// The slots that a program has which writes these outputs.
inline std::vector<int> vue_slots(uint64_t outputs, bool separate)
{
   auto has = [&](uint32_t v) { return outputs >> v & 1; };
   std::vector<int> s{int(OutPointSize), int(OutPosition)};
   for (uint32_t v : {OutDistance0, OutDistance1})
      if (has(v))
         s.push_back(int(v));
   if (s.size() % 2)
      s.push_back(int(OutCount));
   for (uint32_t v = 1; v < OutLocation0; v++) {
      const bool placed = v == OutPointSize || v == OutDistance0 || v == OutDistance1 || v == OutLayer ||
                          v == OutViewport || v == OutShadingRate;
      if (has(v) && !placed)
         s.push_back(int(v));
   }
   const size_t first = s.size();
   for (uint32_t v = OutLocation0; v < OutCount; v++) {
      if (!has(v))
         continue;
      if (separate)
         s.resize(first + v - OutLocation0, int(OutCount));
      s.push_back(int(v));
   }
   return s;
}

inline VertexData vertex_data(const Program &p)
{
   const Bytes &w = p.prog;
   expect(w.size() == VsProgData, "vertex prog data of " + std::to_string(w.size()) + " bytes");
   VertexData d{};
   d.outputs = w.u64(120);
   d.separate = w.flag(128);
   const uint32_t n = w.u32(324);
   expect(n >= 2 && n <= OutCount, "VUE of " + std::to_string(n) + " slots");
   expect(w.u32(328) == 1 && w.u32(332) == 0 && w.u32(336) == 0, "one position in the VUE, nothing for patches");
   for (uint32_t i = 0; i < n; i++)
      d.slots.push_back(w.u8(225 + i));
   expect(d.slots == vue_slots(d.outputs, d.separate), "order of the VUE's slots");
   for (uint32_t v = 0; v <= OutCount; v++) {      // the rest is left alone: it is for patches
      int slot = -1;
      for (uint32_t i = 0; i < n && v < OutCount; i++)
         if (d.slots[i] == int(v))
            slot = int(i);
      expect(int8_t(w.u8(129 + v)) == slot, "slot of output " + std::to_string(v));
      expect(v < n || w.u8(225 + v) == OutCount, "slots behind the VUE");
   }
   expect(!w.flag(344), "no handles of other VUEs");
   d.read_length = w.u32(348);
   d.clip_mask = w.u32(356);
   d.cull_mask = w.u32(360);
   expect(!(d.clip_mask & d.cull_mask) && (d.clip_mask | d.cull_mask) < 256, "masks of distances");
   d.entry_size = w.u32(364);
   expect(w.u32(368) == 3, "dispatch of 8 vertices");
   d.inputs = w.u64(376);
   expect(!(d.inputs & ((1u << AttributeLocation0) - 1)) && d.inputs >> (AttributeLocation0 + 32) == 0,
          "attributes by location");
   d.attribute_slots = w.u32(392);
   d.vertex_id = w.flag(396), d.instance_id = w.flag(397), d.indexed_draw = w.flag(398);
   d.first_vertex = w.flag(399), d.base_instance = w.flag(400), d.draw_id = w.flag(401);
   const uint32_t slots = uint32_t(__builtin_popcountll(d.inputs)) + d.ids() + d.draw();
   expect(d.attribute_slots == slots && d.read_length == (slots + 1) / 2, "number of attributes");
   expect(d.entry_size == (std::max(slots, n) + 3) / 4, "size of the URB entry");
   expect(p.prog.u32(80) == 2, "start of the push constants");
   return d;
}

// Slots that the program writes, from the driver's listing of its messages.
inline std::set<uint32_t> written_slots(const std::string &listing)
{
   std::set<uint32_t> slots;
   for (size_t at = 0; (at = listing.find("urb MsgDesc:", at)) != std::string::npos; at++) {
      const std::string l = listing.substr(at, listing.find('\n', at) - at);
      auto number = [&](const char *word) {
         const size_t k = l.find(word);
         return k == std::string::npos ? 0u : uint32_t(strtoul(l.c_str() + k + strlen(word), nullptr, 10));
      };
      expect(l.find("SIMD8 write") != std::string::npos && l.find("masked") == std::string::npos &&
                l.find("per-slot") == std::string::npos, "plain writes to the URB");
      const uint32_t data = number(" ex_mlen ") ? number(" ex_mlen ") : number(" mlen ") - 1;
      expect(number(" mlen ") > 0 && data > 0 && data <= 8 && data % 4 == 0, "whole slots in a write to the URB");
      for (uint32_t k = 0; k < data / 4; k++)
         expect(slots.insert(number(" offset ") + k).second, "each slot written once");
   }
   return slots;
}

// The locations that are read; each has a slot, in this order.
inline std::string attributes(const VertexData &d, const reflect::Interface &io)
{
   std::vector<uint32_t> out;
   for (uint32_t l = 0; l < 32; l++) {
      if (!(d.inputs >> (AttributeLocation0 + l) & 1))
         continue;
      expect(!variables(io.inputs, l).empty(), "the shader has no input at location " + std::to_string(l));
      out.push_back(l);
   }
   return numbers(out);
}

// The draw's values that are read. The first four are in a slot after the attributes, in components of their own, the
// others in the next one.
inline std::string system_values(const VertexData &d)
{
   std::vector<std::string> out;
   const std::pair<const char *, bool> names[] = {
      {"first_vertex", d.first_vertex}, {"base_instance", d.base_instance}, {"vertex_id_from_zero", d.vertex_id},
      {"instance_id_from_zero", d.instance_id}, {"draw_id", d.draw_id}, {"is_indexed_draw", d.indexed_draw}};
   for (auto &[name, used] : names)
      if (used)
         out.push_back(json::quote(name));
   return array(out);
}

struct VertexOutputs {
   std::string locations, vue;
};

inline VertexOutputs vertex_outputs(const VertexData &d, const reflect::Interface &io, const std::set<uint32_t> &written)
{
   std::vector<std::string> out, locations;
   for (uint32_t i = 0; i < d.slots.size(); i++) {
      const uint32_t v = uint32_t(d.slots[i]);
      const bool writes = written.count(i);
      if (v == OutCount) {
         expect(!writes, "unused VUE slot " + std::to_string(i) + " is written");
         continue;
      }
      Object o;
      o.num("slot", i);
      if (v == OutPointSize) {
         std::vector<std::string> parts;
         const std::pair<const char *, uint32_t> names[4] = {{"shading_rate", OutShadingRate}, {"layer", OutLayer},
                                                             {"viewport", OutViewport}, {"point_size", OutPointSize}};
         for (uint32_t c = 0; c < 4; c++)
            parts.push_back(Object().num("component", c).str("builtin", names[c].first)
                               .yes("from_shader", d.outputs >> names[c].second & 1).text());
         o.str("what", "header").raw("parts", array(parts));
      } else if (v == OutDistance0 || v == OutDistance1) {
         std::vector<std::string> parts;
         uint32_t cull = uint32_t(__builtin_popcount(d.clip_mask));   // cull distances follow the clip distances
         for (uint32_t c = 0; c < 4; c++) {
            const uint32_t bit = c + (v == OutDistance1 ? 4 : 0);
            if (d.clip_mask >> bit & 1)
               parts.push_back(Object().num("component", c).str("builtin", "clip_distance").num("element", bit).text());
            if (d.cull_mask >> bit & 1)
               parts.push_back(Object().num("component", c).str("builtin", "cull_distance").num("element", bit - cull).text());
         }
         expect(!writes || !parts.empty(), "distances that nobody made");
         o.str("what", "distances").raw("parts", array(parts));
      } else if (v >= OutLocation0) {
         const auto vars = variables(io.outputs, v - OutLocation0);
         expect(!vars.empty(), "the shader has no output at location " + std::to_string(v - OutLocation0));
         o.str("what", "location").num("location", v - OutLocation0);
         if (writes)
            locations.push_back(Object().num("location", v - OutLocation0).raw("parts", array(vars)).text());
      } else {
         o.str("what", varying_name(v) ? varying_name(v) : "varying " + std::to_string(v));
      }
      out.push_back(o.yes("written", writes).text());
   }
   for (uint32_t s : written)
      expect(s < d.slots.size(), "the program writes slot " + std::to_string(s) + " of a VUE of " +
                                    std::to_string(d.slots.size()));
   expect(written.count(0), "the header is written");
   return {rows(locations), rows(out)};
}

inline StageParts vertex_part(const Program &p, const reflect::Interface &io, const std::string &listing,
                               uint32_t push_registers, uint32_t view_mask)
{
   // ANV does not offer storageInputOutput16, and its code for such modules follows no
   // layout: it reads halves of registers that vertex fetch fills whole.
   for (auto *list : {&io.inputs, &io.outputs})
      for (auto &x : *list)
         if (x.bits < 32)
            throw std::runtime_error("the shader has " + std::to_string(x.bits) + "-bit inputs or outputs, which the driver does not offer");
   const VertexData d = vertex_data(p);
   expect(p.curb_read_length() == push_registers, "push ranges of " + std::to_string(push_registers) +
                                                     " registers, read length " + std::to_string(p.curb_read_length()));
   const VertexOutputs outputs = vertex_outputs(d, io, written_slots(listing));
   Object o, i;
   o.raw("attributes", attributes(d, io)).raw("system_values", system_values(d)).raw("outputs", outputs.locations);
   i.num("setup_first_register", 2 + push_registers).num("setup_slots", d.attribute_slots);
   i.num("vue_slots", d.slots.size()).num("urb_entry_size", d.entry_size);
   i.num("clip_distance_mask", d.clip_mask).num("cull_distance_mask", d.cull_mask).raw("vue", outputs.vue);
   // There is one position (vertex_data), so primitives are not replicated: anv_pipeline.c, instance_multiplier.
   if (view_mask)
      o.raw("views", Object().num("mask", view_mask)
                        .num("instance_multiplier", uint32_t(__builtin_popcount(view_mask))).text());
   return {o.text(), i.text()};
}

}   // namespace launch
