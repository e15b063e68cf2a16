// See launch_amd_convert.h.
#include "proto/launch_amd_convert.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "proto/launch_names.h"
#include "proto/launch_tables.h"

namespace kiln::proto {
namespace {

constexpr uint32_t kSgprs = 106;  // that have numbers, without VCC

absl::Status ReadSgprs(const v1::LaunchAmd& in, const out::LaunchRecord& record,
                       out::AmdLaunch& r) {
  r.push_first_sgpr = in.push_first_sgpr();
  r.push_sgprs = in.push_sgprs();
  if (r.push_first_sgpr > kSgprs || r.push_sgprs > kSgprs - r.push_first_sgpr) {
    return Wrong("push data in SGPRs that do not exist");
  }
  for (const out::PushPart& p : record.push) {
    if (uint64_t{p.at} + p.bytes > uint64_t{4} * r.push_sgprs) {
      return Wrong(absl::StrCat("push data at byte ", p.at, " of ", 4 * r.push_sgprs));
    }
  }
  for (const v1::LaunchAmdSgpr& u : in.user_sgprs()) {
    const std::optional<out::SgprContent> what = Value(kSgprContents, u.what());
    if (!what) return Unknown("content of SGPRs", u.what());
    if (u.sgpr() >= kSgprs) return Wrong(absl::StrCat("SGPR ", u.sgpr()));
    r.user_sgprs.push_back({u.sgpr(), *what, u.memory()});
  }
  return absl::OkStatus();
}

absl::Status ReadFragment(const v1::LaunchAmdFragment& in, size_t inputs, out::AmdFragment& r) {
  r.spi_ps_input_ena = in.spi_ps_input_ena();
  r.spi_ps_input_addr = in.spi_ps_input_addr();
  r.spi_shader_col_format = in.spi_shader_col_format();
  r.cb_shader_mask = in.cb_shader_mask();
  r.spi_shader_z_format = in.spi_shader_z_format();
  r.db_shader_control = in.db_shader_control();
  if (static_cast<size_t>(in.spi_ps_input_cntl_size()) != inputs) {
    return Wrong(
        absl::StrCat(in.spi_ps_input_cntl_size(), " attributes for ", inputs, " fragment inputs"));
  }
  r.spi_ps_input_cntl.assign(in.spi_ps_input_cntl().begin(), in.spi_ps_input_cntl().end());
  return absl::OkStatus();
}

absl::Status ReadAttributes(const v1::LaunchAmdVertex& in, const std::vector<uint32_t>& locations,
                            out::AmdVertex& r) {
  for (const v1::LaunchAmdAttribute& a : in.attributes()) {
    if (std::find(locations.begin(), locations.end(), a.location()) == locations.end()) {
      return Wrong(absl::StrCat("attribute at location ", a.location(), " is not read"));
    }
    r.attributes.push_back({a.location(), a.buffer(), a.offset(), a.stride(), a.components(),
                            a.type(), a.bits(), a.typed(), a.per_instance(), a.divisor()});
  }
  return absl::OkStatus();
}

absl::Status ReadVertex(const v1::LaunchAmdVertex& in, const out::VertexLaunch& common,
                        out::AmdVertex& r) {
  if (absl::Status s = ReadAttributes(in, common.attributes, r); !s.ok()) return s;
  r.primgen_passthru_en = in.primgen_passthru_en();
  r.ge_cntl = in.ge_cntl();
  r.spi_shader_pos_format = in.spi_shader_pos_format();
  r.pa_cl_vs_out_cntl = in.pa_cl_vs_out_cntl();
  r.spi_vs_out_config = in.spi_vs_out_config();
  r.ge_max_output_per_subgroup = in.ge_max_output_per_subgroup();
  r.ge_ngg_subgrp_cntl = in.ge_ngg_subgrp_cntl();
  r.vgt_gs_onchip_cntl = in.vgt_gs_onchip_cntl();
  r.spi_shader_idx_format = in.spi_shader_idx_format();
  r.vgt_shader_stages_en = in.vgt_shader_stages_en();
  for (const v1::LaunchAmdParameter& p : in.parameters()) {
    r.parameters.push_back({p.location(), p.builtin(), p.spi_ps_input_cntl(), p.per_primitive()});
  }
  return absl::OkStatus();
}

void WriteFragment(const out::AmdFragment& r, v1::LaunchAmdFragment& result) {
  result.set_spi_ps_input_ena(r.spi_ps_input_ena);
  result.set_spi_ps_input_addr(r.spi_ps_input_addr);
  result.set_spi_shader_col_format(r.spi_shader_col_format);
  result.set_cb_shader_mask(r.cb_shader_mask);
  result.set_spi_shader_z_format(r.spi_shader_z_format);
  result.set_db_shader_control(r.db_shader_control);
  for (const uint32_t value : r.spi_ps_input_cntl) result.add_spi_ps_input_cntl(value);
}

void WriteVertex(const out::AmdVertex& r, v1::LaunchAmdVertex& result) {
  for (const out::AmdAttribute& attribute : r.attributes) {
    v1::LaunchAmdAttribute& a = *result.add_attributes();
    a.set_location(attribute.location);
    a.set_buffer(attribute.buffer);
    a.set_offset(attribute.offset);
    a.set_stride(attribute.stride);
    a.set_components(attribute.components);
    a.set_type(attribute.type);
    a.set_bits(attribute.bits);
    a.set_typed(attribute.typed);
    a.set_per_instance(attribute.per_instance);
    a.set_divisor(attribute.divisor);
  }
  result.set_primgen_passthru_en(r.primgen_passthru_en);
  result.set_ge_cntl(r.ge_cntl);
  result.set_spi_shader_pos_format(r.spi_shader_pos_format);
  result.set_pa_cl_vs_out_cntl(r.pa_cl_vs_out_cntl);
  result.set_spi_vs_out_config(r.spi_vs_out_config);
  result.set_ge_max_output_per_subgroup(r.ge_max_output_per_subgroup);
  result.set_ge_ngg_subgrp_cntl(r.ge_ngg_subgrp_cntl);
  result.set_vgt_gs_onchip_cntl(r.vgt_gs_onchip_cntl);
  result.set_spi_shader_idx_format(r.spi_shader_idx_format);
  result.set_vgt_shader_stages_en(r.vgt_shader_stages_en);
  for (const out::AmdParameter& parameter : r.parameters) {
    v1::LaunchAmdParameter& p = *result.add_parameters();
    p.set_location(parameter.location);
    p.set_builtin(parameter.builtin);
    p.set_spi_ps_input_cntl(parameter.spi_ps_input_cntl);
    p.set_per_primitive(parameter.per_primitive);
  }
}

}  // namespace

absl::Status ReadAmd(const v1::LaunchAmd& in, out::LaunchRecord& result) {
  if (result.dispatch_width != 32 && result.dispatch_width != 64) {
    return Wrong(absl::StrCat("waves of ", result.dispatch_width, " lanes"));
  }
  out::AmdLaunch& r = result.arch.emplace<out::AmdLaunch>();
  r.rsrc1 = in.rsrc1();
  r.rsrc2 = in.rsrc2();
  r.rsrc3 = in.rsrc3();
  r.vgprs = in.vgprs();
  r.instruction_bytes = in.instruction_bytes();
  r.address_high = in.address_high();
  r.preferred_wave_size = in.preferred_wave_size();
  if (r.instruction_bytes > result.code_bytes) {
    return Wrong(absl::StrCat(r.instruction_bytes, " bytes of instructions in ", result.code_bytes,
                              " bytes of code"));
  }
  if (absl::Status s = ReadSgprs(in, result, r); !s.ok()) return s;
  if (in.has_fragment()) {
    absl::Status s = ReadFragment(in.fragment(), result.fragment.inputs.size(), r.fragment);
    if (!s.ok()) return s;
  }
  return in.has_vertex() ? ReadVertex(in.vertex(), result.vertex, r.vertex) : absl::OkStatus();
}

void WriteAmd(const out::LaunchRecord& record, v1::LaunchAmd& result) {
  const out::AmdLaunch& r = out::AmdOf(record);
  result.set_rsrc1(r.rsrc1);
  result.set_rsrc2(r.rsrc2);
  result.set_rsrc3(r.rsrc3);
  result.set_vgprs(r.vgprs);
  result.set_instruction_bytes(r.instruction_bytes);
  result.set_address_high(r.address_high);
  result.set_preferred_wave_size(r.preferred_wave_size);
  result.set_push_first_sgpr(r.push_first_sgpr);
  result.set_push_sgprs(r.push_sgprs);
  for (const out::UserSgpr& user : r.user_sgprs) {
    v1::LaunchAmdSgpr& u = *result.add_user_sgprs();
    u.set_sgpr(user.sgpr);
    u.set_what(NameFor(kSgprContents, user.what));
    u.set_memory(user.memory);
  }
  if (record.stage == "fragment") WriteFragment(r.fragment, *result.mutable_fragment());
  if (record.stage == "vertex") WriteVertex(r.vertex, *result.mutable_vertex());
}

}  // namespace kiln::proto
