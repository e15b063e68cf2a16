// The contents of attachments after a draw, as the job requests them with "as" and "out".
#ifndef KILN_CLIENT_RUN_DRAW_RESULTS_H_
#define KILN_CLIENT_RUN_DRAW_RESULTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/sim/scene/fragment.h"
#include "nlohmann/json.hpp"

namespace kiln::client::run {

struct DrawResult {
  std::string name;       // "location 0", "depth", "stencil", "coverage", "written_samples"
  uint32_t location = 0;  // of colours
  std::string as, file;   // as of Output (job.h)
  std::vector<uint8_t> bytes;
};

// Returns the attachments that the draw gives "as" or "out": colours in the format of the target,
// or four 32-bit components; with "resolve" one sample a pixel. Depth is in its format, stencil has
// a byte for each sample, coverage and written samples have a dword for each pixel. `draw` has been
// read by ReadDraw.
std::vector<DrawResult> DrawResults(const nlohmann::json& draw,
                                    const sim::scene::FragmentInputs& in);

}  // namespace kiln::client::run

#endif  // KILN_CLIENT_RUN_DRAW_RESULTS_H_
