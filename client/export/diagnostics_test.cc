#include "client/export/diagnostics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kiln::client {
namespace {

using kiln::v1::GlslSource;
using kiln::v1::TargetResult;
using testing::ElementsAre;

class DiagnosticsTest : public testing::Test {
 protected:
  DiagnosticsTest() {
    glsl_.set_name("a.comp");
    glsl_.set_text(
        "#version 450\n"
        "int x = y + xy; // y\n"
        "int \xc3\xa4 = y + 2;\n"
        "int z = y + y;\n"
        "/* y */ int u = y;\n");
    auto* include = glsl_.add_includes();
    include->set_spelled("b.h");
    include->set_resolved("inc/b.h");
    include->set_text("float f = oops;\n");
    result_.set_status(TargetResult::INVALID);
    result_.set_cause("invalid_glsl");
  }
  std::vector<Diagnostic> Of(const std::string& message) {
    result_.set_message(message);
    return DiagnosticsOf(result_, glsl_, {{"src/a.comp", "a.comp"}, {"src/inc/b.h", "inc/b.h"}});
  }

  GlslSource glsl_;
  TargetResult result_;
};

TEST_F(DiagnosticsTest, HaveFileLineAndColumnOfEachError) {
  EXPECT_THAT(Of("ERROR: a.comp:2: 'y' : undeclared identifier \n"
                 "ERROR: inc/b.h:1: 'oops' : undeclared identifier \n"
                 "ERROR: inc/b.h:1: '' : compilation terminated \n"
                 "ERROR: 3 compilation errors.  No code generated.\n\n"),
              ElementsAre(Diagnostic{"src/a.comp", 2, 9, 10, "'y' : undeclared identifier"},
                          Diagnostic{"src/inc/b.h", 1, 11, 15, "'oops' : undeclared identifier"}));
}

TEST_F(DiagnosticsTest, ColumnsCountCodePoints) {
  EXPECT_THAT(Of("ERROR: a.comp:3: 'y' : undeclared"),
              ElementsAre(Diagnostic{"src/a.comp", 3, 9, 10, "'y' : undeclared"}));
}

TEST_F(DiagnosticsTest, AreWithoutAColumnThatIsNotCertain) {
  // Twice in the line; a comment of several lines; not in the line; no token; no such line.
  for (const char* place : {"4: 'y' : e", "5: 'y' : e", "2: 'w' : e", "2: '' : e", "90: 'y' : e"}) {
    const std::vector<Diagnostic> found = Of(std::string("ERROR: a.comp:") + place);
    ASSERT_EQ(found.size(), 1u) << place;
    EXPECT_EQ(found[0].path, "src/a.comp");
    EXPECT_EQ(found[0].line, static_cast<uint32_t>(std::stoi(place)));
    EXPECT_EQ(found[0].column, 0u) << place;
    EXPECT_EQ(found[0].end_column, 0u) << place;
  }
  glsl_.set_text("#version 450\n # line 7\nint x = y;\n");
  EXPECT_THAT(Of("ERROR: a.comp:3: 'y' : e"),
              ElementsAre(Diagnostic{"src/a.comp", 3, 0, 0, "'y' : e"}));
}

TEST_F(DiagnosticsTest, OfAMessageWithoutPlacesAreTheFilesOwn) {
  EXPECT_THAT(Of("ERROR: Linking failed\nmore"),
              ElementsAre(Diagnostic{"src/a.comp", 0, 0, 0, "ERROR: Linking failed"}));
  // A place in a text that the request does not have.
  EXPECT_THAT(Of("ERROR: other.comp:3: 'y' : e"),
              ElementsAre(Diagnostic{"src/a.comp", 0, 0, 0, "ERROR: other.comp:3: 'y' : e"}));
}

TEST_F(DiagnosticsTest, OfARefusalAreTheReasonsPlace) {
  result_.set_status(TargetResult::REFUSED);
  result_.set_cause("float64");
  result_.mutable_reason()->set_what("member of a block");
  result_.mutable_reason()->set_source_file("inc/b.h");
  result_.mutable_reason()->set_source_line(7);
  EXPECT_THAT(Of(""),
              ElementsAre(Diagnostic{"src/inc/b.h", 7, 0, 0, "member of a block (inc/b.h:7)"}));
  result_.mutable_reason()->set_source_column(3);
  EXPECT_EQ(Of("")[0].column, 3u);
  // That of a module's debug information is no file of the request.
  result_.mutable_reason()->set_source_file("/build/c.hlsl");
  EXPECT_EQ(Of("")[0].path, "/build/c.hlsl");
}

TEST_F(DiagnosticsTest, AreOnALineAndPrintable) {
  const std::string text = Of("ERROR: a.comp:2: 'y' : un\x1b[31mdeclared")[0].text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
  result_.set_cause("crashed");
  result_.set_status(TargetResult::CRASHED);
  EXPECT_EQ(Of("")[0].text, "crashed");
}

TEST_F(DiagnosticsTest, OfAnOkResultAreNone) {
  result_.set_status(TargetResult::OK);
  EXPECT_TRUE(Of("").empty());
}

}  // namespace
}  // namespace kiln::client
