#include "client/batch/list_items.h"

#include <gtest/gtest.h>

#include "client/cli/paths.h"

namespace kiln::client {
namespace {

class ListItemsTest : public testing::Test {
 protected:
  ListItemsTest() {
    for (const char* file : {"a.comp", "a.vert", "b.frag"}) {
      EXPECT_TRUE(WriteWholeFile(root_ + "/" + file, "void main() {}").ok());
    }
    common_.source.defines = {"C=9"};
  }
  // Returns the items of a manifest, listed as a manifest.
  std::string Listed(const std::string& manifest) {
    auto items = BatchItems::Make(root_);
    EXPECT_TRUE(items.ok());
    EXPECT_EQ(items->AddManifest("m.jsonl", manifest), absl::OkStatus());
    EXPECT_EQ(items->Permute(std::nullopt), absl::OkStatus());
    std::string text;
    for (const BatchItem& item : items->Take("", "")) text += ItemJson(item, root_, common_);
    return text;
  }

  const std::string root_ = testing::TempDir() + "/list_items";
  CompileSettings common_;
};

TEST_F(ListItemsTest, HasThePermutationsWithTheDefinesOfTheFlags) {
  EXPECT_EQ(Listed(R"({"file": "a.comp", "permutations": "N=1,2;3=uint:4"})"),
            "{\"file\":\"a.comp\",\"defines\":[\"C=9\",\"N=1\"],\"spec\":[\"3=uint:4\"]}\n"
            "{\"file\":\"a.comp\",\"defines\":[\"C=9\",\"N=2\"],\"spec\":[\"3=uint:4\"]}\n");
  EXPECT_EQ(Listed(R"({"file": "a.comp", "defines": ["M"], "permutations": "N=1"})"),
            "{\"file\":\"a.comp\",\"defines\":[\"M\",\"N=1\"]}\n");
}

TEST_F(ListItemsTest, IsAManifestOfTheSameItems) {
  const std::string lines =
      R"({"file":"a.comp","stage":"compute","name":"n","targets":["tgl"],"entry":"main",)"
      R"("lang":"hlsl","row_major":true,"register_shifts":["t:16:1"],)"
      R"("defines":["M"],"include_dirs":["inc"],"spec":["3=uint:4"],"widths":[8],)"
      R"("subgroup_size":16,"full_subgroups":true,"dispatch_base":false,"no_validate":true,)"
      R"("disable_passes":["p"],"state":{"view_mask":3}})"
      "\n"
      R"({"vertex":"a.vert","fragment":"b.frag","vertex_spec":["1=bool:true"]})"
      "\n";
  EXPECT_EQ(Listed(lines), lines);
}

TEST_F(ListItemsTest, AsTextHasLabels) {
  auto items = BatchItems::Make(root_);
  ASSERT_TRUE(items.ok());
  ASSERT_EQ(items->AddManifest(
                "m", R"({"vertex": "a.vert", "fragment": "b.frag", "permutations": "N=1"})"),
            absl::OkStatus());
  ASSERT_EQ(items->Permute(std::nullopt), absl::OkStatus());
  EXPECT_EQ(ItemText(items->Take("", "")[0]), "a.vert (N=1) + b.frag (N=1)");
}

}  // namespace
}  // namespace kiln::client
