// Jobs: the data on which a program is run, as JSON.
//
//   {"dispatch": [X, Y, Z], "base": [X, Y, Z], "push": DATA,
//    "resources": [{"set", "binding", "index", "name", "data": DATA, "size": BYTES, "as", "out"}],
//    "draw": {...}, "vertices": {...}, "spec": {...}, "vertex_spec": {...}}
//
// DATA is explained in job_data.h. "base" is that of vkCmdDispatchBase; the shader must be compiled
// for it. Fragment and vertex shaders run on "draw" and "vertices" (draw.h, vertices.h). Resources
// are buffers; with "format" images ("width", "height", "depth", "layers", "levels", "dim": 1d 2d
// 3d cube, 1d_array ...) or, without a width, texel buffers; with "filter" samplers ("mipmap",
// "min_filter", "address": one mode or a list for u, v and w, "border", "compare", "min_lod",
// "max_lod", "lod_bias", "unnormalized"). With "same_as" a resource has the bytes of the buffer or
// image of that name, from "offset" on, "size" of them: one buffer at several bindings. "as" is the
// type in which a resource is returned, "out" a file for its bytes. "index" is the element of an
// array: an absent element is the same resource as one that is given, and an array without length
// ends with the last one given. The same jobs run on lavapipe (tests/peer, run-peer exec); "shader"
// and "entry", which have a meaning only there, are ignored; "spec" is explained in job_spec.h.
// Errors: any other key, a repeated one, a negative, fractional or too large number for a count,
// and more data than an image has.
#ifndef KILN_CLIENT_RUN_JOB_H_
#define KILN_CLIENT_RUN_JOB_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/out/launch_record.h"
#include "core/sim/scene/dispatch.h"
#include "nlohmann/json.hpp"

namespace kiln::client::run {

// A resource whose bytes can be read after the run.
struct Output {
  bool is_image = false;
  size_t index = 0;  // into Dispatch::images or buffers
  out::DescriptorRef where;
  std::string name;
  std::string as;    // "f32", ..., "hex"; empty: not given
  std::string file;  // empty: none
};

struct Job {
  sim::scene::Dispatch dispatch;
  std::vector<Output> outputs;    // in order of the job's resources
  std::vector<std::string> spec;  // specialisation constants, ID=TYPE:VALUE (spec_constant.h)
  // Those of the vertex shader of a pair, if "vertex_spec" is given; else it has the same.
  std::vector<std::string> vertex_spec = {};
  bool has_vertex_spec = false;
  // Unparsed, null if not given: their readers need the program's record.
  nlohmann::json draw, vertices;
  bool dispatches = false;  // "dispatch" or "base" is given
  std::string folder;       // of the job's files, for `draw`
};

// Files named by the job are relative to `folder`. InvalidArgument describes the error.
absl::StatusOr<Job> ReadJob(const std::string& text, const std::string& folder);

absl::Span<const uint8_t> BytesOf(const Output& output, const sim::scene::Dispatch& dispatch);

}  // namespace kiln::client::run

#endif  // KILN_CLIENT_RUN_JOB_H_
