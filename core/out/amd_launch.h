// AMD's part of the launch record (gfx1030): values of the registers that start waves, and what the
// user SGPRs hold.
//
// Fields that are named like a register or a field of one have its value (registers of Mesa's
// amd/registers/gfx103.json, AMDGPUUsage of LLVM; tests/peer/README.md, "AMD's part"). The number
// of lanes is LaunchRecord::dispatch_width, the LDS of a workgroup LaunchRecord::shared_bytes, the
// scratch of a wave LaunchRecord::scratch_bytes_per_thread.
#ifndef KILN_CORE_OUT_AMD_LAUNCH_H_
#define KILN_CORE_OUT_AMD_LAUNCH_H_

#include <cstdint>
#include <string>
#include <vector>

namespace kiln::out {

// Contents of user SGPRs, beside push data. They take one SGPR unless the row says otherwise; of an
// address in one SGPR it is the low half, and AmdLaunch::address_high is the high one.
enum class SgprContent : uint8_t {
  kScratchBase,       // 2 SGPRs: bits 31:0 of the address of all scratch; 0x80000000 | bits 47:32
  kDriverTable,       // 2 SGPRs: 64-bit address of a table whose first two dwords are kScratchBase
  kDescriptorMemory,  // address of the descriptor memory `memory`
  kDescriptorMemories,  // address of a table: dword n is the address of memory n
  kPushConstants,       // address of the client's push constant block
  kVertexBuffers,       // address of V#s, 4 dwords each (AmdAttribute::buffer)
  kFirstVertex,         // VertexValue::kFirstVertex
  kDrawId,
  kBaseInstance,
  kViewIndex,
  kNggCulling,   // primitives to cull: 0 none; bits in tests/peer/README.md
  kNggViewport,  // 4 SGPRs, floats: scale x, y, offset x, y, in samples
  kPixelState,   // samples [3:0], line mode [5:4], mask of iterated samples [21:6], primitive
                 // [23:22]
};

struct UserSgpr {
  uint32_t sgpr = 0;  // number of the first one
  SgprContent what = SgprContent::kScratchBase;
  uint32_t memory = 0;  // of kDescriptorMemory
};

struct AmdFragment {
  uint32_t spi_ps_input_ena = 0;   // VGPRs that are filled
  uint32_t spi_ps_input_addr = 0;  // and those that have a place
  uint32_t spi_shader_col_format = 0;
  uint32_t cb_shader_mask = 0;
  uint32_t spi_shader_z_format = 0;
  uint32_t db_shader_control = 0;
  // SPI_PS_INPUT_CNTL_n: the n-th of FragmentLaunch::inputs is attribute n. OFFSET[4:0] and
  // DEFAULT_VAL are 0; they come from the vertex program (AmdParameter), as out/ps_input_cntl.h
  // combines the two. With PT_SPRITE_TEX the register is complete.
  std::vector<uint32_t> spi_ps_input_cntl;
};

// A vertex attribute in memory, as the program fetches it: vertex (or instance) i has it at byte
// offset + i * stride of the buffer that the V# describes. If `typed`, the V# is the attribute's
// alone and says where it is, with its stride and format, and which constants stand for components
// that are not given (DST_SEL); offset and stride are 0.
struct AmdAttribute {
  uint32_t location = 0;
  uint32_t buffer = 0;  // number of its V#
  uint32_t offset = 0;  // bytes
  uint32_t stride = 0;  // bytes; also in the V#
  uint32_t components = 0;
  std::string type = {};  // "float", "int", "uint"
  uint32_t bits = 0;      // of a component
  bool typed = false;
  // Instance n has element base instance + n / divisor, or, if that is 0, base instance.
  bool per_instance = false;
  uint32_t divisor = 0;
};

// An output of a vertex program for fragments: a location, or a built-in if `builtin` is not empty.
struct AmdParameter {
  uint32_t location = 0;
  std::string builtin = {};
  // OFFSET and DEFAULT_VAL of SPI_PS_INPUT_CNTL with which a fragment program reads it: the number
  // of the parameter export; or 0x20 and a constant, which replaces the fragment program's
  // register, and then it is not exported.
  uint32_t spi_ps_input_cntl = 0;
  bool per_primitive = false;  // exported by the lanes of primitives; FLAT_SHADE of its input is 0
};

// A vertex program is a primitive shader (NGG).
struct AmdVertex {
  std::vector<AmdAttribute> attributes;
  bool primgen_passthru_en = false;  // v0 holds the packed primitive (VGT_SHADER_STAGES_EN)
  uint32_t ge_cntl = 0;              // PRIM_GRP_SIZE, VERT_GRP_SIZE: limits of a workgroup
  uint32_t spi_shader_pos_format = 0;
  uint32_t pa_cl_vs_out_cntl = 0;
  uint32_t spi_vs_out_config = 0;
  std::vector<AmdParameter> parameters;  // built-ins, then ascending by location
  // Limits of a workgroup again, for other units than ge_cntl: the vertices that it exports,
  // primitives out for each in, what is on the chip at a time.
  uint32_t ge_max_output_per_subgroup = 0;
  uint32_t ge_ngg_subgrp_cntl = 0;
  uint32_t vgt_gs_onchip_cntl = 0;
  uint32_t spi_shader_idx_format = 0;  // of primitives' exports
  // For a pipeline with this program and a fragment program alone.
  uint32_t vgt_shader_stages_en = 0;
};

struct AmdLaunch {
  // COMPUTE_PGM_RSRC1 to 3; SPI_SHADER_PGM_RSRC1 and 2 of PS or GS (rsrc3 is 0).
  uint32_t rsrc1 = 0;
  uint32_t rsrc2 = 0;
  uint32_t rsrc3 = 0;
  uint32_t vgprs = 0;              // that the program uses; rsrc1 has what is allocated
  uint32_t instruction_bytes = 0;  // of the code; constant data that it reads may follow
  uint32_t address_high = 0;       // bits 63:32 of addresses that are passed in one SGPR
  // True for one of the wave sizes of a compile: the one with the best throughput by the cost model
  // (Kiln's binaries only). Advice for drivers; the hardware has no such field.
  bool preferred_wave_size = false;
  // The push data is these SGPRs (LaunchRecord::push), 4 bytes each.
  uint32_t push_first_sgpr = 0;
  uint32_t push_sgprs = 0;
  std::vector<UserSgpr> user_sgprs;  // ascending
  AmdFragment fragment;              // of the record's stage
  AmdVertex vertex;
};

}  // namespace kiln::out

#endif  // KILN_CORE_OUT_AMD_LAUNCH_H_
