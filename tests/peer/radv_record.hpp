// Launch records: the state to set up before a program compiled by Mesa's RADV driver for navi21
// (gfx1030) can be executed. README.md describes them.
//
// Facts from Mesa 25.0.7: order of user SGPRs in amd/vulkan/radv_shader_args.c, layout of descriptor
// sets in radv_descriptor_set.c (radv_CreateDescriptorSetLayout), upper halves of addresses in
// winsys/null/radv_null_winsys.c, scratch in amd/compiler/aco_lower_to_hw_instr.cpp
// (hw_init_scratch).
#pragma once

#include "launch_record.hpp"
#include "radv_stages.hpp"

namespace radv {

// ---- descriptors --------------------------------------------------------------

// The descriptors of a binding's element in its set's memory.
struct Layout {
   uint32_t bytes, align;
   const char *form;
};

inline Layout layout_of(const std::string &kind)
{
   if (kind == "ubo" || kind == "ssbo" || kind == "uniform_texel_buffer" || kind == "storage_texel_buffer")
      return {16, 16, "buffer_resource"};
   if (kind == "sampler")
      return {16, 16, "sampler_resource"};
   if (kind == "storage_image")
      return {32, 32, "image_resource"};
   if (kind == "sampled_image" || kind == "input_attachment")
      return {64, 32, "image_resource"};
   if (kind == "combined_image_sampler")
      return {96, 32, "image_resource"};
   refuse("descriptors of kind " + kind);
}

constexpr uint32_t CombinedSamplerAt = 80;

// The bindings of the sets that the program uses, by set and binding.
inline std::vector<launch::Slot> used_slots(const Shader &s, const Input &in)
{
   std::vector<launch::Slot> out;
   for (auto &b : in.io->bindings)
      refuse_if(b.aliased, "set " + std::to_string(b.set) + " binding " + std::to_string(b.binding) +
                              " is aliased with another type");
   for (auto &slot : *in.slots)
      if (slot.set < MaxSets && s.info.u32(12) >> slot.set & 1)
         out.push_back(slot);
   std::sort(out.begin(), out.end(),
             [](auto &a, auto &b) { return std::make_pair(a.set, a.binding) < std::make_pair(b.set, b.binding); });
   return out;
}

// Offsets of the bindings: first those whose alignment is not the last binding's, then the others.
inline std::vector<uint32_t> offsets(const std::vector<launch::Slot> &slots)
{
   std::vector<uint32_t> out(slots.size());
   for (size_t from = 0, to; from < slots.size(); from = to) {
      for (to = from; to < slots.size() && slots[to].set == slots[from].set;)
         to++;
      const uint32_t last = layout_of(slots[to - 1].kind).align;
      uint32_t at = 0;
      for (bool second : {false, true})
         for (size_t i = from; i < to; i++) {
            const Layout l = layout_of(slots[i].kind);
            if ((l.align == last) != second)
               continue;
            out[i] = at = (at + l.align - 1) / l.align * l.align;
            at += slots[i].count * l.bytes;
         }
   }
   return out;
}

inline std::string descriptor_memory(const std::vector<launch::Slot> &slots)
{
   std::vector<std::string> out;
   const std::vector<uint32_t> at = offsets(slots);
   for (size_t i = 0; i < slots.size(); i++) {
      const launch::Slot &s = slots[i];
      const Layout l = layout_of(s.kind);
      auto add = [&](uint32_t offset, const char *form) {
         out.push_back(Object().num("memory", s.set).num("resource", i).num("element", 0).num("count", s.count)
                          .num("offset", offset).num("stride", l.bytes).str("form", form).text());
      };
      add(at[i], l.form);
      if (s.kind == "combined_image_sampler")
         add(at[i] + CombinedSamplerAt, "sampler_resource");
   }
   return rows(out);
}

// ---- user SGPRs ---------------------------------------------------------------

struct UserSgprs {
   std::string text, push;              // AMD's list; the common part's push data
   uint32_t push_first = 0, push_count = 0;
   bool client = false;                 // the program reads the client's push constants
};

// Collects what the user SGPRs hold; each is named once, up to the number in rsrc2.
class Collector {
public:
   explicit Collector(const Shader &s) : s_(s), base_(s.ngg() ? 8 : 0) {}

   void add(UserData data, std::initializer_list<const char *> names)
   {
      const Sgprs r = s_.user_sgprs(data);
      seen_ |= 1u << data;
      if (!r.count)
         return;
      expect(r.count == names.size(), "user SGPRs of kind " + std::to_string(data));
      uint32_t at = r.first + base_;
      for (const char *name : names)
         row(at++, name);
   }
   void row(uint32_t sgpr, const char *name, std::optional<uint32_t> memory = {})
   {
      take(sgpr);
      if (!*name)               // named with the SGPR before
         return;
      Object o;
      o.num("sgpr", sgpr).str("what", name);
      if (memory)
         o.num("memory", *memory);
      rows_.push_back({sgpr, o.text()});
   }
   void ring_table(const char *name)
   {
      const Sgprs r = s_.user_sgprs(RingOffsets);
      seen_ |= 1u << RingOffsets;
      expect(r.first == 0 && r.count == 2, "user SGPRs of kind 0");
      rows_.push_back({0, Object().num("sgpr", 0).str("what", name).text()});
      if (!base_)
         take(0), take(1);
   }
   void sets()
   {
      for (uint32_t i = 0; i < MaxSets; i++)
         if (const Sgprs r = s_.set_sgprs(i); r.count)
            row(r.first + base_, "descriptor_memory", i);
   }
   // Push data are these SGPRs, of which there may be two groups that follow each other.
   void push(UserData data, UserSgprs &out)
   {
      const Sgprs r = s_.user_sgprs(data);
      seen_ |= 1u << data;
      if (!r.count)
         return;
      const uint32_t first = r.first + base_;
      if (!out.push_count)
         out.push_first = first;
      expect(first == out.push_first + out.push_count, "push data in consecutive SGPRs");
      out.push_count += r.count;
      for (uint32_t i = 0; i < r.count; i++)
         take(first + i);
   }
   std::string text()
   {
      for (uint32_t i = 0; i < UserDataCount; i++)
         refuse_if(s_.user_sgprs(i).count && !(seen_ >> i & 1), "user SGPRs of kind " + std::to_string(i));
      const uint32_t count = (s_.rsrc(2) >> 1 & 31) | (s_.stage() != StageCompute ? s_.rsrc(2) >> 27 & 1 : 0) << 5;
      expect(taken_ == ((1ull << count) - 1) << base_, "each user SGPR is known");
      std::sort(rows_.begin(), rows_.end());
      std::vector<std::string> out;
      for (auto &r : rows_)
         out.push_back(r.second);
      return rows(out);
   }

private:
   const Shader &s_;
   const uint32_t base_;                // of primitive shaders, behind those that hardware fills
   uint32_t seen_ = 0;
   uint64_t taken_ = 0;
   std::vector<std::pair<uint32_t, std::string>> rows_;

   void take(uint32_t sgpr)
   {
      expect(!(taken_ >> sgpr & 1), "user SGPR " + std::to_string(sgpr) + " holds one thing");
      taken_ |= 1ull << sgpr;
   }
};

// Inlined push constants: each bit of the mask is a dword of the block.
inline void inlined(const Shader &s, std::vector<std::string> &parts)
{
   const uint32_t count = s.user_sgprs(InlinePushConstants).count;
   uint64_t mask = s.info.u64(0);
   expect(count <= uint32_t(__builtin_popcountll(mask)), "inlined push constants");
   for (uint32_t i = 0; i < count; i++, mask &= mask - 1)
      parts.push_back(Object().num("at", 4 * i).num("bytes", 4).str("source", "client_push_constants")
                         .num("offset", 4 * uint32_t(__builtin_ctzll(mask))).text());
}

inline UserSgprs user_sgprs(const Shader &s)
{
   UserSgprs r;
   Collector c(s);
   c.ring_table(s.stage() == StageCompute ? "scratch_base" : "driver_table");
   c.sets();
   c.add(IndirectDescriptorSets, {"descriptor_memories"});
   c.add(PushConstants, {"push_constants"});
   c.push(InlinePushConstants, r);
   std::vector<std::string> parts;
   inlined(s, parts);
   if (s.stage() == StageCompute) {
      c.push(GridSize, r);
      if (const uint32_t n = s.user_sgprs(GridSize).count) {
         expect(n == 3, "number of workgroups");
         parts.push_back(Object().num("at", 4 * (r.push_count - n)).num("bytes", 4 * n).str("source", "num_workgroups")
                            .num("offset", 0).text());
      }
   } else {
      c.add(ViewIndex, {"view_index"});
   }
   if (s.stage() == StageFragment)
      c.add(PixelState, {"pixel_state"});
   if (s.stage() == StageVertex) {
      const bool draw = s.info.flag(344), instance = s.info.flag(369);
      c.add(VertexBuffers, {"vertex_buffers"});
      if (draw && instance)
         c.add(BaseVertexStartInstance, {"first_vertex", "draw_id", "base_instance"});
      else if (draw || instance)
         c.add(BaseVertexStartInstance, {"first_vertex", draw ? "draw_id" : "base_instance"});
      else
         c.add(BaseVertexStartInstance, {"first_vertex"});
      c.add(NggCullingSettings, {"ngg_culling"});
      c.add(NggViewport, {"ngg_viewport", "", "", ""});
   }
   r.text = c.text();
   r.push = rows(parts);
   r.client = s.user_sgprs(InlinePushConstants).count || s.user_sgprs(PushConstants).count;
   return r;
}

// ---- the record ---------------------------------------------------------------

constexpr uint32_t AddressHigh = 0xffff8000;   // of all addresses that the driver passes as 32 bits

inline std::string amd_part(const Shader &s, const std::string &stage, const StageParts &parts, const UserSgprs &user)
{
   Object o;
   o.num("rsrc1", s.rsrc(1)).num("rsrc2", s.rsrc(2)).num("rsrc3", s.rsrc(3)).num("vgprs", s.vgprs());
   o.num("instruction_bytes", s.instruction_bytes).num("address_high", AddressHigh);
   o.num("push_first_sgpr", user.push_first).num("push_sgprs", user.push_count);
   o.raw("user_sgprs", user.text);
   if (!parts.amd.empty())
      o.raw(stage.c_str(), parts.amd);
   return o.text();
}

// Throws if records cannot describe the program.
inline std::string record(const Shader &s, const Input &in)
{
   refuse_if(in.target != "navi21", "records are for navi21, not " + in.target);
   refuse_if(s.stage() != StageCompute && s.stage() != StageFragment && s.stage() != StageVertex, "stage " + in.stage);
   refuse_if(in.linked && s.stage() != StageCompute, "linked program, whose inputs and outputs the driver may have moved");
   refuse_if(s.info.flag(10), "dynamic buffers");
   const std::vector<launch::Slot> slots = used_slots(s, in);
   launch::Resources resources;
   for (auto &slot : slots)
      resources.add(slot, slot.count);
   const std::string memory = descriptor_memory(slots);
   const StageParts parts = s.stage() == StageCompute    ? compute_part(s, in)
                            : s.stage() == StageFragment ? fragment_part(s, in)
                                                         : vertex_part(s, in);
   const UserSgprs user = user_sgprs(s);
   std::vector<std::pair<std::string, std::string>> top;
   auto add = [&](const std::string &k, const std::string &v) { top.push_back({k, v}); };
   add("record_version", "2");
   add("target", json::quote("gfx1030"));
   add("file", json::quote(in.file));
   add("entry_point", json::quote(in.entry));
   add("stage", json::quote(in.stage));
   add("code_bytes", std::to_string(s.code.size()));
   add("entry", "0");
   add("dispatch_width", std::to_string(s.wave_size()));
   add("resources", resources.text());
   add("push_constant_bytes", std::to_string(user.client ? in.io->push_size : 0));
   add("push_data", user.push);
   add("descriptor_memory", memory);
   add("shared_bytes", std::to_string(s.lds_bytes()));
   add("scratch_bytes_per_thread", std::to_string(s.scratch_bytes()));
   add(in.stage, parts.common);
   add("amd", amd_part(s, in.stage, parts, user));
   return launch::document(top);
}

}   // namespace radv
