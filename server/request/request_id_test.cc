// Ids of calls.
#include "server/request/request_id.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace kiln::server {
namespace {

TEST(RequestIdTest, WhatAClientMayBring) {
  for (const char* good : {"a", "build-17.a_B", "0"}) EXPECT_TRUE(IsRequestId(good)) << good;
  EXPECT_TRUE(IsRequestId(std::string(64, 'x')));
  for (const char* bad : {"", "a b", "a\n", "a\"", "a=b", "\xc3\xa4", "void main(){}"}) {
    EXPECT_FALSE(IsRequestId(bad)) << bad;
  }
  EXPECT_FALSE(IsRequestId(std::string(65, 'x')));
}

TEST(RequestIdTest, MadeOnesAreIdsAndDiffer) {
  std::set<std::string> made;
  for (int i = 0; i < 1000; ++i) {
    const std::string id = NewRequestId();
    EXPECT_TRUE(IsRequestId(id)) << id;
    EXPECT_TRUE(made.insert(id).second) << id;
  }
}

}  // namespace
}  // namespace kiln::server
