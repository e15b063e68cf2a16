// Files as sources: kinds by contents and name, refused ones and the reasons.
#include "client/source/source.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdio.h>
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "client/cli/paths.h"
#include "client/cli/stage_name.h"
#include "client/request/request_options.h"
#include "core/base/cause.h"

namespace kiln::client {
namespace {

using testing::HasSubstr;

class SourceTest : public testing::Test {
 protected:
  absl::Status Load(const std::string& name, const std::string& contents) {
    std::string path = testing::TempDir() + "/source_test/" + name;
    EXPECT_TRUE(WriteWholeFile(path, contents).ok());
    request_.Clear();
    return LoadSource(path, name, options_, &request_, &missing_);
  }
  std::string CauseFor(const std::string& name, const std::string& contents) {
    return CauseOf(Load(name, contents));
  }

  SourceOptions options_;
  kiln::v1::CompileRequest request_;
  std::vector<MissingInclude> missing_;
};

const std::string kSpirv = std::string("\x03\x02\x23\x07", 4) + std::string(16, '\0');
const std::string kSwapped = std::string("\x07\x23\x02\x03", 4) + std::string(16, '\0');

TEST_F(SourceTest, SpirvByContents) {
  ASSERT_TRUE(Load("a.spv", kSpirv).ok());
  EXPECT_EQ(request_.spirv(), kSpirv);
  ASSERT_TRUE(Load("a.comp", kSpirv).ok());
  EXPECT_TRUE(request_.has_spirv());
  ASSERT_TRUE(Load("a", kSwapped).ok());
  EXPECT_EQ(request_.spirv(), kSwapped);
}

TEST_F(SourceTest, Glsl) {
  options_.defines = {"A=1", "B", "C="};
  ASSERT_TRUE(Load("d/a.comp", "#include \"x.h\"\nvoid main() {}").ok());
  EXPECT_EQ(request_.glsl().stage(), "compute");
  EXPECT_EQ(request_.glsl().name(), "d/a.comp");
  ASSERT_EQ(request_.glsl().defines_size(), 3);
  EXPECT_EQ(request_.glsl().defines(0).value(), "1");
  EXPECT_EQ(request_.glsl().defines(1).value(), "");
  EXPECT_EQ(request_.glsl().defines(2).value(), "");
  ASSERT_EQ(missing_.size(), 1u);
  EXPECT_THAT(DescribeMissing(missing_, {}),
              HasSubstr("d/a.comp:1: this include was not found: x.h (looked beside it)"));
  EXPECT_THAT(DescribeMissing(missing_, {"inc", "lib"}),
              HasSubstr("x.h (looked beside it, in inc, lib); name its folder"));
  ASSERT_TRUE(Load("x.frag.glsl", "void main() {}").ok());
  EXPECT_EQ(request_.glsl().stage(), "fragment");
  options_.stage = "vertex";
  ASSERT_TRUE(Load("anything", "void main() {}").ok());
  EXPECT_EQ(request_.glsl().stage(), "vertex");
}

TEST_F(SourceTest, Refused) {
  EXPECT_EQ(CauseFor("a.spv", ""), "empty_file");
  EXPECT_EQ(CauseFor("a.spv", "hello, world, hello, world"), "not_spirv");
  EXPECT_EQ(CauseFor("a.spv", kSpirv + "x"), "truncated_module");
  EXPECT_EQ(CauseFor("a.spv", kSpirv.substr(0, 16)), "truncated_module");
  EXPECT_EQ(CauseFor("a.glsl", "void main() {}"), "no_stage");
  EXPECT_EQ(CauseFor("a.comp", std::string("\x7f\0ELF", 5)), "not_text");
  EXPECT_EQ(CauseFor("a.comp", "// caf\xe9\nvoid main() {}"), "ok");
  EXPECT_EQ(request_.glsl().text(), "// caf\xef\xbf\xbd\nvoid main() {}");
  options_.module_bytes = options_.glsl_bytes = 20;
  EXPECT_EQ(CauseFor("a.spv", kSpirv), "ok");
  EXPECT_EQ(CauseFor("a.spv", kSpirv + kSpirv), "too_large");
  absl::Status none = LoadSource("/nowhere/a.spv", "a.spv", options_, &request_, &missing_);
  EXPECT_EQ(CauseOf(none), "cannot_read");
  EXPECT_THAT(std::string(none.message()), HasSubstr("/nowhere/a.spv"));
}

// An untrusted shader does not choose which files of this machine go to another.
TEST_F(SourceTest, ConfinedIncludesComeFromTheSourcesFolderAndFromNamedOnes) {
  namespace fs = std::filesystem;
  const std::string top = testing::TempDir() + "/confined";
  fs::remove_all(top);
  ASSERT_TRUE(WriteWholeFile(top + "/secret.h", "// secret").ok());
  ASSERT_TRUE(WriteWholeFile(top + "/lib/good.h", "// good").ok());
  ASSERT_TRUE(WriteWholeFile(top + "/src/sub/near.h", "// near").ok());
  fs::create_symlink("../secret.h", top + "/src/link.h");
  options_.folders = options_.named_folders = {top + "/lib/"};
  auto load = [&](const std::string& spelled) {
    const std::string path = top + "/src/a.comp";
    EXPECT_TRUE(WriteWholeFile(path, "#include \"" + spelled + "\"\nvoid main() {}").ok());
    request_.Clear();
    return LoadSource(path, "a.comp", options_, &request_, &missing_);
  };
  for (const bool confined : {true, false}) {
    options_.confined = confined;
    for (const std::string& good : {std::string("sub/near.h"), std::string("good.h"),
                                    top + "/lib/good.h", std::string("../lib/good.h")}) {
      EXPECT_TRUE(load(good).ok()) << good;
      EXPECT_EQ(request_.glsl().includes_size(), 1);
    }
    for (const std::string& bad : {std::string("../secret.h"), std::string("link.h"),
                                   top + "/secret.h", std::string("../lib/../secret.h")}) {
      EXPECT_EQ(load(bad).ok(), !confined) << bad;
      EXPECT_EQ(request_.glsl().includes_size(), confined ? 0 : 1);
    }
  }
  options_.confined = options_.may_leave = true;
  EXPECT_TRUE(load("../secret.h").ok());
  options_.may_leave = false;
  EXPECT_EQ(CauseOf(load("../secret.h")), "include_error");
  EXPECT_THAT(std::string(load("../secret.h").message()), HasSubstr("--allow-include-outside"));
  for (const char* here : {"unix:/k", "127.0.0.1:7411", "localhost:1", "[::1]:2", "this process"}) {
    EXPECT_FALSE(IsOnAnotherMachine(here)) << here;
  }
  for (const char* there : {"10.0.0.1:7411", "127.evil.org:1", "[::]:2", "build:7411"}) {
    EXPECT_TRUE(IsOnAnotherMachine(there)) << there;
  }
}

// Nor does a shader that is a link, or the manifest that names it.
TEST_F(SourceTest, ConfinedSourcesLieInTheTreeThatNamesThem) {
  namespace fs = std::filesystem;
  const std::string top = fs::canonical(testing::TempDir()).string() + "/confined_source";
  fs::remove_all(top);
  ASSERT_TRUE(WriteWholeFile(top + "/secret", "void main() {}").ok());
  ASSERT_TRUE(WriteWholeFile(top + "/src2/a.comp", "void main() {}").ok());
  ASSERT_TRUE(WriteWholeFile(top + "/src/sub/a.comp", "void main() {}").ok());
  ASSERT_TRUE(WriteWholeFile(top + "/src/common.h", "").ok());
  ASSERT_TRUE(WriteWholeFile(top + "/src/sub/up.comp", "#include \"../common.h\"").ok());
  ASSERT_TRUE(WriteWholeFile(top + "/dirs/dir.h", "").ok());
  ASSERT_TRUE(WriteWholeFile(top + "/src/dirs.comp", "#include <dir.h>").ok());
  fs::create_symlink("../secret", top + "/src/link.comp");
  fs::create_symlink("../../src2", top + "/src/sub/folder");
  fs::create_symlink("sub/a.comp", top + "/src/inside.comp");
  fs::create_symlink("loop.comp", top + "/src/loop.comp");
  options_.confined = true;
  const auto load = [&](const std::string& name) {
    request_.Clear();
    return LoadSource(top + "/src/" + name, name, options_, &request_, &missing_);
  };
  for (const std::string& tree : {std::string(), top + "/src"}) {
    options_.tree = tree;
    for (const char* good : {"sub/a.comp", "sub/../sub/a.comp", "inside.comp"}) {
      EXPECT_TRUE(load(good).ok()) << good;
    }
    EXPECT_EQ(CauseOf(load("link.comp")), "cannot_read");
    EXPECT_THAT(std::string(load("link.comp").message()),
                testing::AllOf(HasSubstr(top + "/src/link.comp: leads to " + top + "/secret, "),
                               HasSubstr("--allow-include-outside")));
    EXPECT_FALSE(request_.has_glsl());
    EXPECT_EQ(CauseOf(load("loop.comp")), "cannot_read");
    // Searched, but not among the folders that the user named.
    options_.folders = {top + "/dirs"};
    EXPECT_EQ(CauseOf(load("dirs.comp")), "include_error");
    options_.named_folders = options_.folders;
    EXPECT_TRUE(load("dirs.comp").ok());
    options_.named_folders.clear();
    options_.folders.clear();
  }
  // The user chooses the folder of a path on the command line, but not that of one that was found.
  options_.tree = top + "/src";
  EXPECT_EQ(CauseOf(load("sub/folder/a.comp")), "cannot_read");
  EXPECT_EQ(CauseOf(load("../src2/a.comp")), "cannot_read");
  EXPECT_TRUE(load("sub/up.comp").ok());
  options_.tree.clear();
  EXPECT_TRUE(load("sub/folder/a.comp").ok());
  EXPECT_EQ(CauseOf(load("sub/up.comp")), "include_error");
  options_.may_leave = true;
  EXPECT_TRUE(load("link.comp").ok());
}

// FIFOs and devices are neither waited for nor read, whether for another machine or not.
TEST_F(SourceTest, WhatIsNoRegularFileIsNotRead) {
  namespace fs = std::filesystem;
  const std::string top = testing::TempDir() + "/no_file";
  fs::remove_all(top);
  ASSERT_TRUE(WriteWholeFile(top + "/a.comp", "#include \"fifo.comp\"").ok());
  ASSERT_TRUE(WriteWholeFile(top + "/b.comp", "#include \"zero.comp\"").ok());
  ASSERT_EQ(mkfifo((top + "/fifo.comp").c_str(), 0600), 0);
  fs::create_symlink("/dev/zero", top + "/zero.comp");
  for (const bool confined : {true, false}) {
    options_.confined = confined;
    options_.tree = *RealFolder(top);
    options_.named_folders = {"/dev"};
    ASSERT_TRUE(
        WriteWholeFile(top + "/long.comp", "#include \"" + std::string(1000000, 'n') + "\"").ok());
    const absl::Status endless =
        LoadSource(top + "/long.comp", "long.comp", options_, &request_, &missing_);
    EXPECT_EQ(CauseOf(endless), "include_error");
    EXPECT_LT(endless.message().size(), 1000u);
    for (const char* name : {"fifo.comp", "zero.comp", "a.comp", "b.comp"}) {
      const absl::Status status =
          LoadSource(top + "/" + name, name, options_, &request_, &missing_);
      EXPECT_THAT(std::string(status.message()), HasSubstr("is not a regular file")) << name;
    }
    if (!confined) continue;
    options_.tree.clear();
    EXPECT_FALSE(LoadSource(top + "/fifo.comp", "f.comp", options_, &request_, &missing_).ok());
  }
}

// The name is replaced all the time by a link to a file that must not be sent.
TEST_F(SourceTest, ANameExchangedBetweenLookAndReadGivesNothingAway) {
  namespace fs = std::filesystem;
  const std::string top = testing::TempDir() + "/exchanged";
  fs::remove_all(top);
  ASSERT_TRUE(WriteWholeFile(top + "/secret.h", "// secret").ok());
  ASSERT_TRUE(WriteWholeFile(top + "/src/x.h", "// good").ok());
  ASSERT_TRUE(WriteWholeFile(top + "/src/a.comp", "#include \"x.h\"").ok());
  fs::create_symlink("../secret.h", top + "/src/y.h");
  options_.confined = true;
  std::atomic<bool> end = false;
  std::thread exchanges([&] {
    const std::string x = top + "/src/x.h", y = top + "/src/y.h";
    while (!end) renameat2(AT_FDCWD, x.c_str(), AT_FDCWD, y.c_str(), RENAME_EXCHANGE);
  });
  int sent = 0, refused = 0;
  for (int i = 0; i < 20000; ++i) {
    request_.Clear();
    const bool ok = LoadSource(top + "/src/a.comp", "a.comp", options_, &request_, &missing_).ok();
    ++(ok ? sent : refused);
    if (!ok) continue;
    EXPECT_EQ(request_.glsl().includes(0).text(), "// good") << "in round " << i;
    if (HasFailure()) break;
  }
  end = true;
  exchanges.join();
  EXPECT_GT(sent, 0);
  EXPECT_GT(refused, 0);
}

TEST_F(SourceTest, NamesThatNoFileOrMessageShouldHave) {
  for (const std::string& name : {std::string("a\0b.spv", 7), std::string("a\nb.spv"),
                                  std::string("a\x1b[2Jb.spv"), std::string(5000, 'n')}) {
    const absl::Status status =
        LoadSource(testing::TempDir() + "/a", name, options_, &request_, &missing_);
    EXPECT_EQ(CauseOf(status), "cannot_read") << status;
    EXPECT_EQ(std::string(status.message()).find_first_of(std::string("\0\n\x1b", 3)),
              std::string::npos);
    EXPECT_LT(status.message().size(), 1000u);
  }
}

TEST(StageName, Names) {
  EXPECT_EQ(StageFromName("comp"), "compute");
  EXPECT_EQ(StageFromName("compute"), "compute");
  EXPECT_EQ(StageFromName("pixel"), "");
  EXPECT_EQ(StageFromFileName("a.b/x.frag"), "fragment");
  EXPECT_EQ(StageFromFileName("x.tese.glsl"), "tessellation_evaluation");
  EXPECT_EQ(StageFromFileName("x.comp.spv"), "compute");
  EXPECT_EQ(StageFromFileName("x.glsl"), "");
  EXPECT_EQ(StageFromFileName("comp"), "");
  EXPECT_EQ(StageFromFileName("x.compute"), "");
  EXPECT_TRUE(IsGlslFileName("x.glsl"));
  EXPECT_TRUE(IsGlslFileName("x.mesh"));
  EXPECT_FALSE(IsGlslFileName("x.spv"));
  EXPECT_FALSE(IsGlslFileName("x.txt"));
}

TEST_F(SourceTest, FilesOfOtherLanguagesAreNamed) {
  options_.stage = "fragment";
  EXPECT_EQ(CauseFor("blur.wgsl", "@fragment"), "other_format");
  EXPECT_THAT(std::string(Load("blur.dxil", "x").message()), HasSubstr("dxc -spirv"));
  EXPECT_TRUE(Load("blur.hlsl.spv", kSpirv).ok());
}

TEST_F(SourceTest, HlslByNameOrOption) {
  const std::string path = testing::TempDir() + "/source_test/a.h";
  ASSERT_TRUE(WriteWholeFile(path, "#pragma once\n").ok());
  options_.hlsl.set_row_major(true);
  ASSERT_TRUE(Load("a.ps.hlsl", "#include \"a.h\"\n").ok());
  EXPECT_EQ(request_.glsl().stage(), "fragment");
  EXPECT_TRUE(request_.glsl().hlsl().row_major());
  EXPECT_EQ(request_.glsl().includes_size(), 1);
  EXPECT_EQ(EntryPointOf(request_.glsl()), "main");
  EXPECT_EQ(CauseFor("a.hlsl", "x"), "no_stage");
  EXPECT_THAT(std::string(Load("a.hlsl", "x").message()), HasSubstr("-T ps_6_0"));
  options_.stage = "compute";
  ASSERT_TRUE(Load("a.hlsl", "x").ok());
  EXPECT_TRUE(request_.glsl().has_hlsl());
  ASSERT_TRUE(Load("a.comp", "x").ok());
  EXPECT_FALSE(request_.glsl().has_hlsl());
  options_.language = Language::kHlsl;
  ASSERT_TRUE(Load("a.comp", "x").ok());
  EXPECT_TRUE(request_.glsl().has_hlsl());
  options_.language = Language::kGlsl;
  ASSERT_TRUE(Load("a.hlsl", "x").ok());
  EXPECT_FALSE(request_.glsl().has_hlsl());
  // The entry point is the request's.
  options_.language = Language::kHlsl;
  request_.Clear();
  request_.set_entry_point("PS");
  ASSERT_TRUE(LoadSource(path, "a.h", options_, &request_, &missing_).ok());
  EXPECT_EQ(EntryPointOf(request_.glsl()), "PS");
}

TEST(Define, Form) {
  EXPECT_TRUE(CheckDefine("A_1=x y").ok());
  EXPECT_TRUE(CheckDefine("A").ok());
  EXPECT_FALSE(CheckDefine("1A").ok());
  EXPECT_FALSE(CheckDefine("=1").ok());
  EXPECT_FALSE(CheckDefine("A-B=1").ok());
  EXPECT_FALSE(CheckDefine("A=1\n#define B").ok());
}

}  // namespace
}  // namespace kiln::client
