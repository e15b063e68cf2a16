// Items of a batch: order, names, manifests and their errors.
#include "client/batch/batch_items.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "client/cli/paths.h"

namespace kiln::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class BatchItemsTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = testing::TempDir() + "/batch_items";
    std::filesystem::remove_all(root_);
    for (const char* file : {"b/2.spv", "b/1.comp", "a.frag", "note.txt", "b/c/x.glsl"}) {
      ASSERT_TRUE(WriteWholeFile(root_ + "/" + file, "").ok());
    }
  }
  static std::vector<std::string> Names(BatchItems items) {
    std::vector<std::string> names;
    for (const BatchItem& item : items.Take("", "")) names.push_back(item.name);
    return names;
  }
  std::string root_;
};

TEST_F(BatchItemsTest, FoldersAreSortedAndOnlyShaders) {
  auto items = BatchItems::Make(root_);
  ASSERT_TRUE(items.ok());
  ASSERT_TRUE(items->AddRoot().ok());
  EXPECT_THAT(Names(*items), ElementsAre("a.frag", "b/1.comp", "b/2.spv", "b/c/x.glsl"));
}

TEST_F(BatchItemsTest, PathsFromTheRootOrFromHere) {
  auto items = BatchItems::Make(root_);
  ASSERT_TRUE(items.ok());
  ASSERT_TRUE(items->AddPath("b/c").ok());
  ASSERT_TRUE(items->AddPath(root_ + "/note.txt").ok());
  EXPECT_TRUE(absl::IsNotFound(items->AddPath("nothing")));
  EXPECT_THAT(Names(*items), ElementsAre("b/c/x.glsl", "note.txt"));
}

TEST_F(BatchItemsTest, Lists) {
  auto items = BatchItems::Make(root_);
  ASSERT_TRUE(items.ok());
  ASSERT_TRUE(items->AddList("l", "# those\nb/2.spv\r\n\n  a.frag\nmissing.spv").ok());
  EXPECT_THAT(Names(*items), ElementsAre("b/2.spv", "a.frag", "missing.spv"));
}

// The folder below which an item has to lie if it goes to another machine.
TEST_F(BatchItemsTest, TreesAreRealFolders) {
  namespace fs = std::filesystem;
  const std::string real = fs::canonical(root_).string();
  fs::create_directory_symlink("b", root_ + "/link");
  for (const std::string& root : {std::string(), root_}) {
    auto items = BatchItems::Make(root);
    ASSERT_TRUE(items->AddPath(root_ + "/link/").ok());
    ASSERT_TRUE(items->AddPath(root_ + "/a.frag").ok());
    ASSERT_TRUE(items->AddList("/l", "/etc/passwd").ok());
    ASSERT_TRUE(items->AddManifest(root_ + "/link/m", R"({"file": "/etc/passwd"})").ok());
    std::vector<std::string> trees;
    for (const BatchItem& item : items->Take("", "")) trees.push_back(item.tree);
    const std::string here = root.empty() ? fs::current_path().string() : real;
    const std::string manifest = root.empty() ? real + "/b" : real;
    EXPECT_THAT(trees, ElementsAre(real + "/b", real + "/b", real + "/b", "", here, manifest));
  }
  EXPECT_TRUE(absl::IsNotFound(BatchItems::Make("")->AddManifest(root_ + "/none/m", "")));
}

TEST_F(BatchItemsTest, Roots) {
  EXPECT_TRUE(absl::IsNotFound(BatchItems::Make(root_ + "/none").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(BatchItems::Make(root_ + "/a.frag").status()));
}

TEST_F(BatchItemsTest, ManifestOptions) {
  auto items = BatchItems::Make("");
  ASSERT_TRUE(items.ok());
  ASSERT_TRUE(
      items
          ->AddManifest(
              root_ + "/m.jsonl",
              R"({"file": "b/1.comp", "stage": "comp", "defines": ["A=1", "B"], )"
              R"("include_dirs": ["inc"], "spec": ["1=uint:4"], "widths": [8, 16], )"
              R"("subgroup_size": 16, "full_subgroups": true, "dispatch_base": true, "container": "amdhsa", )"
              R"("targets": ["tgl"], "no_validate": true, "entry_point": "go", )"
              R"("disable_passes": ["fold"], "licence": "MIT"})"
              "\n\n"
              R"({"file": "b/1.comp"})"
              "\n"
              R"({"file": "b/1.comp", "name": "../again"})")
          .ok());
  std::vector<BatchItem> taken = items->Take("", "");
  ASSERT_EQ(taken.size(), 3u);
  EXPECT_EQ(taken[0].path, root_ + "/b/1.comp");
  const ItemOptions& options = *taken[0].options;
  EXPECT_EQ(options.stage, "compute");
  EXPECT_THAT(*options.defines, ElementsAre("A=1", "B"));
  EXPECT_THAT(options.folders, ElementsAre(root_ + "/inc"));
  EXPECT_EQ(options.spec_constants->at(0).uint_value(), 4u);
  EXPECT_THAT(*options.widths, ElementsAre(8u, 16u));
  EXPECT_EQ(options.subgroup_size, 16u);
  EXPECT_EQ(options.full_subgroups, true);
  EXPECT_EQ(options.dispatch_base, true);
  EXPECT_EQ(options.container, "amdhsa");
  EXPECT_THAT(options.targets, ElementsAre("tgl"));
  EXPECT_EQ(options.no_validate, true);
  EXPECT_EQ(options.entry_point, "go");
  EXPECT_THAT(*options.disabled_passes, ElementsAre("fold"));
  EXPECT_FALSE(taken[1].options->defines.has_value());
  EXPECT_EQ(taken[1].output, taken[0].output + "~2");
  EXPECT_EQ(taken[2].output, "__/again");
}

TEST_F(BatchItemsTest, PermutationsAreItems) {
  auto items = BatchItems::Make(root_);
  ASSERT_TRUE(items.ok());
  ASSERT_TRUE(items->AddPath("b/1.comp").ok());
  ASSERT_TRUE(
      items
          ->AddManifest("m",
                        R"({"file": "a.frag", "defines": ["M"], "permutations": "N=1;3=uint:2"})")
          .ok());
  ASSERT_TRUE(items->Permute(*Permutations::Parse("F?")).ok());
  const std::vector<BatchItem> taken = items->Take("", "");
  std::vector<std::string> labels, outputs;
  for (const BatchItem& item : taken) {
    labels.push_back(item.label);
    outputs.push_back(item.output);
  }
  EXPECT_THAT(labels, ElementsAre("b/1.comp", "b/1.comp (F)", "a.frag (N=1 3=uint:2)"));
  EXPECT_THAT(outputs, ElementsAre("b/1.comp", "b/1.comp.F", "a.frag.N-1.3-uint_2"));
  EXPECT_THAT(taken[1].options->added.defines, ElementsAre("F"));
  EXPECT_THAT(*taken[2].options->defines, ElementsAre("M"));
  EXPECT_THAT(taken[2].options->added.defines, ElementsAre("N=1"));
  EXPECT_EQ(taken[2].options->added.spec_constants.at(0).uint_value(), 2u);
}

TEST_F(BatchItemsTest, PermutationsOfModulesAreOfConstants) {
  auto items = BatchItems::Make(root_);
  ASSERT_TRUE(items->AddPath("b/2.spv").ok());
  const absl::Status refused = items->Permute(*Permutations::Parse("F?"));
  EXPECT_THAT(std::string(refused.message()),
              HasSubstr("b/2.spv: permutations of defines have no effect"));
  EXPECT_TRUE(items->Permute(*Permutations::Parse("3=uint:1,2")).ok());
  EXPECT_EQ(items->Take("", "").size(), 2u);
}

TEST_F(BatchItemsTest, PermutationsAreBounded) {
  auto items = BatchItems::Make(root_);
  std::string list;
  for (int i = 0; i < 16; ++i) list += "a.frag\n";
  ASSERT_TRUE(items->AddList("l", list).ok());
  EXPECT_THAT(std::string(items->Permute(*Permutations::Parse("N=1..65536")).message()),
              HasSubstr("more than 1000000 items"));
}

TEST_F(BatchItemsTest, APairIsOneItemOfTwoFiles) {
  auto items = BatchItems::Make(root_);
  ASSERT_TRUE(
      items
          ->AddManifest("m", R"({"vertex": "v.glsl", "fragment": "a.frag", "permutations": "N=1"})"
                             "\n"
                             R"({"vertex": "v.glsl", "fragment": "a.frag", "name": "lit"})"
                             "\n"
                             R"({"vertex": "v.glsl", "fragment": "a.frag"})"
                             "\n"
                             R"({"file": "a.frag"})")
          .ok());
  ASSERT_TRUE(items->Permute(std::nullopt).ok());
  const std::vector<BatchItem> taken = items->Take("", "");
  ASSERT_EQ(taken.size(), 4u);
  EXPECT_EQ(taken[0].path, root_ + "/v.glsl");
  EXPECT_EQ(taken[0].fragment->path, root_ + "/a.frag");
  EXPECT_EQ(taken[0].fragment->label, "a.frag (N=1)");
  std::vector<std::string> outputs;
  for (const BatchItem& item : taken) {
    outputs.push_back(item.output);
    if (item.fragment.has_value()) outputs.push_back(item.fragment->output);
  }
  EXPECT_THAT(outputs, ElementsAre("v.glsl.N-1", "a.frag.N-1", "lit.vertex", "lit.fragment",
                                   "v.glsl", "a.frag", "a.frag~2"));
}

TEST_F(BatchItemsTest, NoItemHasAnothersOutput) {
  ASSERT_TRUE(WriteWholeFile(root_ + "/x.comp", "").ok());
  const auto outputs = [&](const std::vector<std::string>& names) {
    auto items = BatchItems::Make(root_);
    std::string lines;
    for (const std::string& name : names) {
      lines += "{\"file\": \"x.comp\", \"entry\": \"main\", \"name\": \"" + name + "\"}\n";
    }
    EXPECT_TRUE(items->AddManifest("m", lines).ok());
    std::vector<std::string> all;
    for (const BatchItem& item : items->Take("", "")) all.push_back(item.output);
    return all;
  };
  EXPECT_THAT(outputs({"a", "a", "a~2"}), ElementsAre("a", "a~3", "a~2"));
  EXPECT_THAT(outputs({"a~2", "a", "a", "a"}), ElementsAre("a~2", "a", "a~3", "a~4"));
  EXPECT_THAT(outputs({"a", "a", "a~2", "a~2"}), ElementsAre("a", "a~3", "a~2", "a~2~2"));
}

// OpEntryPoint instructions after a header, which is all that is read here.
std::string ModuleOf(const std::vector<std::pair<char, std::string>>& entries) {
  std::string bytes("\x03\x02\x23\x07\0\0\1\0\0\0\0\0\x0a\0\0\0\0\0\0\0", 20);
  for (const auto& [model, name] : entries) {
    const char words = static_cast<char>(4 + name.size() / 4);
    bytes += std::string("\x0f\0", 2) + words + std::string("\0", 1);
    bytes += model + std::string("\0\0\0\7\0\0\0", 7) + name;
    bytes.append(4 - name.size() % 4, '\0');
  }
  return bytes;
}

TEST_F(BatchItemsTest, LongNamesAreCutInLabelsAndFileNames) {
  const std::string long_name(900, 'n');
  const std::string lib = ModuleOf({{5, long_name}, {5, "short"}});
  ASSERT_TRUE(WriteWholeFile(root_ + "/lib.spv", lib).ok());
  auto items = BatchItems::Make(root_);
  ASSERT_TRUE(items->AddList("l", "lib.spv").ok());
  const std::vector<BatchItem> taken = items->Take("", "");
  ASSERT_EQ(taken.size(), 2u);
  EXPECT_EQ(taken[0].label, "lib.spv (" + long_name.substr(0, 100) + "...)");
  EXPECT_EQ(taken[0].output, "lib.spv." + long_name.substr(0, 100));
  EXPECT_EQ(taken[0].options->entry_point, long_name);
}

TEST_F(BatchItemsTest, EntryPointsAreItems) {
  const std::string lib = ModuleOf({{5, "blur"}, {0, "main"}, {5, "a/b c"}, {5, "a/b,c"}});
  ASSERT_TRUE(WriteWholeFile(root_ + "/lib.spv", lib).ok());
  ASSERT_TRUE(WriteWholeFile(root_ + "/one.spv", ModuleOf({{5, "go"}})).ok());
  auto taken = [&](const std::string& entry, const std::string& stage) {
    auto items = BatchItems::Make(root_);
    EXPECT_TRUE(items->AddList("l", "lib.spv\none.spv").ok());
    EXPECT_TRUE(items
                    ->AddManifest("m", R"({"file": "lib.spv", "entry": "blur", "name": "n"})"
                                       "\n"
                                       R"({"file": "lib.spv", "stage": "vert", "widths": [8]})")
                    .ok());
    return items->Take(entry, stage);
  };
  std::vector<BatchItem> items = taken("", "");
  std::vector<std::string> labels, outputs;
  for (const BatchItem& item : items) {
    labels.push_back(item.label);
    outputs.push_back(item.output);
  }
  EXPECT_THAT(labels, ElementsAre("lib.spv (blur)", "lib.spv (main)", "lib.spv (a/b c)",
                                  "lib.spv (a/b,c)", "one.spv", "lib.spv", "lib.spv (main)"));
  EXPECT_THAT(outputs, ElementsAre("lib.spv.blur", "lib.spv.main", "lib.spv.a_b_c",
                                   "lib.spv.a_b_c~2", "one.spv", "n", "lib.spv.main~2"));
  EXPECT_EQ(items[1].name, "lib.spv");
  EXPECT_EQ(items[1].options->stage, "vertex");
  EXPECT_EQ(items[2].options->entry_point, "a/b c");
  EXPECT_EQ(items[4].options, nullptr);
  EXPECT_THAT(*items[6].options->widths, ElementsAre(8u));
  // The command line chooses the entry point, or a stage. The module has no mesh shader.
  EXPECT_EQ(taken("blur", "").size(), 4u);
  EXPECT_EQ(taken("", "compute").size(), 6u);
  EXPECT_EQ(taken("", "mesh").size(), 4u);
}

TEST_F(BatchItemsTest, ManifestErrorsNameTheLine) {
  auto error = [](absl::string_view text) {
    return std::string(BatchItems::Make("")->AddManifest("m", text).message());
  };
  EXPECT_THAT(error("{\"file\": \"x\"}\n{oops"), HasSubstr("m:2: the line is not a JSON object"));
  EXPECT_THAT(error("{\"file\": \"x\"}\n{\"file\": \"\xe4\"}"),
              HasSubstr("m:2: the line is not UTF-8"));
  EXPECT_THAT(error("{}"), HasSubstr("m:1: \"file\" is missing"));
  EXPECT_THAT(error("[1]"), HasSubstr("m:1: the line is not a JSON object"));
  EXPECT_THAT(error(R"({"file": "x", "defines": "A"})"), HasSubstr("\"defines\" must be a list"));
  EXPECT_THAT(error(R"({"file": "x", "stage": "pixel"})"), HasSubstr("'pixel' is not a stage"));
  EXPECT_THAT(error(R"({"file": "x", "widths": [7]})"), HasSubstr("'7' is not a dispatch width"));
  EXPECT_THAT(error(R"({"file": "x", "subgroup_size": 7})"),
              HasSubstr("\"subgroup_size\" '7' is not a dispatch width"));
  EXPECT_THAT(error(R"({"file": "x", "subgroup_size": "8"})"), HasSubstr("must be a number"));
  EXPECT_THAT(error(R"({"file": "x", "spec": ["1=2", "1=3"]})"), HasSubstr("given twice"));
  EXPECT_THAT(error(R"({"file": "x", "entry": "a", "entry_point": "b"})"),
              HasSubstr("m:1: \"entry\" and \"entry_point\" name different entry points"));
}

}  // namespace
}  // namespace kiln::client
