// Finds the same text in a parsed message and in its bytes.
#include "proto/bad_text.h"

#include <gtest/gtest.h>

#include <random>

#include "kiln/v1/compiler.pb.h"

namespace kiln {
namespace {

using v1::CompileRequest;
using v1::StreamRequest;

CompileRequest Good() {
  CompileRequest request;
  request.mutable_glsl()->set_text("void main() {}  // \xc3\xa4");
  request.mutable_glsl()->add_defines()->set_name("A");
  request.mutable_glsl()->add_includes()->set_text("x");
  request.mutable_glsl()->add_includes()->set_text("y");
  request.add_targets("tgl");
  request.add_targets("skl");
  request.mutable_options()->add_disabled_passes("cse");
  return request;
}

// Serialises right bytes and replaces them by wrong ones: serialising wrong ones makes protobuf
// write to the log.
std::string BytesWith(const CompileRequest& request, const std::string& right,
                      const std::string& wrong) {
  std::string bytes = request.SerializeAsString();
  const size_t at = bytes.find(right);
  EXPECT_NE(at, std::string::npos);
  return bytes.replace(at, right.size(), wrong);
}

TEST(BadText, GoodMessagesHaveNone) {
  EXPECT_FALSE(FindBadText(Good()).has_value());
  EXPECT_FALSE(FindBadText(Good().SerializeAsString(), *CompileRequest::descriptor()).has_value());
  CompileRequest module;
  module.set_spirv("\xff\xfe");  // bytes are not text
  EXPECT_FALSE(FindBadText(module).has_value());
  EXPECT_FALSE(FindBadText(module.SerializeAsString(), *CompileRequest::descriptor()).has_value());
}

TEST(BadText, NamesTheField) {
  struct {
    const char* field;
    void (*change)(CompileRequest*, const std::string&);
  } const cases[] = {
      {"entry_point", [](CompileRequest* r, const std::string& t) { r->set_entry_point(t); }},
      {"stage", [](CompileRequest* r, const std::string& t) { r->set_stage(t); }},
      {"targets[1]", [](CompileRequest* r, const std::string& t) { r->set_targets(1, t); }},
      {"glsl.text",
       [](CompileRequest* r, const std::string& t) { r->mutable_glsl()->set_text(t); }},
      {"glsl.name",
       [](CompileRequest* r, const std::string& t) { r->mutable_glsl()->set_name(t); }},
      {"glsl.defines[0].value",
       [](CompileRequest* r, const std::string& t) {
         r->mutable_glsl()->mutable_defines(0)->set_value(t);
       }},
      {"glsl.includes[1].text",
       [](CompileRequest* r, const std::string& t) {
         r->mutable_glsl()->mutable_includes(1)->set_text(t);
       }},
      {"options.disabled_passes[0]",
       [](CompileRequest* r, const std::string& t) {
         r->mutable_options()->set_disabled_passes(0, t);
       }},
  };
  for (const auto& c : cases) {
    CompileRequest request = Good();
    c.change(&request, "Q1Q2");
    const std::string bytes = BytesWith(request, "Q1Q2", "Q\xff\xfeZ");
    c.change(&request, "Q\xff\xfeZ");
    for (const auto& bad :
         {FindBadText(request), FindBadText(bytes, *CompileRequest::descriptor())}) {
      ASSERT_TRUE(bad.has_value()) << c.field;
      EXPECT_EQ(bad->field, c.field);
      EXPECT_EQ(bad->what, "not UTF-8: byte 0xff at offset 1");
    }
  }
}

TEST(BadText, InsideAnItemOfAStream) {
  StreamRequest item;
  item.set_item(7);
  *item.mutable_request() = Good();
  std::string bytes = item.SerializeAsString();
  bytes.replace(bytes.find("skl"), 3, "s\xed\xa0");  // a surrogate, cut
  const auto bad = FindBadText(bytes, *StreamRequest::descriptor());
  ASSERT_TRUE(bad.has_value());
  EXPECT_EQ(bad->field, "request.targets[1]");
}

// Found exactly where protobuf refuses it: anything else would name a field of a valid message, or
// none for an invalid one.
TEST(BadText, AgreesWithTheParserOnAnyBytes) {
  google::protobuf::LogSilencer silence;
  const std::string good = Good().SerializeAsString();
  std::mt19937 random(7);
  int found = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string bytes = good.substr(0, i % 2 == 0 ? good.size() : random() % good.size());
    for (int n = 1 + static_cast<int>(random() % 3); n > 0 && !bytes.empty(); --n) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    CompileRequest parsed;
    const bool parses = parsed.ParseFromString(bytes);
    const auto bad = FindBadText(bytes, *CompileRequest::descriptor());
    if (parses) {
      EXPECT_FALSE(bad.has_value()) << bad->field;
    }
    found += bad.has_value();
  }
  EXPECT_GT(found, 1000);
}

}  // namespace
}  // namespace kiln
