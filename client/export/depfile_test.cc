#include "client/export/depfile.h"

#include <gtest/gtest.h>

namespace kiln::client {
namespace {

TEST(DepfileText, HasARuleForEachOutputAndOneForEachInclude) {
  const auto text =
      DepfileText({{{"out/a.8.bin", "out/a.16.bin"}, {"a.comp", "inc/x.h", "m.jsonl"}},
                   {{"out/b.8.bin"}, {"b.comp", "inc/x.h"}}});
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(*text,
            "out/a.8.bin out/a.16.bin: a.comp inc/x.h m.jsonl\n"
            "out/b.8.bin: b.comp inc/x.h\n"
            "\n"
            "inc/x.h:\n"
            "\n"
            "m.jsonl:\n");
}

TEST(EscapedForMake, EscapesWhatBothToolsRead) {
  EXPECT_EQ(*EscapedForMake("a b#c:d$e/\xc3\xa4~1.h"), "a\\ b\\#c\\:d$$e/\xc3\xa4~1.h");
}

TEST(EscapedForMake, RefusesWhatTheyCannotRead) {
  for (const char* name : {"", "~/a", "a\nb", "a\tb", "a;b", "a|b", "a*b", "a?b", "a\\b", "a%b",
                           "a=b", "a(b)", "a&b", "a'b", "a\"b", "a[b]"}) {
    EXPECT_FALSE(EscapedForMake(name).ok()) << name;
    EXPECT_FALSE(DepfileText({{{"out"}, {name}}}).ok()) << name;
  }
}

}  // namespace
}  // namespace kiln::client
