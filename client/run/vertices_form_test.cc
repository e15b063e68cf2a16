// Vertices of jobs: every mistake has its message, so that no wrong draw runs.
#include <utility>

#include "client/run/vertices.h"
#include "gtest/gtest.h"

namespace kiln::client::run {
namespace {

using nlohmann::json;

TEST(VerticesForm, RefusesWhatDoesNotFit) {
  const std::pair<const char*, const char*> wrong[] = {
      {"[]", "vertices is not a JSON object"},
      {R"({})", "\"count\" or \"indices\" is missing"},
      {R"({"count": 0})", "\"count\": must be a whole number from 1 to 4294967295, not 0"},
      {R"({"count": "x"})", "\"count\": must be a whole number"},
      {R"({"count": -1})", "\"count\": must be a whole number"},
      {R"({"count": 1.5})", "\"count\": must be a whole number"},
      {R"({"count": true})", "\"count\": must be a whole number"},
      {R"({"count": 4294967296})", "\"count\": must be a whole number"},
      {R"({"count": 1, "instances": 0})", "\"instances\": must be a whole number from 1"},
      {R"({"count": 1, "first_instance": -1})",
       "\"first_instance\": must be a whole number from 0"},
      {R"({"count": 1, "first_vertex": -1})",
       "\"first_vertex\": must be a whole number from 0 to 2147483647"},
      {R"({"count": 1, "first_vertex": 2147483648})", "\"first_vertex\""},
      {R"({"indices": [0], "vertex_offset": 18446744073709551615})", "\"vertex_offset\""},
      {R"({"indices": [0], "vertex_offset": -2147483649})", "\"vertex_offset\""},
      {R"({"indices": [0], "vertex_offset": 0.5})", "\"vertex_offset\""},
      {R"({"count": 2, "vertex_offset": 2})", "\"vertex_offset\" needs \"indices\""},
      {R"({"indices": []})", "no indices"},
      {R"({"indices": [-1]})", "-1 is not of type u32"},
      {R"({"indices": 3})", "\"indices\": must be a list, not 3"},
      {R"({"count": 1, "as": 3})", "\"as\": must be an object, not 3"},
      {R"({"indices": [1.5]})", "1.5 is not of type u32"},
      {R"({"indices": [1], "count": 1})", "\"count\" and \"indices\" exclude each other"},
      {R"({"indices": [1], "first_vertex": 1})",
       "\"first_vertex\" and \"indices\" exclude each other; use \"vertex_offset\""},
      {R"({"count": 2, "instance": 2})", "unknown key \"instance\"; there are count,"},
      {R"({"count": 2, "inputs": {}})", "\"inputs\": must be a list, not {}"},
      {R"({"count": 2, "inputs": [3]})", "input 0 is not a JSON object"},
      {R"({"count": 1, "inputs": [{"f32": [1], "binding": 0}]})", "unknown key \"binding\""},
      {R"({"count": 2, "inputs": [{"location": 0}]})", "input 0 has no values"},
      {R"({"count": 1, "inputs": [{"location": -1, "f32": [1]}]})",
       "\"location\": must be a whole number"},
      {R"({"count": 1, "inputs": [{"f32": [1], "u32": [1]}]})",
       "\"f32\" and \"u32\" exclude each other"},
      {R"({"count": 1, "inputs": [{"f32": ["1x"]}]})", "\"1x\" is not of type f32"},
      {R"({"count": 1, "inputs": [{"u32": [-1]}]})", "-1 is not of type u32"},
      {R"({"count": 1, "inputs": [{"i32": [2147483648]}]})", "2147483648 is not of type i32"},
      {R"({"count": 2, "inputs": [{"f32": [1, 2], "rate": "patch"}]})", "\"rate\" must be"},
      {R"({"count": 2, "inputs": [{"f32": [1, 2], "rate": 1}]})", "\"rate\": must be text, not 1"},
      {R"({"count": 1, "inputs": [{"f32": [1, 2, 3, 4, 5]}]})",
       "the input at location 0 has 5 values of 1 elements; give its \"components\""},
      {R"({"count": 3, "inputs": [{"location": 4, "f32": [1, 2, 3, 4, 5, 6, 7, 8]}]})",
       "the input at location 4 has 8 values"},
      {R"({"count": 2, "inputs": [{"f32": [1]}]})", "has 1 values"},
      {R"({"count": 2, "inputs": [{"f32": []}]})", "has 0 values"},
      {R"({"count": 2, "inputs": [{"f32": [1, 2], "components": 2}]})",
       "has 2 values of 2 elements"},
      {R"({"count": 1, "inputs": [{"f32": [1, 2, 3], "components": 2}]})",
       "has 3 values of 1 elements"},
      {R"({"count": 1, "inputs": [{"f32": [1, 2, 3], "components": 0}]})",
       "\"components\": must be a whole"},
      {R"({"count": 1, "first_instance": 1, "inputs": [{"f32": [1], "rate": "instance"}]})",
       "has 1 values of 2 elements"},
      {R"({"indices": [0, 5], "vertex_offset": -2, "inputs": [{"f32": [1, 2, 3, 4]}]})",
       "there is no vertex -2"},
      {R"({"count": 1, "inputs": [{"f32": [1]}, {"location": 0, "f32": [2]}]})",
       "location 0 is given twice"}};
  for (const auto& [text, message] : wrong) {
    const absl::Status s = ReadVertices(json::parse(text), {}).status();
    EXPECT_EQ(s.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_NE(s.message().find(message), s.message().npos) << text << ": " << s;
    EXPECT_EQ(s.message().find("vertices"), 0u) << text << ": " << s;
  }
  const auto reads = [](const char* text) { return ReadVertices(json::parse(text), {}).status(); };
  EXPECT_TRUE(reads(R"({"count": 1, "out": "x", "inputs": [{"f32": [1]}]})").ok());
  EXPECT_TRUE(reads(R"({"indices": [0], "vertex_offset": -2147483648})").ok());
}

}  // namespace
}  // namespace kiln::client::run
