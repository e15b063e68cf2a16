// Jobs: the data on which a program is run, as JSON.
//
//   {"dispatch": [X, Y, Z], "base": [X, Y, Z], "push": DATA,
//    "resources": [{"set", "binding", "index", "name", "data": DATA, "size": BYTES, "as", "out"}],
//    "draw": {...}, "vertices": {...}}
//
// DATA is explained in job_data.h. "base" is that of vkCmdDispatchBase; the shader is to be
// compiled for it. "draw" and "vertices" are what fragment and vertex shaders are run on (draw.h,
// vertices.h). Resources are buffers; with "format" images ("width", "height", "depth",
// "layers", "levels", "dim": 1d 2d 3d cube, 1d_array ...) or, without a width, texel buffers; with
// "filter" samplers ("mipmap", "address", "border", "compare", "min_lod", "max_lod", "lod_bias",
// "unnormalized"). "as" is the type in which a resource is wanted back, "out" a file for its bytes.
// "index" is the element of an array: one that is not given is the same resource as one that is,
// and an array without length ends with the last one given. The same jobs run on lavapipe
// (tests/peer, run-peer exec); "shader" and "entry", which mean something there only, are
// ignored; "spec" is explained in job_spec.h. Any other key is an error, and so is what is given
// twice, a number that is negative, broken or too large where a count is meant, and more data than
// an image has.
#ifndef KILN_CLIENT_RUN_JOB_H_
#define KILN_CLIENT_RUN_JOB_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/out/launch_record.h"
#include "core/sim/eu/simulator.h"
#include "nlohmann/json.hpp"

namespace kiln::client::run {

// A resource whose bytes can be looked at after the run.
struct Output {
  bool is_image = false;
  size_t index = 0;  // into Dispatch::images or buffers
  out::DescriptorRef where;
  std::string name;
  std::string as;    // "f32", ..., "hex"; empty: not said
  std::string file;  // empty: none
};

struct Job {
  sim::eu::Dispatch dispatch;
  std::vector<Output> outputs;    // in order of the job's resources
  std::vector<std::string> spec;  // specialisation constants, ID=TYPE:VALUE (spec_constant.h)
  // As they are, null where they are not given: what reads them knows the program.
  nlohmann::json draw, vertices;
  bool dispatches = false;  // "dispatch" or "base" is given
};

// Files named by the job are relative to `folder`. InvalidArgument says what is wrong.
absl::StatusOr<Job> ReadJob(const std::string& text, const std::string& folder);

absl::Span<const uint8_t> BytesOf(const Output& output, const sim::eu::Dispatch& dispatch);

}  // namespace kiln::client::run

#endif  // KILN_CLIENT_RUN_JOB_H_
