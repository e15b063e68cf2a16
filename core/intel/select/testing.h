// Helpers that the tests of selection share: a module of MIR text, and the LIR that is selected for
// it.
#ifndef KILN_CORE_INTEL_SELECT_TESTING_H_
#define KILN_CORE_INTEL_SELECT_TESTING_H_

#include <string>
#include <string_view>
#include <vector>

#include "core/intel/abi/uniform_ranges.h"
#include "core/intel/device/device.h"

namespace kiln::intel {

// Returns the LIR of a body at a width, without the end of the thread and the code before the first
// instruction of a body of one block; a line feed first, and each line indented. Or the error's
// text. The body may use 16 bytes of push constants, shared memory, private 0 of 64 bytes, and
//    0 ssbo            1 ubo                   8 ssbo, array of 4
//    2 image 2d        3 sampler               5 combined 2d arrayed       11 image 2d multisampled
//    9 images 2d, 4    10 combined 2d, 4
//    4 storage r8      6 storage r32ui         7 storage r11g11b10f        12 storage rgb10a2
//   13 storage cube rgba8
std::string Selected(std::string_view body, int width, const Device& device = Tgl());

// Returns the LIR of a fragment's body and of its end at a width, from the live-ins on; or the
// error's text. With several samples each lane is one.
//   inputs  0 f32 x4 at location 0    1 i32 at 1, flat    2 f32 x2 at 2, centroid
//           3 f32 at 3, array of 3    4 layer             5 frag_coord
//           6 front_facing            7 sample_id         8 sample_position   9 sample_mask
//   outputs 0 f32 x4 at location 0    1 i32 x2 at 2       2 sample_mask
//   resources 0 ssbo   1 combined image 2d   2 ubo   3 ubo, array of 2
// `ranges` of uniform buffers are pushed.
std::string SelectedFragment(std::string_view body, int width, int samples = 1,
                             std::vector<UniformRange> ranges = {}, bool alpha_to_coverage = false);

// Returns the LIR of a vertex shader's body and of its end, from the live-ins on; or the error's
// text.
//   inputs  0 f32 x4 at location 0   1 i32 x2 at 2, component 1   2 f32 at 3, array of 2
//           3 f16 at 5   4 vertex_index   5 draw_index
//   outputs 0 f32 x4 at location 0   1 i32 x2 at 2, component 1   2 f16 at 3   3 position
//           4 point_size             5 two clip distances         6 one cull distance
std::string SelectedVertex(std::string_view body);

// Returns the LIR, from the live-ins on, of a vertex shader that stores InstanceIndex and ViewIndex
// at location 0, or of a fragment shader that stores ViewIndex, for the views of a mask.
std::string SelectedViews(bool fragment, uint32_t view_mask);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_SELECT_TESTING_H_
