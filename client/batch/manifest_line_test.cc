// Lines of manifests: keys that are options, mistakes, and a corpus' own keys.
#include "client/batch/manifest_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kiln::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string ErrorOf(const std::string& keys) {
  std::set<std::string> ignored;
  return std::string(ReadManifestLine("{\"file\": \"a.comp\", " + keys + "}", "",
                                      {"state", "output", "o", "disable-pass", "subgroup-size"},
                                      &ignored)
                         .status()
                         .message());
}

TEST(ManifestLine, KeysOfOthersAreCollected) {
  std::set<std::string> ignored;
  for (const char* text : {R"({"file": "a", "licence": "MIT", "sha256": "00"})",
                           R"({"file": "b", "name": "n", "licence": "MIT", "bytes": 3})"}) {
    EXPECT_TRUE(ReadManifestLine(text, "", {}, &ignored).ok());
  }
  EXPECT_THAT(ignored, ElementsAre("bytes", "licence", "sha256"));
}

TEST(ManifestLine, HlslHasKeys) {
  std::set<std::string> ignored;
  const auto line = ReadManifestLine(
      R"({"file": "a", "lang": "hlsl", "row_major": true, "register_shifts": ["t:16:1"]})", "", {},
      &ignored);
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_EQ(line->options.language, Language::kHlsl);
  EXPECT_EQ(line->options.row_major, true);
  ASSERT_EQ(line->options.register_shifts->size(), 1u);
  EXPECT_EQ(line->options.register_shifts->at(0).space(), 1u);
  EXPECT_THAT(ErrorOf(R"("lang": "slang")"), HasSubstr("\"lang\" is wrong: 'slang' is not a"));
  EXPECT_THAT(ErrorOf(R"("row_major": 1)"), HasSubstr("must be true or false"));
  EXPECT_THAT(ErrorOf(R"("register_shifts": ["t"])"), HasSubstr("has t: must be KIND:N"));
}

TEST(ManifestLine, MisspelledKeysAreErrors) {
  EXPECT_EQ(ErrorOf(R"("target": ["tgl"])"),
            "\"target\" is not a key of a manifest; did you mean \"targets\"?");
  EXPECT_THAT(ErrorOf(R"("wdiths": [8])"), HasSubstr("did you mean \"widths\"?"));
  EXPECT_THAT(ErrorOf(R"("define": ["A"])"), HasSubstr("did you mean \"defines\"?"));
  EXPECT_THAT(ErrorOf(R"("entry_points": ["a"])"), HasSubstr("did you mean"));
  EXPECT_THAT(ErrorOf(R"("DEFINES": ["A"])"), HasSubstr("did you mean \"defines\"?"));
  // The corpus' own list beside the manifest's key.
  EXPECT_EQ(ErrorOf(R"("entry_points": ["a", "b"], "entry_point": "a")"), "");
}

TEST(ManifestLine, KeysOfOtherCommandsAreErrorsWithTheRemedy) {
  EXPECT_THAT(ErrorOf(R"("pipeline_state": {})"), HasSubstr("write \"state\""));
  EXPECT_THAT(ErrorOf(R"("view_mask": 3)"), HasSubstr("--state=FILE.json"));
  EXPECT_THAT(ErrorOf(R"("vert": "a.vert")"), HasSubstr("write \"vertex\""));
  EXPECT_THAT(ErrorOf(R"("dispatch": [1, 1, 1])"), HasSubstr("kiln run"));
  EXPECT_THAT(ErrorOf(R"("base": [1, 0, 0])"), HasSubstr("kiln run"));
  EXPECT_THAT(ErrorOf(R"("spec_constants": {})"), HasSubstr("\"spec\""));
  EXPECT_THAT(ErrorOf(R"("output": "x")"), HasSubstr("--output on the command line"));
  EXPECT_THAT(ErrorOf(R"("o": "x")"), HasSubstr("give -o on the command line"));
}

TEST(ManifestLine, HasAState) {
  std::set<std::string> ignored;
  const auto line = ReadManifestLine(
      R"({"file": "a.frag", "state": {"fragment": {"samples": 4}}, "permutations": "A=0,1"})", "",
      {}, &ignored);
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_EQ(line->options.state->fragment().samples(), 4u);
  EXPECT_EQ(line->options.permutations->size(), 2u);
  EXPECT_THAT(ErrorOf(R"("state": {"fragmnt": {}})"),
              HasSubstr("\"state\" is not a pipeline state"));
  EXPECT_THAT(ErrorOf(R"("state": "s.json")"), HasSubstr("\"state\" must be an object"));
  EXPECT_THAT(ErrorOf(R"("permutations": "A")"), HasSubstr("\"permutations\" 'A': must be"));
  EXPECT_THAT(ErrorOf(R"("permutations": ["A=1"])"), HasSubstr("must be a string"));
}

TEST(ManifestLine, NamesThePairOfAPipeline) {
  std::set<std::string> ignored;
  const auto read = [&](const std::string& text) {
    return ReadManifestLine("{" + text + "}", "", {}, &ignored);
  };
  const auto pair =
      read(R"("vertex": "a", "fragment": "b", "entry": "vs,fs", "vertex_spec": ["1=bool:true"])");
  ASSERT_TRUE(pair.ok()) << pair.status();
  EXPECT_EQ(pair->file, "a");
  EXPECT_EQ(pair->fragment, "b");
  EXPECT_TRUE(pair->options.vertex_spec->at(0).bool_value());
  const auto error = [&](const std::string& text) {
    return std::string(read(text).status().message());
  };
  EXPECT_THAT(error(R"("vertex": "a")"), HasSubstr("\"fragment\" is missing"));
  EXPECT_THAT(error(R"("fragment": "a")"), HasSubstr("\"vertex\" is missing"));
  EXPECT_THAT(error(R"("file": "c", "vertex": "a", "fragment": "b")"),
              HasSubstr("\"file\" excludes"));
  EXPECT_THAT(error(R"("vertex": "a", "fragment": "b", "stage": "vert")"),
              HasSubstr("\"stage\" is not for a pair"));
  EXPECT_THAT(error(R"("vertex": "a", "fragment": "b", "entry": "a,b,c")"),
              HasSubstr("VERTEX,FRAGMENT"));
  EXPECT_THAT(error(R"("vertex": "a", "fragment": "b", "state": {"next_stage_reads": {}})"),
              HasSubstr("next_stage_reads"));
  EXPECT_THAT(error(R"("file": "a", "vertex_spec": [])"),
              HasSubstr("\"vertex_spec\" is for a pair"));
}

TEST(ManifestLine, WhatIsNoManifestLineIsSaid) {
  std::set<std::string> ignored;
  const auto error = [&](const std::string& text) {
    return std::string(ReadManifestLine(text, "", {}, &ignored).status().message());
  };
  EXPECT_THAT(error("[1]"), HasSubstr("not a JSON object"));
  EXPECT_THAT(error("{\"file\": \"\xff\"}"), HasSubstr("not UTF-8"));
  EXPECT_EQ(error("{}"), "\"file\" is missing");
  EXPECT_EQ(error(R"({"file": "a", "defines": ["A=1"], "defines": []})"),
            "\"defines\" is given twice; give each key once");
  // Only keys of the line itself are checked, not those of nested objects, which are the corpus'
  // own.
  EXPECT_EQ(error(R"({"file": "a", "own": {"x": 1, "x": 2}, "more": [{"x": 1}, {"x": 2}]})"), "");
}

}  // namespace
}  // namespace kiln::client
