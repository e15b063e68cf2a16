// Tests what the walk over the wire refuses, and that it refuses nothing within the bounds.
#include "server/request/wire_bounds.h"

#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <gtest/gtest.h>

#include <string>

#include "kiln/v1/compiler.pb.h"
#include "server/config/config.h"
#include "server/request/request.h"
#include "server/worker/check_state.h"

namespace kiln::server {
namespace {

using kiln::v1::CompileRequest;
using kiln::v1::StreamRequest;

const kiln::v1::Capabilities::Limits& TheLimits() {
  static const auto limits =
      MakeCapabilities(worker::Hello(), ParseConfig({})->limits, "").limits();
  return limits;
}

// Returns the field that is too many; "": none.
std::string Refused(const std::string& bytes,
                    const google::protobuf::Descriptor& type = *CompileRequest::descriptor()) {
  const WireBounds bounds(TheLimits());
  google::protobuf::io::ArrayInputStream in(bytes.data(), static_cast<int>(bytes.size()), 7);
  const auto refused = bounds.Check(&in, type);
  return refused.has_value() ? refused->field : "";
}

std::string Times(size_t n, const std::string& bytes) {
  std::string all;
  for (size_t i = 0; i < n; ++i) all += bytes;
  return all;
}

// Encodes a field of fewer than 16384 bytes.
std::string Field(int number, const std::string& contents) {
  std::string bytes(1, static_cast<char>(number << 3 | 2));
  bytes += static_cast<char>((contents.size() & 0x7f) | 0x80);
  bytes += static_cast<char>(contents.size() >> 7);
  return bytes + contents;
}

CompileRequest Largest() {
  CompileRequest request;
  const auto& limits = TheLimits();
  for (uint32_t i = 0; i < limits.max_targets(); ++i) request.add_targets("tgl");
  for (uint32_t i = 0; i < limits.max_spec_constants(); ++i) {
    request.add_spec_constants()->set_bits(i);
  }
  auto* options = request.mutable_options();
  for (int i = 0; i < 16; ++i) options->add_widths(8);
  for (uint32_t i = 0; i < limits.max_disabled_passes(); ++i) options->add_disabled_passes("cse");
  auto* state = options->mutable_state();
  for (uint32_t i = 0; i < worker::kMaxAttachments; ++i) {
    state->mutable_fragment()->mutable_color()->add_attachments()->set_location(i);
  }
  for (uint32_t i = 0; i < worker::kMaxLocations; ++i) {
    state->mutable_next_stage_reads()->add_locations()->set_location(i);
  }
  for (uint32_t i = 0; i < limits.max_defines(); ++i) {
    request.mutable_glsl()->add_defines()->set_name("A");
    request.mutable_glsl()->mutable_defines(static_cast<int>(i))->set_value("1");
  }
  for (uint32_t i = 0; i < limits.max_includes(); ++i) {
    auto* include = request.mutable_glsl()->add_includes();
    include->set_spelled("a");
    include->set_includer("b");
    include->set_resolved("c");
    include->set_text("d");
  }
  return request;
}

TEST(WireBoundsTest, TheLargestRequestPassesAndOneMoreOfAnythingDoesNot) {
  EXPECT_EQ(Refused(Largest().SerializeAsString()), "");
  const std::pair<const char*, std::function<void(CompileRequest*)>> cases[] = {
      {"targets", [](CompileRequest* r) { r->add_targets(); }},
      {"spec_constants", [](CompileRequest* r) { r->add_spec_constants(); }},
      {"options.disabled_passes",
       [](CompileRequest* r) { r->mutable_options()->add_disabled_passes(); }},
      {"options.state.fragment.color.attachments",
       [](CompileRequest* r) {
         r->mutable_options()
             ->mutable_state()
             ->mutable_fragment()
             ->mutable_color()
             ->add_attachments();
       }},
      {"options.state.next_stage_reads.locations",
       [](CompileRequest* r) {
         r->mutable_options()->mutable_state()->mutable_next_stage_reads()->add_locations();
       }},
      {"glsl.defines", [](CompileRequest* r) { r->mutable_glsl()->add_defines(); }},
      {"glsl.includes", [](CompileRequest* r) { r->mutable_glsl()->add_includes(); }},
  };
  for (const auto& [field, add] : cases) {
    CompileRequest request = Largest();
    add(&request);
    EXPECT_EQ(Refused(request.SerializeAsString()), field);
    StreamRequest item;
    *item.mutable_request() = request;
    EXPECT_EQ(Refused(item.SerializeAsString(), *StreamRequest::descriptor()),
              std::string("request.") + field);
  }
}

// Parts of one message add up, in whatever pieces it comes.
TEST(WireBoundsTest, PiecesOfAMessageAddUp) {
  EXPECT_EQ(Refused(Times(1024, Field(2, Field(5, "")))), "");
  EXPECT_EQ(Refused(Times(1025, Field(2, Field(5, "")))), "glsl.includes");
  EXPECT_EQ(Refused(Times(10, Field(7, Field(1, std::string(1000, 8))))), "options.widths");
}

// Protobuf keeps unknown fields, and takes known ones of another type for unknown.
TEST(WireBoundsTest, UnknownFieldsAreBounded) {
  EXPECT_EQ(Refused(Times(4096, Field(15, ""))), "");
  EXPECT_EQ(Refused(Times(4097, Field(15, ""))), "(unknown)");
  EXPECT_EQ(Refused(Times(4097, std::string("\x40\x00", 2))), "(unknown)");  // targets, a number
  EXPECT_EQ(Refused(Field(7, Times(4097, std::string("\x22\x00", 2)))), "options.(unknown)");
  EXPECT_EQ(Refused(Field(2, Field(4, Times(4097, std::string("\x78\x00", 2))))),
            "glsl.defines.(unknown)");
  EXPECT_EQ(Refused("\x7b" + Times(100000, std::string("\x08\x01", 2)) + "\x7c"), "(unknown)");
  EXPECT_EQ(Refused("\x7c"), "(unknown)");
}

// Repeated values of a single field replace each other.
TEST(WireBoundsTest, ValuesThatAreGivenAgainAreNot) {
  EXPECT_EQ(Refused(Times(100000, Field(4, "main"))), "");
  EXPECT_EQ(Refused(Times(100000, Field(7, ""))), "");
}

// If a message claims to be longer than the one around it, the parser reads on into what follows,
// and notices only at the message's end.
TEST(WireBoundsTest, AMessageLongerThanTheOneAroundItIsRefused) {
  const std::string include = Field(5, Times(5000, std::string("\x78\x00", 2)));
  const std::string longer = Field(2, include).substr(0, 3);  // GlslSource, without its contents
  const std::string bytes = Field(2, longer) + include;
  const auto& type = *StreamRequest::descriptor();
  EXPECT_EQ(Refused(bytes, type), "request.glsl");
  StreamRequest parsed;
  EXPECT_FALSE(parsed.ParseFromString(bytes));
  EXPECT_EQ(Refused(Field(2, Field(7, Field(2, ""))), type), "");
}

TEST(WireBoundsTest, BytesThatAreNoMessageAreLeftToTheParser) {
  for (const std::string& bytes :
       {std::string("\xff"), std::string("\x42"), std::string("\x42\x05x"), std::string(1, 0),
        std::string("\x12\x02\x42\x7f"), std::string("\x46"), std::string(20, '\xff')}) {
    EXPECT_EQ(Refused(bytes), "");
    EXPECT_FALSE(CompileRequest().ParseFromString(bytes));
  }
}

}  // namespace
}  // namespace kiln::server
