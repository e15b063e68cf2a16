// Files of --state: their values, and errors.
#include "client/request/pipeline_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace kiln::client {
namespace {

using ::testing::HasSubstr;

std::string FileOf(const std::string& text) {
  std::string path = ::testing::TempDir() + "/state.json";
  std::ofstream(path) << text;
  return path;
}

std::string Refusal(const std::string& text) {
  return std::string(ReadPipelineState(FileOf(text)).status().message());
}

TEST(PipelineState, IsRead) {
  const auto state = ReadPipelineState(FileOf(R"({
      "fragment": {"color": {"attachments": [{"location": 2, "type": "UINT", "write_mask": 3}]}, "samples": 4},
      "next_stage_reads": {"locations": [{"location": 1, "components": 7}]}, "view_mask": 5})"));
  ASSERT_TRUE(state.ok()) << state.status();
  ASSERT_EQ(state->fragment().color().attachments_size(), 1);
  EXPECT_EQ(state->fragment().color().attachments(0).location(), 2u);
  EXPECT_EQ(state->fragment().color().attachments(0).type(), kiln::v1::ColorAttachment::UINT);
  EXPECT_EQ(state->fragment().color().attachments(0).write_mask(), 3u);
  EXPECT_EQ(state->fragment().samples(), 4u);
  EXPECT_EQ(state->next_stage_reads().locations(0).components(), 7u);
  EXPECT_EQ(state->view_mask(), 5u);
  EXPECT_TRUE(ReadPipelineState(FileOf("{}")).ok());
}

TEST(PipelineState, IsWrittenAsItIsRead) {
  const std::string text =
      R"({"fragment":{"samples":4,"color":{"attachments":[{"location":2,"type":"UINT"}]}},"view_mask":5})";
  const auto state = ParsePipelineState(text);
  ASSERT_TRUE(state.ok()) << state.status();
  EXPECT_EQ(PipelineStateJson(*state), text);
  EXPECT_EQ(PipelineStateJson({}), "");
  EXPECT_THAT(std::string(ParsePipelineState("{\"sample\": 4}").status().message()),
              HasSubstr("not a pipeline state: "));
}

TEST(PipelineState, WhatIsWrongIsSaid) {
  EXPECT_THAT(Refusal("{\"fragments\": {}}"), HasSubstr("fragments"));
  EXPECT_THAT(Refusal("{\"fragment\": {\"samples\": \"many\"}}"), HasSubstr("samples"));
  EXPECT_THAT(Refusal("{\"fragment\": {\"color\": {\"attachments\": [{\"type\": \"BYTE\"}]}}}"),
              HasSubstr("BYTE"));
  EXPECT_THAT(Refusal("fragment"), HasSubstr("not a pipeline state"));
  EXPECT_THAT(Refusal(""), HasSubstr("not a pipeline state"));
  EXPECT_THAT(Refusal(std::string(100 << 10, ' ')), HasSubstr("state.json"));
  EXPECT_THAT(std::string(ReadPipelineState("/nowhere/s.json").status().message()),
              HasSubstr("--state=/nowhere/s.json"));
}

}  // namespace
}  // namespace kiln::client
