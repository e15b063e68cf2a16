#include "client/run/job_sampler.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace kiln::client::run {
namespace {

using nlohmann::json;

// An implementation's sampler with different names.
enum class Address { kClamp, kRepeat, kMirror, kBorder };
enum class Border { kTransparent, kBlack, kWhite };
enum class Compare {
  kNever,
  kLess,
  kEqual,
  kLessEqual,
  kGreater,
  kNotEqual,
  kGreaterEqual,
  kAlways
};
struct Sampler {
  bool linear = true;
  bool linear_mips = true;
  Address address = Address::kRepeat;
  Border border = Border::kWhite;
  std::optional<Compare> compare;
  float min_lod = 1, max_lod = 1, lod_bias = 1;
  bool unnormalized = true;
};

TEST(JobSampler, WhatIsNotSaidIsTheDefault) {
  Sampler s;
  ASSERT_TRUE(TakeSampler(json::object(), &s).ok());
  EXPECT_FALSE(s.linear);
  EXPECT_FALSE(s.linear_mips);
  EXPECT_EQ(s.address, Address::kClamp);
  EXPECT_EQ(s.border, Border::kTransparent);
  EXPECT_FALSE(s.compare.has_value());
  EXPECT_EQ(s.min_lod, 0);
  EXPECT_EQ(s.max_lod, 1000);
  EXPECT_EQ(s.lod_bias, 0);
  EXPECT_FALSE(s.unnormalized);
}

TEST(JobSampler, EveryFieldIsRead) {
  Sampler s;
  ASSERT_TRUE(TakeSampler(json::parse(R"({"filter": "linear", "mipmap": "linear",
      "address": "border", "border": "black", "compare": "less_equal", "min_lod": 0.5,
      "max_lod": 4, "lod_bias": -1, "unnormalized": true})"),
                          &s)
                  .ok());
  EXPECT_TRUE(s.linear);
  EXPECT_TRUE(s.linear_mips);
  EXPECT_EQ(s.address, Address::kBorder);
  EXPECT_EQ(s.border, Border::kBlack);
  EXPECT_EQ(s.compare, Compare::kLessEqual);
  EXPECT_EQ(s.min_lod, 0.5f);
  EXPECT_EQ(s.max_lod, 4);
  EXPECT_EQ(s.lod_bias, -1);
  EXPECT_TRUE(s.unnormalized);
}

TEST(JobSampler, EveryWordHasItsMeaning) {
  const std::pair<const char*, Compare> kCompares[] = {
      {"never", Compare::kNever},     {"less", Compare::kLess},
      {"equal", Compare::kEqual},     {"less_equal", Compare::kLessEqual},
      {"greater", Compare::kGreater}, {"not_equal", Compare::kNotEqual},
      {"always", Compare::kAlways},   {"greater_equal", Compare::kGreaterEqual}};
  for (const auto& [word, meaning] : kCompares) {
    Sampler s;
    ASSERT_TRUE(TakeSampler({{"compare", word}}, &s).ok()) << word;
    EXPECT_EQ(s.compare, meaning) << word;
  }
  const std::pair<const char*, Address> kAddresses[] = {{"clamp", Address::kClamp},
                                                        {"repeat", Address::kRepeat},
                                                        {"mirror", Address::kMirror},
                                                        {"border", Address::kBorder}};
  for (const auto& [word, meaning] : kAddresses) {
    Sampler s;
    ASSERT_TRUE(TakeSampler({{"address", word}}, &s).ok()) << word;
    EXPECT_EQ(s.address, meaning) << word;
  }
}

TEST(JobSampler, AWordThatIsNone) {
  Sampler s;
  for (const char* key : {"filter", "mipmap", "address", "border", "compare"}) {
    const absl::Status status = TakeSampler({{key, "linaer"}}, &s);
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << key;
    EXPECT_NE(status.message().find(std::string("\"") + key + "\": \"linaer\" is not one of"),
              absl::string_view::npos)
        << status;
  }
  EXPECT_NE(TakeSampler({{"filter", "linaer"}}, &s).message().find("did you mean linear?"),
            absl::string_view::npos);
}

// The simulator's sampler has separate filters and modes.
struct SeparateSampler {
  bool mag_linear = true, min_linear = false;
  bool linear_mips = false;
  enum class Mode { kClamp, kRepeat, kMirror, kBorder, kMirrorClamp };
  std::array<Mode, 3> address{};
  Border border = Border::kWhite;
  std::optional<Compare> compare;
  float min_lod = 0, max_lod = 0, lod_bias = 0;
  bool unnormalized = false;
};

TEST(JobSampler, SeparateFiltersAndModes) {
  SeparateSampler s;
  using Mode = SeparateSampler::Mode;
  ASSERT_TRUE(TakeSampler(json::parse(R"({"filter": "nearest", "min_filter": "linear",
      "address": ["mirror_clamp", "repeat"]})"),
                          &s)
                  .ok());
  EXPECT_FALSE(s.mag_linear);
  EXPECT_TRUE(s.min_linear);
  EXPECT_EQ(s.address, (std::array<Mode, 3>{Mode::kMirrorClamp, Mode::kRepeat, Mode::kRepeat}));
  ASSERT_TRUE(TakeSampler(json::parse(R"({"filter": "linear"})"), &s).ok());
  EXPECT_TRUE(s.min_linear);
}

TEST(JobSampler, OneFilterOrModeRefusesTwo) {
  Sampler s;
  for (const char* text :
       {R"({"filter": "nearest", "min_filter": "linear"})", R"({"address": ["clamp", "repeat"]})",
        R"({"address": []})", R"({"address": 3})", R"({"address": ["clamp", 3]})"}) {
    EXPECT_FALSE(TakeSampler(json::parse(text), &s).ok()) << text;
  }
}

}  // namespace
}  // namespace kiln::client::run
