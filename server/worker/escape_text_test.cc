#include "server/worker/escape_text.h"

#include "gtest/gtest.h"
#include "proto/worker.pb.h"

namespace kiln::worker {
namespace {

TEST(EscapeText, EveryFieldOfText) {
  JobResult frame;
  auto* result = frame.mutable_result();
  result->set_message("word 3: caf\xe9");
  result->set_entry_point("na\xc3\xafve");
  result->add_remarks()->set_text("\x80");
  result->add_variants()->mutable_launch()->set_entry_point("\xff");
  result->mutable_variants(0)->set_code("\xff\xfe");
  EscapeText(&frame);
  EXPECT_EQ(result->message(), "word 3: caf\\xe9");
  EXPECT_EQ(result->entry_point(), "na\xc3\xafve");
  EXPECT_EQ(result->remarks(0).text(), "\\x80");
  EXPECT_EQ(result->variants(0).launch().entry_point(), "\\xff");
  EXPECT_EQ(result->variants(0).code(), "\xff\xfe");
  JobResult read;
  EXPECT_TRUE(read.ParseFromString(frame.SerializeAsString()));
}

TEST(EscapeText, RepeatedText) {
  Hello hello;
  hello.add_stages("com\xe9");
  hello.add_stages("fragment");
  EscapeText(&hello);
  EXPECT_EQ(hello.stages(0), "com\\xe9");
  EXPECT_EQ(hello.stages(1), "fragment");
}

}  // namespace
}  // namespace kiln::worker
