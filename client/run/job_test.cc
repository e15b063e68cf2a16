#include "client/run/job.h"

#include <gtest/gtest.h>

#include <cstring>

#include "client/run/job_data.h"

namespace kiln::client::run {
namespace {

std::string ErrorOf(const std::string& text) {
  const auto job = ReadJob(text, "");
  return job.ok() ? "" : std::string(job.status().message());
}

TEST(ReadJob, BuffersImagesSamplersAndPush) {
  const auto job = ReadJob(R"({"dispatch": [2, 3], "push": {"u32": 7}, "resources": [
      {"binding": 1, "data": [{"f32": [1, "inf"]}, {"hex": "00ff"}], "size": 16, "as": "f32"},
      {"binding": 2, "format": "rgba8", "width": 2, "height": 2, "out": "x.bin"},
      {"binding": 3, "filter": "linear"}]})",
                           "");
  ASSERT_TRUE(job.ok()) << job.status();
  EXPECT_EQ(job->dispatch.groups, (std::array<uint32_t, 3>{2, 3, 1}));
  EXPECT_EQ(job->dispatch.push_constants, (std::vector<uint8_t>{7, 0, 0, 0}));
  EXPECT_EQ(job->dispatch.buffers[0].bytes,
            (std::vector<uint8_t>{0, 0, 0x80, 0x3f, 0, 0, 0x80, 0x7f, 0, 0xff, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(job->dispatch.images[0].texels.size(), 16u);
  EXPECT_TRUE(job->dispatch.samplers[0].linear);
  ASSERT_EQ(job->outputs.size(), 2u);
  EXPECT_EQ(job->outputs[0].as, "f32");
  EXPECT_EQ(job->outputs[1].file, "x.bin");
  EXPECT_EQ(BytesOf(job->outputs[1], job->dispatch).size(), 16u);
}

TEST(ReadJob, AddressesOfNamedBuffers) {
  const auto job = ReadJob(R"({"resources": [{"name": "a", "size": 64},
      {"binding": 0, "data": {"address": "a"}}]})",
                           "");
  ASSERT_TRUE(job.ok()) << job.status();
  uint64_t address = 0;
  std::memcpy(&address, job->dispatch.buffers[1].bytes.data(), 8);
  EXPECT_EQ(address, job->dispatch.buffers[0].address);
  EXPECT_NE(address, 0u);
}

TEST(ReadJob, ErrorsSayWhatIsWrong) {
  EXPECT_EQ(ErrorOf("{"), "this is no JSON object");
  EXPECT_NE(ErrorOf(R"({"resources": [{"binding": "x"}]})").find("type must be number"),
            std::string::npos);
  EXPECT_NE(ErrorOf(R"({"push": {"f23": 1}})").find("'f23' is neither a type"), std::string::npos);
  EXPECT_NE(ErrorOf(R"({"push": {"address": "b"}})").find("no resource with the name"),
            std::string::npos);
  EXPECT_NE(ErrorOf(R"({"push": {"file": "no/such"}})").find("no/such"), std::string::npos);
  EXPECT_NE(ErrorOf(R"({"resources": [{"binding": 0, "format": "rgb9", "width": 1}]})").find("rgb9"),
            std::string::npos);
  EXPECT_NE(ErrorOf(R"({"resources": [{"binding": 0, "size": 4, "as": "half"}]})").find("half"),
            std::string::npos);
  EXPECT_NE(ErrorOf(R"({"resources": [{"binding": 4, "size": 99999999999}]})").find("binding 4"),
            std::string::npos);
  EXPECT_NE(ErrorOf(R"({"resources": [{"binding": 4, "format": "rgba32f", "width": 100000,
      "height": 100000}]})").find("1 GiB"),
            std::string::npos);
  EXPECT_NE(ErrorOf(R"({"push": {"zero": 99999999999}})").find("1 GiB"), std::string::npos);
}

TEST(Values, AreNumbersOfTheType) {
  const std::string bytes("\x00\x00\x80\x3f\x00\x00\xc0\x7f\x01", 9);
  EXPECT_EQ(Values("f32", bytes).dump(), "[1.0,\"nan\"]");
  EXPECT_EQ(Values("u16", bytes).dump(), "[0,16256,0,32704]");
  EXPECT_EQ(Values("i8", bytes.substr(2, 2)).dump(), "[-128,63]");
  EXPECT_EQ(Values("f16", std::string("\x00\x3c", 2)).dump(), "[1.0]");
  EXPECT_EQ(Values("hex", bytes.substr(2, 2)), "803f");
}

}  // namespace
}  // namespace kiln::client::run
