// Tests that protobuf's own messages are counted, and only one of many is passed on.
#include "server/rpc/protobuf_log.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "kiln/v1/compiler.pb.h"

namespace kiln::server {
namespace {

// Parses a request in which `stage` is not UTF-8.
void ParseBadText() {
  v1::CompileRequest request;
  EXPECT_FALSE(request.ParseFromString(std::string("\x2a\x02\xff\xff", 4)));
}

TEST(ProtobufLog, OneOfManyIsPassedOn) {
  std::vector<std::pair<std::string, uint64_t>> said;
  auto say = [&said](const std::string& text, uint64_t withheld) {
    said.emplace_back(text, withheld);
  };
  CaptureProtobufMessages(say, absl::Hours(1));
  const uint64_t before = ProtobufMessages();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 50; ++i) ParseBadText();
    });
  }
  for (std::thread& t : threads) t.join();
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].first.find("kiln.v1.CompileRequest.stage"), std::string::npos) << said[0].first;
  EXPECT_EQ(said[0].first.find('\xff'), std::string::npos);
  EXPECT_EQ(ProtobufMessages() - before, 200u);
}

TEST(ProtobufLog, WhatWasWithheldIsCounted) {
  std::vector<uint64_t> said;
  CaptureProtobufMessages(
      [&said](const std::string&, uint64_t withheld) { said.push_back(withheld); },
      absl::ZeroDuration());
  ParseBadText();
  ParseBadText();
  EXPECT_EQ(said, (std::vector<uint64_t>{0, 0}));
}

TEST(ProtobufLog, CountsWithoutASink) {
  CaptureProtobufMessages(nullptr);
  const uint64_t before = ProtobufMessages();
  ParseBadText();
  EXPECT_EQ(ProtobufMessages(), before + 1);
}

}  // namespace
}  // namespace kiln::server
