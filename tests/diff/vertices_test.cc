// Hand-written draws: the inputs of their vertices, and the outputs.
#include "tests/diff/vertices.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "core/mir/parse.h"
#include "gtest/gtest.h"

namespace kiln::diff {
namespace {

using nlohmann::json;

// Returns the outputs, or the error.
std::string OutputsOf(const std::string& text, const json& vertices) {
  const absl::StatusOr<mir::Module> m = mir::Parse("mir 1 stage vertex " + text + " return }");
  if (!m.ok()) return std::string(m.status().message());
  oracle::LaunchInputs inputs;
  const absl::StatusOr<RanVertices> ran = RunVertices(*m, vertices, inputs, {});
  if (!ran.ok()) return std::string(ran.status().message());
  std::string out;
  for (const json& o : ran->outputs) {
    const std::string place = o.contains("builtin") ? o["builtin"].get<std::string>()
                                                    : std::to_string(o["location"].get<uint32_t>());
    absl::StrAppend(&out, place, ".", o["component"].get<uint32_t>(), " ",
                    o["hex"].get<std::string>(), "\n");
  }
  return out;
}

TEST(Vertices, AreNumberedAsTheDrawSays) {
  const std::string program =
      "input 0 builtin vertex_index i32 x1 input 1 builtin instance_index i32 x1 "
      "input 2 builtin base_vertex i32 x1 input 3 builtin base_instance i32 x1 "
      "output 0 location 2.1 i32 x2 output 1 builtin layer i32 x1 body { "
      "%0:i32 = load_input[0, 0] %1:i32 = load_input[1, 0] %2:i32 = load_input[2, 0] "
      "%3:i32 = load_input[3, 0] %4:i32 = shl %3, 4 %5:i32 = or %2, %4 "
      "store_output[0, 0] %0, %1 store_output[1, 0] %5";
  EXPECT_EQ(OutputsOf(program,
                      {{"count", 2}, {"first_vertex", 3}, {"instances", 2}, {"first_instance", 1}}),
            "2.1 03000000040000000300000004000000\n"
            "2.2 01000000010000000200000002000000\n"
            "layer.0 13000000130000001300000013000000\n");
  EXPECT_EQ(OutputsOf(program, {{"indices", {5, 0, 5}}, {"vertex_offset", 2}}),
            "2.1 070000000200000007000000\n2.2 000000000000000000000000\n"
            "layer.0 020000000200000002000000\n");
}

TEST(Vertices, RunForEachViewOfEachInstance) {
  const std::string program =
      "input 0 location 0.0 i32 x1 input 1 builtin instance_index i32 x1 "
      "input 2 builtin view_index i32 x1 output 0 location 0.0 i32 x3 body { "
      "%0:i32 = load_input[0, 0] %1:i32 = load_input[1, 0] %2:i32 = load_input[2, 0] "
      "store_output[0, 0] %0, %1, %2";
  const json inputs = {{{"location", 0}, {"u32", {7, 8}}, {"rate", "instance"}}};
  EXPECT_EQ(
      OutputsOf(program, {{"count", 1}, {"instances", 2}, {"view_mask", 10}, {"inputs", inputs}}),
      "0.0 07000000070000000800000008000000\n0.1 00000000000000000100000001000000\n"
      "0.2 01000000030000000100000003000000\n");
}

TEST(Vertices, ReadAttributesByVertexAndByInstance) {
  const std::string program =
      "input 0 location 0.0 i32 x1 input 1 location 1.1 i32 x1 array 2 "
      "output 0 builtin clip_distance f32 x1 array 3 output 1 location 0.0 i32 x3 body { "
      "%0:i32 = load_input[0, 0] %1:i32 = load_input.indexed[1, 0] %0 "
      "%2:f32 = bitcast %1 store_output.indexed[0, 0] 2, %2 store_output[1, 1] %0";
  const json inputs = {{{"location", 0}, {"u32", {0, 1, 0}}},
                       {{"location", 1}, {"u32", {9, 1}}, {"rate", "instance"}},
                       {{"location", 2}, {"i32", {9, 2, 9, 3, 9, 4}}}};
  // Scalars that are not stored, and the first elements of the array, are absent.
  EXPECT_EQ(OutputsOf(program, {{"indices", {0, 1, 2}}, {"inputs", inputs}}),
            "clip_distance.2 010000000300000001000000\n0.1 000000000100000000000000\n");
  EXPECT_EQ(OutputsOf(program, {{"count", 4}, {"inputs", inputs}}),
            "vertices: 3 values at location 0");
  EXPECT_EQ(OutputsOf(program, {{"count", 3}, {"inputs", {inputs[0], inputs[1]}}}),
            "vertices: nothing at location 2");
}

TEST(Vertices, WhatIsNotDrawn) {
  const std::string program = "output 0 builtin layer i32 x1 body { store_output[0, 0] 1";
  EXPECT_EQ(OutputsOf(program, {{"count", 0}}), "vertices: none of them, or too many");
  EXPECT_EQ(OutputsOf(program, {{"count", 70000}}), "vertices: none of them, or too many");
  EXPECT_EQ(
      OutputsOf("input 0 location 0.0 f16 x1 body { %0:f16 = load_input[0, 0]", {{"count", 1}}),
      "vertices: an attribute of another width than 32 bits");
}

}  // namespace
}  // namespace kiln::diff
