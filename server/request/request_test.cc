// Tests which pipeline state of a request is refused, by the name of its field. (The rest:
// engine_test, service tests.)
#include "server/request/request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kiln::server {
namespace {

using kiln::v1::CompileRequest;
using kiln::v1::PipelineState;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Returns the fields that are wrong to a daemon whose workers compile these stages.
template <class Change>
std::vector<std::string> Wrong(const std::vector<std::string>& stages, const std::string& stage,
                               Change change) {
  worker::Hello hello;
  hello.add_targets()->set_name("tgl");
  for (const std::string& s : stages) hello.add_stages(s);
  CompileRequest request;
  request.set_spirv("....");
  request.add_targets("tgl");
  request.set_stage(stage);
  change(request.mutable_options()->mutable_state());
  std::vector<std::string> fields;
  for (const auto& [field, why] : RequestChecker(hello, ParseConfig({})->limits).Check(request)) {
    fields.push_back(field);
  }
  return fields;
}

// Returns the fields that are wrong of a text of HLSL.
template <class Change>
std::vector<std::string> WrongHlsl(Change change) {
  worker::Hello hello;
  hello.add_targets()->set_name("tgl");
  hello.add_stages("compute");
  CompileRequest request;
  request.add_targets("tgl");
  request.mutable_glsl()->set_stage("compute");
  change(request.mutable_glsl()->mutable_hlsl());
  std::vector<std::string> fields;
  for (const auto& [field, why] : RequestChecker(hello, ParseConfig({})->limits).Check(request)) {
    fields.push_back(field);
  }
  return fields;
}

TEST(RequestHlsl, ShiftsAreOneOfAKindAndSpace) {
  const std::string kShifts = "glsl.hlsl.register_shifts";
  EXPECT_THAT(WrongHlsl([](auto*) {}), IsEmpty());
  EXPECT_THAT(WrongHlsl([](auto* h) {
                h->add_register_shifts()->set_shift(65534);
                h->add_register_shifts()->set_space(0);
                h->add_register_shifts()->set_space(1);
              }),
              IsEmpty());
  EXPECT_THAT(WrongHlsl([](auto* h) { h->add_register_shifts()->set_shift(65535); }),
              ElementsAre(kShifts));
  EXPECT_THAT(WrongHlsl([](auto* h) { h->add_register_shifts(), h->add_register_shifts(); }),
              ElementsAre(kShifts));
  EXPECT_THAT(WrongHlsl([](auto* h) {
                h->add_register_shifts()->set_kind(
                    static_cast<kiln::v1::GlslSource::RegisterShift::Kind>(4));
              }),
              ElementsAre(kShifts));
  EXPECT_THAT(WrongHlsl([](auto* h) {
                for (uint32_t space = 0; space < 257; ++space) {
                  h->add_register_shifts()->set_space(space);
                }
              }),
              ElementsAre(kShifts));
  EXPECT_THAT(WrongHlsl([](auto* h) { h->set_entry_point(std::string(1 << 20, 'a')); }),
              ElementsAre("glsl.hlsl.entry_point"));
}

const std::vector<std::string> kNow = {"compute"}, kBoth = {"compute", "fragment"};

TEST(RequestState, ComputeHasNone) {
  const auto samples = [](PipelineState* s) { s->mutable_fragment()->set_samples(4); };
  const auto reads = [](PipelineState* s) { s->mutable_next_stage_reads(); };
  EXPECT_THAT(Wrong(kNow, "", [](PipelineState*) {}), IsEmpty());
  const auto empty = [](PipelineState* s) { s->mutable_fragment()->set_samples(1); };
  EXPECT_THAT(Wrong(kNow, "compute", empty), IsEmpty()) << "its default is nothing";
  EXPECT_THAT(Wrong(kNow, "compute", samples), ElementsAre("options.state.fragment"));
  EXPECT_THAT(Wrong(kNow, "", samples), ElementsAre("options.state.fragment"));
  EXPECT_THAT(Wrong(kBoth, "compute", samples), ElementsAre("options.state.fragment"));
  EXPECT_THAT(Wrong(kBoth, "", samples), IsEmpty()) << "the module says which stage it is";
  EXPECT_THAT(Wrong(kBoth, "fragment", samples), IsEmpty());
  EXPECT_THAT(Wrong(kNow, "", reads), ElementsAre("options.state.next_stage_reads"));
  EXPECT_THAT(Wrong(kBoth, "compute", reads), ElementsAre("options.state.next_stage_reads"));
  EXPECT_THAT(Wrong(kBoth, "fragment", reads), IsEmpty());
  const auto views = [](PipelineState* s) { s->set_view_mask(~0u); };
  EXPECT_THAT(Wrong(kNow, "", views), ElementsAre("options.state.view_mask"));
  EXPECT_THAT(Wrong(kBoth, "compute", views), ElementsAre("options.state.view_mask"));
  const auto rates = [](PipelineState* s) { s->add_instance_rates(); };
  EXPECT_THAT(Wrong(kBoth, "fragment", rates), ElementsAre("options.state.instance_rates"));
  EXPECT_THAT(Wrong(kBoth, "", rates), IsEmpty());
  const auto culls = [](PipelineState* s) { s->set_primitive_culling(PipelineState::CULLING_ON); };
  EXPECT_THAT(Wrong(kBoth, "fragment", culls), ElementsAre("options.state.primitive_culling"));
  EXPECT_THAT(Wrong(kBoth, "", culls), IsEmpty());
  EXPECT_THAT(Wrong(kBoth, "fragment", views), IsEmpty()) << "how many there are is the target's";
}

// Names of any target's containers are well-formed; whether the request's targets have them is the
// workers' answer.
TEST(Request, ContainersHaveNames) {
  worker::Hello hello;
  hello.add_targets()->set_name("a");
  hello.add_targets()->set_name("b");
  hello.mutable_targets(1)->add_containers()->set_name("box");
  hello.mutable_targets(1)->add_containers()->set_name("crate");
  const RequestChecker checker(hello, ParseConfig({})->limits);
  CompileRequest request;
  request.set_spirv("....");
  request.add_targets("a");
  for (const char* good : {"", "raw", "box", "crate"}) {
    request.mutable_options()->set_container(good);
    EXPECT_THAT(checker.Check(request), IsEmpty()) << good;
  }
  request.mutable_options()->set_container("amdhsa");
  const Violations wrong = checker.Check(request);
  ASSERT_EQ(wrong.size(), 1u);
  EXPECT_EQ(wrong[0].first, "options.container");
  EXPECT_EQ(wrong[0].second, "unknown container; the containers are: raw, box, crate");
}

// The same of forms of scans.
TEST(Request, ScansHaveNames) {
  worker::Hello hello;
  hello.add_targets()->set_name("a");
  hello.add_targets()->set_name("b");
  CompileRequest request;
  request.set_spirv("....");
  request.add_targets("a");
  request.mutable_options()->set_scan("star");
  const auto wrong = [&] {
    const Violations all = RequestChecker(hello, ParseConfig({})->limits).Check(request);
    return all.empty() ? "" : all[0].first + ": " + all[0].second;
  };
  EXPECT_EQ(wrong(), "options.scan: no target has forms of scans");
  for (const char* form : {"tree", "line"}) hello.mutable_targets(1)->add_scans(form);
  EXPECT_EQ(wrong(), "options.scan: unknown form of scans; the forms are: tree, line");
  for (const char* good : {"", "tree", "line"}) {
    request.mutable_options()->set_scan(good);
    EXPECT_EQ(wrong(), "") << good;
  }
}

// And of sizes of workgroups of vertices.
TEST(Request, NggGroupsAreThoseOfTargets) {
  worker::Hello hello;
  hello.add_targets()->set_name("a");
  hello.add_targets()->set_name("b");
  CompileRequest request;
  request.set_spirv("....");
  request.add_targets("a");
  request.mutable_options()->set_ngg_group(7);
  const auto wrong = [&] {
    const Violations all = RequestChecker(hello, ParseConfig({})->limits).Check(request);
    return all.empty() ? "" : all[0].first + ": " + all[0].second;
  };
  EXPECT_EQ(wrong(), "options.ngg_group: no target has workgroups of vertices");
  for (const uint32_t size : {8u, 16u}) hello.mutable_targets(1)->add_ngg_groups(size);
  EXPECT_EQ(wrong(),
            "options.ngg_group: no target has workgroups of 7 vertices; the sizes are: 8, 16");
  for (const uint32_t good : {0u, 8u, 16u}) {
    request.mutable_options()->set_ngg_group(good);
    EXPECT_EQ(wrong(), "") << good;
  }
}

TEST(RequestState, ValuesHaveBounds) {
  const auto wrong = [](auto change) { return Wrong(kBoth, "fragment", change); };
  const auto attachment = [](PipelineState* s, uint32_t location) {
    auto* a = s->mutable_fragment()->mutable_color()->add_attachments();
    a->set_location(location);
    return a;
  };
  const char* kAttachments = "options.state.fragment.color.attachments";
  EXPECT_THAT(wrong([&](PipelineState* s) { attachment(s, 7), attachment(s, 0); }), IsEmpty());
  EXPECT_THAT(wrong([&](PipelineState* s) { attachment(s, 8); }), ElementsAre(kAttachments));
  EXPECT_THAT(wrong([&](PipelineState* s) { attachment(s, 1), attachment(s, 1); }),
              ElementsAre(kAttachments));
  EXPECT_THAT(wrong([&](PipelineState* s) { attachment(s, 1)->set_write_mask(16); }),
              ElementsAre(kAttachments));
  EXPECT_THAT(wrong([&](PipelineState* s) {
                attachment(s, 1)->set_type(static_cast<kiln::v1::ColorAttachment::NumericType>(9));
              }),
              ElementsAre(kAttachments));
  for (uint32_t n : {3u, 32u, ~0u}) {
    EXPECT_THAT(wrong([&](PipelineState* s) { s->mutable_fragment()->set_samples(n); }),
                ElementsAre("options.state.fragment.samples"));
  }
  const auto read = [](uint32_t location, uint32_t components) {
    return [=](PipelineState* s) {
      auto* l = s->mutable_next_stage_reads()->add_locations();
      l->set_location(location);
      l->set_components(components);
    };
  };
  const char* kLocations = "options.state.next_stage_reads.locations";
  EXPECT_THAT(wrong(read(31, 15)), IsEmpty());
  EXPECT_THAT(wrong(read(32, 1)), ElementsAre(kLocations));
  EXPECT_THAT(wrong(read(1, 0)), ElementsAre(kLocations));
  EXPECT_THAT(wrong(read(1, 16)), ElementsAre(kLocations));
  EXPECT_THAT(wrong([&](PipelineState* s) { read(1, 1)(s), read(1, 2)(s); }),
              ElementsAre(kLocations));
}

}  // namespace
}  // namespace kiln::server
