// Tests that every component changes the key and only its own hash, and that order without meaning
// does not.
#include "server/key/key.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "server/key/source_digest.h"

namespace kiln::cache {
namespace {

using kiln::v1::CompileOptions;
using kiln::v1::CompileRequest;

kiln::v1::Capabilities::TargetInfo Tgl(uint32_t code = 1, uint32_t abi = 1) {
  kiln::v1::Capabilities::TargetInfo t;
  t.set_name("tgl");
  t.set_code_generation_version(code);
  t.set_abi_version(abi);
  return t;
}

TEST(Sha256Test, KnownAnswer) {
  EXPECT_EQ(ToHex(Sha256("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(CanonicalWriterTest, FieldsDoNotRunTogether) {
  const auto key = [](const std::vector<std::string>& fields) {
    CanonicalWriter writer("t");
    for (const std::string& field : fields) writer.Add(field);
    return writer.Finish();
  };
  EXPECT_EQ(key({"ab", "c"}), key({"ab", "c"}));
  EXPECT_NE(key({"ab", "c"}), key({"a", "bc"}));
  EXPECT_NE(key({"ab", "c"}), key({"abc"}));
  EXPECT_NE(key({"ab", "c"}), key({"ab", "c", ""}));
}

TEST(KeyTest, EveryComponentCounts) {
  CompileOptions plain, widths, disabled, unvalidated, bisect, size, full, base, container, scan,
      named, group;
  size.set_required_subgroup_size(16);
  full.set_require_full_subgroups(true);
  base.set_dispatch_base(true);
  container.set_container("amdhsa");
  scan.set_scan("tree");
  named.set_container("tree");
  group.set_ngg_group(256);
  widths.add_widths(16);
  disabled.add_disabled_passes("cse");
  unvalidated.set_no_validate(true);
  bisect.set_bisect_limit(0);
  Digest m = Sha256("module"), other = Sha256("other");
  auto tgl = HashTarget(Tgl());
  auto skl_info = Tgl();
  skl_info.set_name("skl");
  std::set<Digest> keys = {
      ResultKey(HashShader(m, "main", "compute", {}, plain), tgl),
      ResultKey(HashShader(other, "main", "compute", {}, plain), tgl),
      ResultKey(HashShader(m, "main2", "compute", {}, plain), tgl),
      ResultKey(HashShader(m, "main", "", {}, plain), tgl),
      ResultKey(HashShader(m, "", "main", {}, plain), tgl),
      ResultKey(HashShader(m, "main", "compute", {{0, {0}}}, plain), tgl),
      ResultKey(HashShader(m, "main", "compute", {{0, {1}}}, plain), tgl),
      ResultKey(HashShader(m, "main", "compute", {{1, {0}}}, plain), tgl),
      ResultKey(HashShader(m, "main", "compute", {}, widths), tgl),
      ResultKey(HashShader(m, "main", "compute", {}, base), tgl),
      ResultKey(HashShader(m, "main", "compute", {}, disabled), tgl),
      ResultKey(HashShader(m, "main", "compute", {}, unvalidated), tgl),
      ResultKey(HashShader(m, "main", "compute", {}, bisect), tgl),
      ResultKey(HashShader(m, "main", "compute", {}, size), tgl),
      ResultKey(HashShader(m, "main", "compute", {}, full), tgl),
      ResultKey(HashShader(m, "main", "compute", {}, container), tgl),
      ResultKey(HashShader(m, "main", "compute", {}, scan), tgl),
      ResultKey(HashShader(m, "main", "compute", {}, named), tgl),
      ResultKey(HashShader(m, "main", "compute", {}, group), tgl),
      ResultKey(HashShader(m, "main", "compute", {}, plain), HashTarget(skl_info)),
      ResultKey(HashShader(m, "main", "compute", {}, plain), HashTarget(Tgl(2))),
      ResultKey(HashShader(m, "main", "compute", {}, plain), HashTarget(Tgl(1, 2))),
  };
  EXPECT_EQ(keys.size(), 22u);
}

// A result is not taken for one that has other figures, or the same in another order or unit.
TEST(KeyTest, StatisticsCount) {
  using Rows = std::vector<std::pair<std::string, std::string>>;
  const ShaderComponents shader = HashShader(Sha256("m"), "main", "", {}, {});
  std::set<Digest> keys;
  for (const Rows& rows : {Rows{}, Rows{{"sends", "messages"}}, Rows{{"sends", "bytes"}},
                           Rows{{"loops", "loops"}, {"sends", "messages"}},
                           Rows{{"sends", "messages"}, {"loops", "loops"}}}) {
    auto tgl = Tgl();
    for (const auto& [name, unit] : rows) {
      auto* row = tgl.add_statistics();
      row->set_name(name);
      row->set_unit(unit);
      row->set_counts("Words for people, which may change.");
    }
    keys.insert(ResultKey(shader, HashTarget(tgl)));
    for (auto& row : *tgl.mutable_statistics()) row.set_counts("Others.");
    keys.insert(ResultKey(shader, HashTarget(tgl)));
  }
  EXPECT_EQ(keys.size(), 5u);
}

TEST(KeyTest, ComponentsAreHashedApart) {
  CompileOptions plain, widths;
  widths.add_widths(8);
  auto a = HashShader(Sha256("m"), "main", "", {}, plain);
  auto b = HashShader(Sha256("m"), "main", "", {}, widths);
  EXPECT_EQ(a.module, b.module);
  EXPECT_EQ(a.entry, b.entry);
  EXPECT_EQ(a.spec_constants, b.spec_constants);
  EXPECT_NE(a.options, b.options);
}

// Stores outlive a build, so the key of a request without pipeline state must not change, but with
// the target's statistics, of which these have none. The digests were made outside this code, from
// the layout that key.h and sha256.h describe.
TEST(KeyTest, KeysOfComputeRequestsStay) {
  const Digest m = Sha256("module");
  const ShaderComponents bare = HashShader(m, "", "", {}, {});
  EXPECT_EQ(ToHex(bare.options),
            "c77085cf31594071f2c2a8fafec9c39ba1fa3c51d6ae486b059b61c5cbe1c743");
  EXPECT_EQ(ToHex(ResultKey(bare, HashTarget(Tgl()))),
            "a96e033797ebe04d0dc266876b61932e17727cd8da2dd2be023ca5264f4a6ae4");
  CompileOptions o;
  for (uint32_t width : {8u, 16u}) o.add_widths(width);
  for (const char* pass : {"x", "y"}) o.add_disabled_passes(pass);
  o.set_no_validate(true);
  o.set_bisect_limit(7);
  o.set_required_subgroup_size(16);
  o.set_require_full_subgroups(true);
  o.set_dispatch_base(true);
  const ShaderComponents full = HashShader(m, "main", "compute", {{3, {5, SpecType::kInt32}}}, o);
  EXPECT_EQ(ToHex(full.options),
            "1fc240e6fa86b3d965c500895f2ad7837c1e08f8ec557570e59de6b2a377699f");
  EXPECT_EQ(ToHex(ResultKey(full, HashTarget(Tgl(8, 2)))),
            "b3904f98584a880a460f682d729e7631a22c442bee50eeeeba663fada9ba9e79");
}

// Raw code has the keys of the time before there were containers.
TEST(KeyTest, RawCodeIsTheDefaultContainer) {
  const Digest m = Sha256("module");
  CompileOptions raw, boxed;
  raw.set_container("raw");
  boxed.set_container("amdhsa");
  EXPECT_EQ(HashShader(m, "", "", {}, raw).options, HashShader(m, "", "", {}, {}).options);
  EXPECT_NE(HashShader(m, "", "", {}, boxed).options, HashShader(m, "", "", {}, {}).options);
}

TEST(KeyTest, OrderAndRepetitionWithoutMeaningDoNotCount) {
  CompileOptions a, b;
  for (int w : {8, 16}) a.add_widths(static_cast<uint32_t>(w));
  for (int w : {16, 8, 16}) b.add_widths(static_cast<uint32_t>(w));
  for (const char* p : {"x", "y"}) a.add_disabled_passes(p);
  for (const char* p : {"y", "x"}) b.add_disabled_passes(p);
  Digest m = Sha256("m");
  EXPECT_EQ(HashShader(m, "", "", {}, a).options, HashShader(m, "", "", {}, b).options);
}

// Keys in the stores of earlier builds: they must not change.
TEST(KeyTest, ComputeKeysHaveNoStateInThem) {
  CompileOptions options;
  options.add_widths(16);
  const auto tgl = HashTarget(Tgl());
  const auto key = [&](const CompileOptions& o) {
    return ToHex(ResultKey(HashShader(Sha256("module"), "main", "compute", {{3, {7}}}, o), tgl));
  };
  EXPECT_EQ(key(options), "35a68a8bdc2cdcac791bc7f8025d8b624b01275780f87e85555ce86d804afefe");
  EXPECT_EQ(key({}), "888b56afe24fabe9198e9e9af7cb4792f1c0c8f963e588322a553d4a4bc729a9");
  // Sets only state that is the default.
  auto* state = options.mutable_state();
  EXPECT_EQ(key(options), "35a68a8bdc2cdcac791bc7f8025d8b624b01275780f87e85555ce86d804afefe");
  state->mutable_fragment()->set_samples(1);
  EXPECT_EQ(key(options), "35a68a8bdc2cdcac791bc7f8025d8b624b01275780f87e85555ce86d804afefe");
}

TEST(KeyTest, EachPartOfStateCounts) {
  using kiln::v1::PipelineState;
  const auto key = [](auto change) {
    CompileOptions options;
    change(options.mutable_state());
    return ResultKey(HashShader(Sha256("m"), "", "fragment", {}, options), HashTarget(Tgl()));
  };
  const auto attachment = [](PipelineState* s, uint32_t location) {
    auto* a = s->mutable_fragment()->mutable_color()->add_attachments();
    a->set_location(location);
    return a;
  };
  std::set<Digest> keys = {
      key([](PipelineState*) {}),
      key([&](PipelineState* s) { attachment(s, 0); }),
      key([&](PipelineState* s) { attachment(s, 1); }),
      key([&](PipelineState* s) { attachment(s, 0), attachment(s, 1); }),
      key([&](PipelineState* s) { attachment(s, 0)->set_type(kiln::v1::ColorAttachment::UINT); }),
      key([&](PipelineState* s) { attachment(s, 0)->set_write_mask(7); }),
      key([&](PipelineState* s) { attachment(s, 0)->set_write_mask(0); }),
      key([](PipelineState* s) { s->mutable_fragment()->mutable_color(); }),
      key([&](PipelineState* s) { attachment(s, 0)->set_second_blend_source(true); }),
      key([&](PipelineState* s) {
        attachment(s, 0)->set_precision(kiln::v1::ColorAttachment::FLOAT_16);
      }),
      key([&](PipelineState* s) {
        attachment(s, 0)->set_precision(kiln::v1::ColorAttachment::UNORM_16);
      }),
      key([&](PipelineState* s) { attachment(s, 0)->set_blend_reads_alpha(true); }),
      key([&](PipelineState* s) {
        auto* a = attachment(s, 0);
        a->set_blend_reads_alpha(true), a->set_precision(kiln::v1::ColorAttachment::FLOAT_16);
      }),
      key([](PipelineState* s) { s->mutable_fragment()->set_samples(4); }),
      key([](PipelineState* s) { s->mutable_fragment()->set_sample_shading(true); }),
      key([](PipelineState* s) { s->mutable_fragment()->set_alpha_to_coverage(true); }),
      key([](PipelineState* s) { s->mutable_fragment()->set_alpha_to_one(true); }),
      key([](PipelineState* s) { s->mutable_next_stage_reads(); }),
      key([](PipelineState* s) {
        auto* l = s->mutable_next_stage_reads()->add_locations();
        l->set_location(1), l->set_components(1);
      }),
      key([](PipelineState* s) {
        auto* l = s->mutable_next_stage_reads()->add_locations();
        l->set_location(1), l->set_components(3);
      }),
      key([](PipelineState* s) { s->mutable_next_stage_reads()->add_builtins("viewport"); }),
      key([](PipelineState* s) { s->mutable_next_stage_reads()->add_builtins("primitive_id"); }),
      key([](PipelineState* s) { s->add_instance_rates()->set_location(1); }),
      key([](PipelineState* s) { s->set_primitive_culling(PipelineState::CULLING_ON); }),
      key([](PipelineState* s) { s->set_primitive_culling(PipelineState::CULLING_OFF); }),
      key([](PipelineState* s) { s->add_instance_rates()->set_divisor(0); }),
      key([](PipelineState* s) { s->set_view_mask(1); }),
      key([](PipelineState* s) { s->set_view_mask(3); }),
  };
  EXPECT_EQ(keys.size(), 28u);
  EXPECT_EQ(key([](PipelineState* s) { s->set_view_mask(0); }), key([](PipelineState*) {}));
  // Order and defaults do not change the key.
  EXPECT_EQ(key([&](PipelineState* s) { attachment(s, 1), attachment(s, 0); }),
            key([&](PipelineState* s) { attachment(s, 0)->set_write_mask(15), attachment(s, 1); }));
  EXPECT_EQ(key([](PipelineState* s) { s->add_instance_rates()->set_divisor(1); }),
            key([](PipelineState* s) { s->add_instance_rates(); }));
}

TEST(KeyTest, SpecConstantsAreBitsAndTypes) {
  CompileRequest r;
  auto add = [&](uint32_t id) {
    auto* c = r.add_spec_constants();
    c->set_id(id);
    return c;
  };
  add(9)->set_bool_value(true);
  add(1)->set_int_value(-1);
  add(2)->set_float_value(1.0f);
  add(3)->set_double_value(-2.0);
  add(4)->set_int64_value(-1);
  add(5)->set_bits(0x3c00);
  add(6)->set_uint_value(1);
  add(7)->set_uint64_value(1);
  auto values = SpecValues(r.spec_constants());
  auto bits = [&](uint32_t id) { return values[id].bits; };
  EXPECT_EQ(bits(9), 1u);
  EXPECT_EQ(bits(1), 0xffffffffu);
  EXPECT_EQ(bits(2), 0x3f800000u);
  EXPECT_EQ(bits(3), 0xc000000000000000u);
  EXPECT_EQ(bits(4), ~uint64_t{0});
  EXPECT_EQ(bits(5), 0x3c00u);
  EXPECT_EQ(values[9].type, SpecType::kBool);
  EXPECT_EQ(values[1].type, SpecType::kInt32);
  EXPECT_EQ(values[4].type, SpecType::kInt64);
  EXPECT_EQ(values[5].type, SpecType::kBits);
  EXPECT_EQ(values[6].type, SpecType::kUint32);
  EXPECT_EQ(values[7].type, SpecType::kUint64);
  // A value of the wrong type is an error, which must not be the answer to a request with the right
  // one.
  auto key = [](SpecType type) {
    return HashShader(Sha256("m"), "", "", {{1, {4, type}}}, {}).spec_constants;
  };
  EXPECT_NE(key(SpecType::kInt32), key(SpecType::kFloat32));
}

TEST(SourceDigestTest, GlslCoversEverything) {
  kiln::v1::GlslSource base;
  base.set_text("void main() {}");
  base.set_name("a.comp");
  base.set_stage("compute");
  std::set<Digest> digests = {GlslDigest(base)};
  auto with = [&](auto change) {
    auto g = base;
    change(&g);
    digests.insert(GlslDigest(g));
  };
  with([](auto* g) { g->set_text("void main() { }"); });
  with([](auto* g) { g->set_name("b.comp"); });
  with([](auto* g) { g->set_stage("fragment"); });
  with([](auto* g) { g->add_defines()->set_name("A"); });
  with([](auto* g) { g->add_includes()->set_spelled("A"); });
  with([](auto* g) { g->add_includes()->set_text("A"); });
  EXPECT_EQ(digests.size(), 7u);
  EXPECT_NE(TranslationKey(GlslDigest(base), "12"), TranslationKey(GlslDigest(base), "13"));
}

// The documented layout, byte by byte, as clients in other languages must compute it.
TEST(SourceDigestTest, GlslLayoutIsAsDocumented) {
  kiln::v1::GlslSource g;
  g.set_text("T");
  auto le = [](char n) { return std::string(1, n) + std::string(7, '\0'); };
  std::string bytes = le(11) + "kiln.glsl.1" + le(0) + le(0) + le(1) + "T" + le(0) + le(0);
  EXPECT_EQ(GlslDigest(g), Sha256(bytes));
}

kiln::v1::GlslSource Hlsl() {
  kiln::v1::GlslSource g;
  g.set_text("T");
  g.mutable_hlsl();
  return g;
}

TEST(SourceDigestTest, HlslCoversEverything) {
  using kiln::v1::GlslSource;
  kiln::v1::GlslSource glsl = Hlsl();
  glsl.clear_hlsl();
  std::set<Digest> digests = {GlslDigest(glsl), GlslDigest(Hlsl())};
  const auto with = [&](auto change) {
    auto g = Hlsl();
    change(g.mutable_hlsl());
    digests.insert(GlslDigest(g));
  };
  with([](auto* h) { h->set_entry_point("A"); });
  with([](auto* h) { h->set_row_major(true); });
  with([](auto* h) { h->add_register_shifts(); });
  with([](auto* h) { h->add_register_shifts()->set_kind(GlslSource::RegisterShift::U); });
  with([](auto* h) { h->add_register_shifts()->set_space(0); });
  with([](auto* h) { h->add_register_shifts()->set_space(1); });
  with([](auto* h) { h->add_register_shifts()->set_shift(1); });
  EXPECT_EQ(digests.size(), 9u);
  auto main = Hlsl();
  main.mutable_hlsl()->set_entry_point("main");
  EXPECT_EQ(GlslDigest(main), GlslDigest(Hlsl()));
}

// Byte by byte, as that of GLSL.
TEST(SourceDigestTest, HlslLayoutIsAsDocumented) {
  auto g = Hlsl();
  g.mutable_hlsl()->set_entry_point("E");
  g.mutable_hlsl()->set_row_major(true);
  auto* shift = g.mutable_hlsl()->add_register_shifts();
  shift->set_kind(kiln::v1::GlslSource::RegisterShift::S);
  shift->set_space(4);
  shift->set_shift(7);
  const auto le = [](char n) { return std::string(1, n) + std::string(7, '\0'); };
  const std::string bytes = le(11) + "kiln.hlsl.1" + le(0) + le(0) + le(1) + "T" + le(0) + le(0) +
                            le(1) + "E" + le(1) + le(1) + le(2) + le(5) + le(7);
  EXPECT_EQ(GlslDigest(g), Sha256(bytes));
}

}  // namespace
}  // namespace kiln::cache
