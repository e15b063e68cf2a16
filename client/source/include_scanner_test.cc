// Includes: lines that count as one, where files are found, cycles, limits, sent texts.
#include "client/source/include_scanner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace kiln::client {
namespace {

using kiln::v1::GlslSource;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(FindIncludes, Forms) {
  EXPECT_THAT(FindIncludes("#include \"a.h\"\n"
                           "  #  include   <b/c.h>  // why\n"
                           "#\tinclude/* x */\"d.h\""),
              ElementsAre(IncludeLine{"a.h", false, 1}, IncludeLine{"b/c.h", true, 2},
                          IncludeLine{"d.h", false, 3}));
}

TEST(FindIncludes, NotInComments) {
  EXPECT_THAT(FindIncludes("// #include \"a.h\"\n"
                           "/* #include \"b.h\"\n#include \"c.h\"\n */\n"
                           "/**/ #include \"d.h\"\n"
                           "// joined \\\n#include \"e.h\"\n"
                           "// dos \\\r\n#include \"f.h\"\r\n"
                           "int x; #include \"g.h\"\n"),
              ElementsAre(IncludeLine{"d.h", false, 5}));
}

TEST(FindIncludes, JoinedLinesAndOddPaths) {
  EXPECT_THAT(FindIncludes("#inc\\\nlude \"a//b.h\"\n#include \"x/*y*/\"\n#include \"z.h\"\r\n"),
              ElementsAre(IncludeLine{"a//b.h", false, 1}, IncludeLine{"x/*y*/", false, 3},
                          IncludeLine{"z.h", false, 4}));
}

TEST(FindIncludes, NotIncludes) {
  EXPECT_THAT(FindIncludes("#include MACRO\n#include \"open\n#include\n#included \"x\"\n"
                           "include \"a.h\"\n#include \"\"\n#define include \"q\"\n/* open"),
              IsEmpty());
}

class ResolveTest : public testing::Test {
 protected:
  absl::Status Resolve(const std::string& main, std::vector<std::string> folders = {}) {
    glsl_.set_name("src/main.comp");
    glsl_.set_text(main);
    ReadFile read = [this](const std::string& path, uint64_t) -> absl::StatusOr<std::string> {
      ++reads_[path];
      auto it = files_.find(path);
      if (it == files_.end()) return absl::NotFoundError(path);
      return it->second;
    };
    return ResolveIncludes("src/main.comp", {std::move(folders), root_}, limits_, read, &glsl_,
                           &missing_);
  }
  std::vector<std::string> Sent() const {
    std::vector<std::string> sent;
    for (const auto& i : glsl_.includes()) {
      sent.push_back(i.includer() + "|" + i.spelled() + "|" + i.resolved() + "|" + i.text());
    }
    return sent;
  }

  std::map<std::string, std::string> files_;
  std::map<std::string, int> reads_;
  std::string root_;
  IncludeLimits limits_;
  GlslSource glsl_;
  std::vector<MissingInclude> missing_;
};

TEST_F(ResolveTest, BackslashesAreSlashesInHlslAlone) {
  files_ = {{"src/sub/a.h", "a"}};
  ASSERT_TRUE(Resolve("#include \"sub\\a.h\"\n").ok());
  EXPECT_THAT(Sent(), IsEmpty());
  glsl_.mutable_hlsl();
  ASSERT_TRUE(Resolve("#include \"sub\\a.h\"\n").ok());
  EXPECT_THAT(Sent(), ElementsAre("|sub\\a.h|src/sub/a.h|a"));
}

TEST_F(ResolveTest, OfTwoFormsTheFoundOneIsSent) {
  files_ = {{"src/a.h", "a"}};
  for (const char* text :
       {"#include <a.h>\n#include \"a.h\"\n", "#include \"a.h\"\n#include <a.h>\n"}) {
    glsl_.clear_includes();
    missing_.clear();
    ASSERT_TRUE(Resolve(text).ok());
    EXPECT_THAT(Sent(), ElementsAre("|a.h|src/a.h|a"));
    ASSERT_EQ(missing_.size(), 1u);
    EXPECT_TRUE(missing_[0].line.angle);
  }
}

TEST_F(ResolveTest, QuotesLookBesideTheIncluderAnglesOnlyInFolders) {
  files_ = {{"src/a.h", "beside"}, {"inc/a.h", "folder"}, {"inc/b.h", "b"}};
  ASSERT_TRUE(Resolve("#include \"a.h\"\n#include \"b.h\"\n", {"none", "inc"}).ok());
  EXPECT_THAT(Sent(), ElementsAre("|a.h|src/a.h|beside", "|b.h|inc/b.h|b"));
  glsl_.Clear();
  ASSERT_TRUE(Resolve("#include <a.h>\n", {"inc"}).ok());
  EXPECT_THAT(Sent(), ElementsAre("|a.h|inc/a.h|folder"));
}

TEST_F(ResolveTest, NestedRelativePaths) {
  files_ = {{"src/lib/a.h", "#include \"../b.h\"\n#include \"c.h\""},
            {"src/b.h", "b"},
            {"src/lib/c.h", "c"}};
  ASSERT_TRUE(Resolve("#include \"lib/a.h\"").ok());
  EXPECT_THAT(Sent(), ElementsAre("|../b.h|src/b.h|b", "|c.h|src/lib/c.h|c",
                                  "|lib/a.h|src/lib/a.h|#include \"../b.h\"\n#include \"c.h\""));
  EXPECT_THAT(missing_, IsEmpty());
}

TEST_F(ResolveTest, CyclesEnd) {
  files_ = {{"src/a.h", "#include \"b.h\""}, {"src/b.h", "#include \"a.h\"\n#include \"b.h\""}};
  ASSERT_TRUE(Resolve("#include \"a.h\"\n#include \"a.h\"").ok());
  EXPECT_EQ(glsl_.includes_size(), 2);
  EXPECT_EQ(reads_["src/a.h"], 1);
}

TEST_F(ResolveTest, SameSpellingDifferentFiles) {
  files_ = {{"src/x/a.h", "#include \"c.h\""},
            {"src/y/b.h", "#include \"c.h\""},
            {"src/x/c.h", "cx"},
            {"src/y/c.h", "cy"}};
  ASSERT_TRUE(Resolve("#include \"x/a.h\"\n#include \"y/b.h\"").ok());
  EXPECT_THAT(Sent(),
              testing::IsSupersetOf({"src/x/a.h|c.h|src/x/c.h|cx", "src/y/b.h|c.h|src/y/c.h|cy"}));
}

TEST_F(ResolveTest, FoundByOneIncluderIsNotGivenToAnother) {
  files_ = {{"src/x/a.h", "#include \"c.h\""}, {"src/x/c.h", "cx"}};
  ASSERT_TRUE(Resolve("#include \"x/a.h\"\n#include \"c.h\"").ok());
  EXPECT_THAT(Sent(), testing::Contains("src/x/a.h|c.h|src/x/c.h|cx"));
  ASSERT_EQ(missing_.size(), 1u);
  EXPECT_EQ(missing_[0].includer, "src/main.comp");
  EXPECT_EQ(missing_[0].line.line, 2);
}

TEST_F(ResolveTest, QuotesAndAnglesThatDifferAreRefused) {
  files_ = {{"src/a.h", "1"}, {"inc/a.h", "2"}};
  absl::Status status = Resolve("#include \"a.h\"\n#include <a.h>", {"inc"});
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("src/main.comp:2: \"a.h\" and <a.h>"));
}

TEST_F(ResolveTest, NamesAreRelativeToTheRoot) {
  root_ = "./src";
  files_ = {{"src/a.h", "#include \"b.h\""}, {"src/b.h", "b"}, {"inc/b.h", "other"}};
  ASSERT_TRUE(Resolve("#include \"a.h\"\n#include <b.h>", {"inc"}).ok());
  EXPECT_THAT(Sent(), testing::UnorderedElementsAre("|a.h|a.h|#include \"b.h\"", "a.h|b.h|b.h|b",
                                                    "src/main.comp|b.h|inc/b.h|other"));
}

TEST_F(ResolveTest, Limits) {
  files_ = {{"src/a.h", "#include \"b.h\""}, {"src/b.h", std::string(100, ' ')}};
  limits_.files = 1;
  EXPECT_TRUE(absl::IsResourceExhausted(Resolve("#include \"a.h\"")));
  limits_ = {10, 100};
  EXPECT_TRUE(absl::IsResourceExhausted(Resolve("#include \"a.h\"")));
  limits_ = {10, 1000};
  EXPECT_TRUE(Resolve("#include \"a.h\"").ok());
}

TEST_F(ResolveTest, ATextAloneMayBeTooLarge) {
  limits_ = {10, 100};
  const absl::Status status = Resolve(std::string(101, ' '));
  EXPECT_TRUE(absl::IsResourceExhausted(status));
  EXPECT_THAT(std::string(status.message()),
              testing::HasSubstr("the text has 101 bytes; at most 100"));
}

// A file that is sent for each includer counts for each.
TEST_F(ResolveTest, LimitsAreOnWhatIsSent) {
  files_ = {{"src/x/a.h", "#include \"c.h\""},
            {"src/x/b.h", "#include \"c.h\""},
            {"src/y/d.h", "#include \"c.h\""},
            {"src/x/c.h", std::string(1000, ' ')},
            {"src/y/c.h", ""}};
  const std::string main = "#include \"x/a.h\"\n#include \"x/b.h\"\n#include \"y/d.h\"";
  limits_ = {5, 10'000};
  EXPECT_TRUE(absl::IsResourceExhausted(Resolve(main)));
  EXPECT_EQ(glsl_.includes_size(), 0);
  limits_ = {6, 2000};
  EXPECT_TRUE(absl::IsResourceExhausted(Resolve(main)));
  limits_ = {6, 2200};
  EXPECT_TRUE(Resolve(main).ok());
  EXPECT_EQ(glsl_.includes_size(), 6);
}

}  // namespace
}  // namespace kiln::client
