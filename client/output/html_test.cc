#include "client/output/html.h"

#include "gtest/gtest.h"

namespace kiln::client {
namespace {

TEST(EscapeHtml, NothingIsMarkup) {
  EXPECT_EQ(EscapeHtml("<a href=\"x\">'&'</a>"),
            "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
  EXPECT_EQ(EscapeHtml("plain.comp"), "plain.comp");
}

}  // namespace
}  // namespace kiln::client
