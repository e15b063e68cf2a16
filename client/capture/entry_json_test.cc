// Fields of an entry's JSON: defaults, types, chains.
#include "client/capture/entry_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kiln::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

EntryDocument Parsed(const std::string& object) {
  auto document = EntryDocument::Parse(
      R"({"version":6,"things":{"00000000000000AB":)" + object + "}}", "things", 0xab);
  EXPECT_TRUE(document.ok()) << document.status();
  return *std::move(document);
}

TEST(EntryJson, ReadsFields) {
  const EntryDocument document =
      Parsed(R"({"n":7,"r":0.5,"s":"x","h":"00000000000000ff","o":{"a":1},"l":[{"a":2}],"u":[3,4],)"
             R"("pNext":[{"sType":5,"a":6},{"sType":8}]})");
  const EntryJson json = document.object();
  EXPECT_EQ(json.Uint("n"), 7u);
  EXPECT_EQ(json.Real("r"), 0.5);
  EXPECT_EQ(*json.Text("s"), "x");
  EXPECT_EQ(json.Hash("h"), 255u);
  EXPECT_EQ(json.Object("o").Uint("a"), 1u);
  EXPECT_EQ(json.Objects("l")[0].Uint("a"), 2u);
  EXPECT_THAT(json.Uints("u"), ElementsAre(3, 4));
  EXPECT_EQ(json.Next(5).Uint("a"), 6u);
  EXPECT_TRUE(json.HasNext(8));
  EXPECT_FALSE(json.HasNext(9));
  EXPECT_TRUE(document.status().ok());
}

TEST(EntryJson, AbsentFieldsHaveDefaults) {
  const EntryDocument document = Parsed("{}");
  const EntryJson json = document.object();
  EXPECT_EQ(json.Uint("n", 9), 9u);
  EXPECT_EQ(json.Text("s"), nullptr);
  EXPECT_EQ(json.Hash("h"), 0u);
  EXPECT_EQ(json.Object("o").Object("p").Uint("n"), 0u);
  EXPECT_THAT(json.Objects("l"), IsEmpty());
  EXPECT_TRUE(document.status().ok());
}

TEST(EntryJson, AWrongTypeIsAnErrorOfTheDocument) {
  const auto error = [](const std::string& object, const auto& read) {
    const EntryDocument document = Parsed(object);
    read(document.object());
    return std::string(document.status().message());
  };
  EXPECT_THAT(error(R"({"n":"7"})", [](EntryJson j) { j.Uint("n"); }), HasSubstr("\"n\""));
  EXPECT_THAT(error(R"({"n":-7})", [](EntryJson j) { j.Number("n"); }), HasSubstr("whole"));
  EXPECT_THAT(error(R"({"n":4294967296})", [](EntryJson j) { j.Uint("n"); }), HasSubstr("32"));
  EXPECT_THAT(error(R"({"h":"xyz"})", [](EntryJson j) { j.Hash("h"); }), HasSubstr("a hash"));
  EXPECT_THAT(error(R"({"h":"0123456789abcdef0"})", [](EntryJson j) { j.Hash("h"); }),
              HasSubstr("a hash"));
  EXPECT_THAT(error(R"({"o":[]})", [](EntryJson j) { j.Object("o"); }), HasSubstr("an object"));
  EXPECT_THAT(error(R"({"l":7})", [](EntryJson j) { j.Objects("l"); }), HasSubstr("a list"));
  EXPECT_THAT(error(R"({"l":[7]})", [](EntryJson j) { j.Objects("l"); }), HasSubstr("a list"));
  EXPECT_THAT(error(R"({"u":{"a":1}})", [](EntryJson j) { j.Uints("u"); }), HasSubstr("a list"));
  EXPECT_THAT(error(R"({"u":["a"]})", [](EntryJson j) { j.Uints("u"); }), HasSubstr("a list"));
  EXPECT_THAT(error(R"({"r":"a"})", [](EntryJson j) { j.Real("r"); }), HasSubstr("a number"));
}

TEST(EntryDocument, RefusesOtherDocuments) {
  const auto error = [](const std::string& text) {
    return std::string(EntryDocument::Parse(text, "things", 0xab).status().message());
  };
  EXPECT_THAT(error("[]"), HasSubstr("not a JSON object"));
  EXPECT_THAT(error("{"), HasSubstr("not a JSON object"));
  EXPECT_THAT(error("{}"), HasSubstr("version 0"));
  EXPECT_THAT(error(R"({"version":7})"), HasSubstr("version 7"));
  EXPECT_THAT(error(R"({"version":6})"), HasSubstr("no \"things\""));
  EXPECT_THAT(error(R"({"version":6,"things":{"ac":{}}})"), HasSubstr("00000000000000ab"));
  EXPECT_THAT(error(R"({"version":6,"things":{"ab":[]}})"), HasSubstr("00000000000000ab"));
}

TEST(EntryDocument, DepthIsNoDanger) {
  EXPECT_FALSE(EntryDocument::Parse(std::string(1000000, '['), "things", 1).ok());
}

}  // namespace
}  // namespace kiln::client
