// The form of draws: unknown keys and values of another form are refused by name.
#include "client/run/draw_form.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace kiln::client::run {
namespace {

using nlohmann::json;

std::string ErrorOf(const json& draw) { return std::string(CheckDrawForm(draw).message()); }

TEST(DrawForm, TakesAllThatADrawMayHave) {
  const json draw = {{"width", 4},
                     {"height", 4096},
                     {"samples", 4},
                     {"sample_shading", true},
                     {"alpha_to_coverage", false},
                     {"positions", {{-1, -1, 0, 1}}},
                     {"topology", "point_list"},
                     {"point_size", 1.5},
                     {"clip_distances", {1}},
                     {"cull_distances", {1}},
                     {"depth", true},
                     {"inputs", {{{"location", 1}, {"component", 3}, {"u32", {1}}}}},
                     {"layers", {0}},
                     {"viewports", {0}},
                     {"view_mask", 5},
                     {"jitter", 7},
                     {"interpolated", true},
                     {"out", "prefix"}};
  EXPECT_EQ(CheckDrawForm(draw), absl::OkStatus());
  EXPECT_EQ(CheckDrawForm(json::object()), absl::OkStatus());
}

TEST(DrawForm, NamesWhatIsWrong) {
  EXPECT_THAT(ErrorOf({{"widht", 4}}), testing::StartsWith("draw: unknown key \"widht\""));
  EXPECT_THAT(ErrorOf({{"widht", 4}}), testing::HasSubstr("did you mean width?"));
  EXPECT_THAT(ErrorOf({{"width", "4"}}),
              testing::StartsWith("draw: \"width\": must be a whole number"));
  EXPECT_THAT(ErrorOf({{"width", -1}}),
              testing::StartsWith("draw: \"width\": must be a whole number"));
  EXPECT_THAT(ErrorOf({{"depth", 1}}),
              testing::StartsWith("draw: \"depth\": must be true, false or an object"));
  EXPECT_THAT(ErrorOf({{"inputs", {{{"location", 0}}, {{"place", 0}}}}}),
              testing::StartsWith("draw: input 1: unknown key \"place\""));
  EXPECT_THAT(ErrorOf({{"inputs", {3}}}),
              testing::StartsWith("draw: input 0 is not a JSON object"));
}

TEST(DrawForm, RefusesWhatTheSimulatorDoesNotDo) {
  for (const char* key : {"vertex_shader", "instances", "alpha_to_one"}) {
    EXPECT_EQ(ErrorOf({{key, 1}}), std::string("draw: \"") + key + "\" is not supported");
  }
}

}  // namespace
}  // namespace kiln::client::run
