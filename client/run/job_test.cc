#include "client/run/job.h"

#include "client/run/fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
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
  EXPECT_TRUE(job->dispatch.samplers[0].mag_linear);
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
  EXPECT_EQ(ErrorOf("{"), "the job is not a JSON object");
  EXPECT_NE(ErrorOf(R"({"push": {"f23": 1}})").find("'f23' is neither a type"), std::string::npos);
  EXPECT_NE(ErrorOf(R"({"push": {"address": "b"}})").find("no resource with the name"),
            std::string::npos);
  EXPECT_NE(ErrorOf(R"({"push": {"file": "no/such"}})").find("no/such"), std::string::npos);
  EXPECT_NE(
      ErrorOf(R"({"resources": [{"binding": 0, "format": "rgb9", "width": 1}]})").find("rgb9"),
      std::string::npos);
  EXPECT_NE(ErrorOf(R"({"resources": [{"binding": 0, "size": 4, "as": "half"}]})").find("half"),
            std::string::npos);
  EXPECT_NE(ErrorOf(R"({"resources": [{"binding": 4, "size": 99999999999}]})")
                .find("resource 0: \"size\": must be a whole number from 0 to 1073741824"),
            std::string::npos);
  EXPECT_NE(ErrorOf(R"({"resources": [{"binding": 4, "format": "rgba32f", "width": 65536,
      "height": 65536}]})")
                .find("1 GiB"),
            std::string::npos);
  // 2^64 texels.
  EXPECT_NE(ErrorOf(R"({"resources": [{"binding": 4, "format": "r8", "width": 65536,
      "height": 65536, "depth": 65536, "layers": 65536, "dim": "3d"}]})")
                .find("\"layers\" above 1"),
            std::string::npos);
  EXPECT_NE(ErrorOf(R"({"push": {"zero": 99999999999}})").find("0 to 1073741824"),
            std::string::npos);
}

TEST(ReadJob, RefusesWhatItDoesNotKnow) {
  auto with = [](const std::string& resource) { return R"({"resources": [)" + resource + "]}"; };
  auto data = [](const std::string& value) { return R"({"push": )" + value + "}"; };
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {R"({"resource": []})", "the job: unknown key \"resource\""},
      {R"({"resource": []})", "did you mean resources?"},
      {with(R"({"binding": 0, "sise": 4})"), "resource 0: unknown key \"sise\""},
      {with(R"({"binding": 0, "size": 4}, {"size": 4})"), "resource 1 has neither"},
      {with("7"), "resource 0 is not a JSON object"},
      {R"({"resources": {}})", "\"resources\" is not a list"},
      {with(R"({"binding": 0, "size": 4}, {"binding": 0, "size": 8})"),
       "resource 1: set 0 binding 0 index 0 is given twice"},
      {with(R"({"name": "a", "size": 4}, {"name": "a", "size": 8})"), "\"a\" is given twice"},
      {R"({"draw": 3})", "the job: \"draw\": must be an object, not 3"},
      {R"({"vertices": []})", "the job: \"vertices\": must be an object"},
      {R"({"vertices": {"count": 1, "count": 2}})", "\"count\""},
      {R"({"dispatch": [1, 1, 1, 1]})", "\"dispatch\""},
      {R"({"dispatch": [-1]})", "\"dispatch\""},
      {R"({"dispatch": [70000]})", "\"dispatch\""},
      {R"({"dispatch": 4})", "\"dispatch\""},
      {R"({"base": [-1, 0, 0]})", "\"base\""},
      // Values that would otherwise become another number.
      {with(R"({"binding": "x"})"),
       "resource 0: \"binding\": must be a whole number from 0 to 4294967295"},
      {with(R"({"binding": 0.5})"), "resource 0: \"binding\""},
      {with(R"({"binding": 1099511627776})"), "resource 0: \"binding\""},
      {with(R"({"binding": 0}, {"set": -1, "binding": 0})"), "resource 1: \"set\""},
      {with(R"({"binding": 0, "index": true})"), "resource 0: \"index\""},
      {with(R"({"binding": 0, "size": 1.5})"), "resource 0: \"size\""},
      {with(R"({"binding": 0, "size": -1})"), "resource 0: \"size\""},
      {with(R"({"binding": 0, "size": "4"})"), "resource 0: \"size\""},
      {with(R"({"binding": 0, "format": "r32f", "width": -1})"), "resource 0: \"width\""},
      {with(R"({"binding": 0, "format": "r32f", "width": 2, "levels": 1e10})"),
       "resource 0: \"levels\""},
      {with(R"({"binding": 0, "format": "r32f", "width": 0})"),
       "resource 0: \"width\": must be a whole number from 1 to 65536"},
      {with(R"({"binding": 0, "format": "r32f", "width": 1, "height": 0})"), "\"height\""},
      {with(R"({"binding": 0, "format": "r32f", "width": 1, "depth": 4.7})"), "\"depth\""},
      {with(R"({"binding": 0, "format": "r32f", "width": 1, "layers": 0})"), "\"layers\""},
      {with(R"({"binding": 0, "format": "r32f", "width": 1, "levels": 0})"), "\"levels\""},
      {with(R"({"binding": 0, "format": "r32f", "width": 1, "samples": 17})"),
       "resource 0: \"samples\": must be a whole number from 1 to 16"},
      {with(R"({"binding": 0, "format": "r32f", "width": 4294967297})"), "\"width\""},
      {with(
           R"({"binding": 0, "format": "r32f", "width": 1, "height": 2, "data": {"f32": [1, 2, 3]}})"),
       "resource 0: 12 bytes are given for an image with a size of 8"},
      {with(R"({"binding": 0, "format": "r32f", "width": 1, "size": 8})"),
       "resource 0: 8 bytes are given for an image with a size of 4"},
      {with(R"({"binding": 0, "format": "r32f", "width": 1, "depth": 2})"),
       R"(resource 0: "depth" above 1: only an image of "dim": "3d" has it)"},
      {with(R"({"binding": 0, "format": "r32f", "width": 1, "layers": 2, "dim": "3d"})"),
       R"(resource 0: "layers" above 1: an image of "dim": "3d" has no layers)"},
      {with(R"({"binding": 0, "format": "r32f", "width": 1, "height": 2, "dim": "1d_array"})"),
       R"(resource 0: "height" above 1: an image of "dim": "1d")"},
      // Each error names its resource.
      {with(R"({"binding": 0}, {"binding": 1, "filter": "no"})"),
       "resource 1: \"filter\": \"no\" is not one of linear, nearest"},
      {with(R"({"binding": 0}, {"binding": 1, "format": "r32f", "width": 1, "dim": "9d"})"),
       "resource 1: \"dim\": \"9d\" is not one of 1d, "},
      {with(R"({"binding": 0}, {"binding": 1, "format": "rgb9", "width": 1})"),
       "resource 1: \"format\": \"rgb9\" is not a format"},
      {with(R"({"binding": 0}, {"binding": 1, "data": {"u8": 256}})"), "resource 1: data: 256"},
      {with(R"({"binding": 0}, {"binding": 1, "format": "r32f", "width": 1, "data": {"u8": 256}})"),
       "resource 1: data: 256"},
      {with(R"({"binding": 0}, {"binding": 1, "data": {"file": "no/such"}})"),
       "resource 1: no/such"},
      {data(R"({"u8": 256})"), "\"push\": data: 256"},
      // Keys given twice.
      {R"({"push": {"u32": 1}, "push": {"u32": 2}})", "\"push\" is given twice"},
      {with(R"({"binding": 0}, {"binding": 1, "size": 4, "size": 8})"),
       "resource 1: \"size\" is given twice"},
      {data(R"({"u32": 1, "u32": 2})"), "\"u32\" is given twice"},
      // Values of specialisation constants.
      {R"({"spec": [1]})", "\"spec\": is not a JSON object"},
      {R"({"spec": {"x": 1}})", "\"spec\": \"x\" is not an id"},
      {R"({"spec": {"1": {"u31": 1}}})", "\"spec\": \"1\": "},
      {R"({"spec": {"1": {"u32": [1, 2]}}})", "\"spec\": \"1\": "},
      {R"({"spec": {"1": "x"}})", "\"spec\": \"1\": "},
      {with(R"({"binding": 0, "format": 7})"), "resource 0: \"format\": must be text, not 7"},
      {with(R"({"binding": 0, "format": "r32f", "width": 2, "dim": 2})"), "resource 0: \"dim\""},
      {with(R"({"binding": 0, "as": []})"), "resource 0: \"as\""},
      {with(R"({"binding": 0, "out": 1})"), "resource 0: \"out\""},
      {with(R"({"name": 1})"), "resource 0: \"name\""},
      {with(R"({"binding": 0, "filter": true})"), "resource 0: \"filter\""},
      {with(R"({"binding": 0, "filter": "linear", "min_lod": "1"})"),
       "resource 0: \"min_lod\": must be a number, not \"1\""},
      {with(R"({"binding": 0, "filter": "linear", "unnormalized": 1})"),
       "resource 0: \"unnormalized\": must be true or false, not 1"},
      {data(R"({"zero": 1e30})"), "data: \"zero\""},
      {data(R"({"zero": -1})"), "data: \"zero\""},
      {data(R"({"zero": 0.5})"), "data: \"zero\""},
      {data(R"({"hex": 7})"), "data: \"hex\": must be text, not 7"},
      {data(R"({"file": 7})"), "data: \"file\""},
      {data(R"({"address": 7})"), "data: \"address\""},
      {data(R"({"u32": null})"), "null is not of type u32"},
      {data(R"({"f32": [[1]]})"), "[1] is not of type f32"},
      {data("7"), "must be an object with one key"},
      {data(R"({"u32": 1, "f32": 1})"), "must be an object with one key"},
      {data(R"({"hex": "0"})"), "pairs of hexadecimal digits"},
      {data(R"({"hex": "zz"})"), "pairs of hexadecimal digits"},
      {data(R"({"u8": 256})"), "256 is not of type u8"},
      {data(R"({"i8": -129})"), "-129 is not of type i8"},
      {data(R"({"u32": -1})"), "-1 is not of type u32"},
      {data(R"({"u32": 1.5})"), "1.5 is not of type u32"},
      {data(R"({"u32": "1"})"), "\"1\" is not of type u32"},
      {data(R"({"i64": 18446744073709551615})"), "is not of type i64"},
      {data(R"({"u64": -1})"), "-1 is not of type u64"},
      {data(R"({"f32": "one"})"), "\"one\" is not of type f32"},
      {data(R"({"u16": "0x10000"})"), "\"0x10000\" is not of type u16"},
      {data(R"({"u16": "0xg"})"), "\"0xg\" is not of type u16"},
  };
  for (const auto& [job, message] : wrong) {
    EXPECT_NE(ErrorOf(job).find(message), std::string::npos) << job << "\n" << ErrorOf(job);
  }
  const std::string long_text(1'000'000, '7');
  for (const std::string& job :
       {with("{\"binding\": \"" + long_text + "\"}"), data("{\"u32\": \"" + long_text + "\"}"),
        data("{\"u32\": [[" + long_text + "]]}"), R"({"dispatch": ")" + long_text + "\"}",
        data("{\"" + long_text + "\": 1}"), "{\"" + long_text + "\": 1}"}) {
    EXPECT_NE(ErrorOf(job), "");
    EXPECT_LT(ErrorOf(job).size(), 500u);
  }
  // Keys that only lavapipe needs, and the ends of the ranges.
  EXPECT_EQ(ErrorOf(R"({"shader": "x", "entry": "main", "spec": {"1": {"u32": 3}}, "push":
      [{"u8": [0, 255, "0xff"]}, {"i8": [-128, 127]}, {"u64": 18446744073709551615},
       {"i64": -9223372036854775808}, {"f32": ["-inf", "nan", 1e10]}, {"u32": 4294967295.0}]})"),
            "");
}

TEST(ReadJob, SpecialisationConstants) {
  const auto job = ReadJob(R"({"spec": {"0": {"u32": 4}, "1": {"f32": [1.5]}, "2": true, "3": -7,
      "4": {"i8": -1}, "5": {"f16": "0x3c00"}, "6": {"f32": "inf"}, "7": {"u64": 18446744073709551615},
      "8": {"i32": "0xff"}, "9": {"f16": 1.5}, "10": {"u16": "0xffff"}, "11": {"u32": 3.0}}})",
                           "");
  ASSERT_TRUE(job.ok()) << job.status();
  std::vector<std::string> spec = job->spec;
  std::sort(spec.begin(), spec.end());
  EXPECT_EQ(spec, (std::vector<std::string>{
                      "0=uint:4", "10=bits:0xffff", "11=bits:0x00000003", "1=float:1.5",
                      "2=bool:true", "3=-7", "4=int:-1", "5=bits:0x3c00", "6=float:inf",
                      "7=uint64:18446744073709551615", "8=bits:0x000000ff", "9=bits:0x3e00"}));
}

out::LaunchRecord Record() {
  out::LaunchRecord record;
  record.code_bytes = 4;
  record.push_constant_bytes = 8;
  record.resources = {{out::ResourceKind::kSsbo, 0, 3}};
  return record;
}

std::string FitOf(const std::string& text, bool unused = false) {
  const auto job = ReadJob(text, "");
  EXPECT_TRUE(job.ok()) << job.status();
  return std::string(CheckJobFits(*job, nullptr, Record(), unused).message());
}

TEST(ReadJob, WhatGraphicsStagesAreRunOn) {
  const auto job = ReadJob(R"({"vertices": {"count": 3}, "push": {"u32": 1}})", "");
  ASSERT_TRUE(job.ok()) << job.status();
  EXPECT_EQ(job->vertices.dump(), R"({"count":3})");
  EXPECT_TRUE(job->draw.is_null());
  EXPECT_FALSE(job->dispatches);
  EXPECT_EQ(job->dispatch.push_constants.size(), 4u);
  const auto draw = ReadJob(R"({"draw": {}, "base": [1, 0, 0]})", "");
  ASSERT_TRUE(draw.ok()) << draw.status();
  EXPECT_TRUE(draw->draw.is_object());
  EXPECT_TRUE(draw->vertices.is_null());
  EXPECT_TRUE(draw->dispatches);
}

TEST(Job, ResourcesShareBytes) {
  const auto job = ReadJob(R"({"resources": [
      {"binding": 0, "name": "b", "data": {"u32": [1, 2, 3, 4]}},
      {"binding": 1, "same_as": "b"}, {"binding": 2, "same_as": "b", "offset": 4, "size": 8},
      {"binding": 3, "same_as": "b", "format": "r32ui"},
      {"binding": 4, "name": "i", "format": "rgba8", "width": 2, "height": 1},
      {"binding": 5, "same_as": "i", "format": "rgba8", "width": 2, "height": 1}]})",
                           "");
  ASSERT_TRUE(job.ok()) << job.status();
  const sim::scene::Dispatch& d = job->dispatch;
  EXPECT_EQ(BytesOf(job->outputs[1], d).data(), d.buffers[0].bytes.data());
  EXPECT_EQ(BytesOf(job->outputs[2], d).data(), d.buffers[0].bytes.data() + 4);
  EXPECT_EQ(BytesOf(job->outputs[2], d).size(), 8u);
  EXPECT_EQ(d.images[0].width, 4u);
  EXPECT_EQ(BytesOf(job->outputs[3], d).data(), d.buffers[0].bytes.data());
  EXPECT_EQ(BytesOf(job->outputs[5], d).data(), d.images[1].texels.data());
}

TEST(Job, RefusesSharingThatCannotBe) {
  const auto said = [](const std::string& resource) {
    return std::string(
        ReadJob(R"({"resources": [{"binding": 0, "name": "b", "size": 8}, )" + resource + "]}", "")
            .status()
            .message());
  };
  EXPECT_EQ(said(R"({"binding": 1, "same_as": "c"})"),
            "resource 1: \"same_as\": no buffer or image has the name \"c\"");
  EXPECT_EQ(said(R"({"binding": 1, "same_as": "b", "data": {"zero": 4}})"),
            "resource 1: \"same_as\" and \"data\" exclude each other");
  EXPECT_EQ(said(R"({"binding": 1, "same_as": "b", "offset": 4, "size": 5})"),
            "resource 1: \"offset\" and \"size\" reach beyond the 8 bytes of \"b\"");
  EXPECT_EQ(said(R"({"binding": 1, "offset": 4})"), "resource 1: \"offset\" needs \"same_as\"");
  EXPECT_EQ(said(R"({"binding": 1, "same_as": "b", "format": "rgba32f", "width": 1})"),
            "resource 1: an image with a size of 16 in 8 bytes of another resource");
}

TEST(CheckJobFits, NamesWhatIsMissingOrTooMuch) {
  const std::string push = R"({"push": {"u32": [1, 2]}, "resources": [)";
  EXPECT_EQ(FitOf(push + R"({"binding": 3, "size": 4}, {"name": "far", "size": 4}]})"), "");
  EXPECT_EQ(FitOf("{}"),
            "the program reads 8 bytes of push constants; \"push\" of the job has none");
  EXPECT_NE(FitOf(R"({"push": {"u32": 1}})").find("has only 4"), std::string::npos);
  const std::string more = push + R"({"set": 1, "binding": 3, "size": 4}]})";
  EXPECT_NE(FitOf(more).find("does not use set 1 binding 3 of the job; it uses set 0 binding 3"),
            std::string::npos);
  EXPECT_EQ(FitOf(more, /*unused=*/true), "");
  EXPECT_NE(FitOf(push + R"({"binding": 9, "filter": "linear"}]})").find("set 0 binding 9"),
            std::string::npos);
}

TEST(CheckJobFits, AttributesOfVertices) {
  out::LaunchRecord record;
  record.vertex.attributes = {1, 4};
  record.vertex.system_values = {out::VertexValue::kVertexIdFromZero};
  const auto error = [&](const std::vector<uint32_t>& locations, bool unused = false) {
    Job job;
    job.dispatch.vertices.emplace();
    for (const uint32_t l : locations) job.dispatch.vertices->inputs.emplace_back().location = l;
    return std::string(CheckJobFits(job, nullptr, record, unused).message());
  };
  EXPECT_EQ(error({4, 1}), "");
  EXPECT_EQ(error({4}),
            "vertices: no input at location 1; the program reads 1, 4, \"inputs\" has 4");
  EXPECT_EQ(error({}, /*unused=*/true),
            "vertices: no input at location 1; the program reads 1, 4, \"inputs\" has none");
  EXPECT_EQ(error({0, 1, 4}),
            "vertices: the program does not read the input at location 0; it reads 1, 4 "
            "(--allow-unused accepts others)");
  EXPECT_EQ(error({0, 1, 4}, /*unused=*/true), "");
}

TEST(CheckJobFits, ElementsBeyondAnArrayAreUnused) {
  out::LaunchRecord record;
  record.resources = {{out::ResourceKind::kSsbo, 0, 3, 2},
                      {out::ResourceKind::kUbo, 0, 4, 300},
                      {out::ResourceKind::kSsbo, 0, 5, 0}};
  const auto error = [&](int binding, int index, bool unused = false) {
    const auto job = ReadJob(absl::StrCat(R"({"resources": [{"size": 4, "binding": )", binding,
                                          ", \"index\": ", index, "}]}"),
                             "");
    EXPECT_TRUE(job.ok()) << job.status();
    return std::string(CheckJobFits(*job, nullptr, record, unused).message());
  };
  EXPECT_EQ(error(3, 1), "");
  EXPECT_NE(
      error(3, 2).find("the program does not use set 0 binding 3 index 2 of the job: index 1 is "
                       "the last"),
      std::string::npos)
      << error(3, 2);
  EXPECT_EQ(error(3, 2, /*unused=*/true), "");
  EXPECT_EQ(error(4, 299), "");
  EXPECT_NE(error(4, 300).find("index 299 is the last"), std::string::npos);
  EXPECT_EQ(error(5, 4000), "");
}

TEST(CheckRecordIsOf, SizeAndDigest) {
  const auto error = [](const std::string& record, const std::string& code) {
    return std::string(CheckRecordIsOf(record, Record(), code).message());
  };
  EXPECT_EQ(error("{}", "code"), "");
  EXPECT_EQ(error("{}", "coded"), "is the launch record of other machine code, of 4 bytes, not 5");
  const std::string record =
      R"({"code_sha256": "5694d08a2e53ffcae0c3103e5ad6f6076abd960eb1f8a56577040bc1028f702b"})";
  EXPECT_EQ(error(record, "code"), "");
  EXPECT_NE(error(record, "cope").find("SHA-256 differs"), std::string::npos);
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
