// The manual of kilnd: see manual_page.h.
#include "server/config/manual_page.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "server/config/config.h"
#include "server/manual/page.h"

namespace kiln::server {
namespace {

manual::Page PageOfKilnd() {
  manual::Page page = {
      .name = "kilnd",
      .section = 8,
      .summary = "compiles shaders to GPU machine code as a service",
      .synopsis = {"kilnd [--name=VALUE]... [--config=FILE]"},
      .description =
          "kilnd takes SPIR-V, Vulkan GLSL or HLSL over gRPC and returns machine code with its statistics. It "
          "caches\nresults in memory and on disk, compiles in sandboxed worker processes, and exports "
          "metrics for\nPrometheus. kiln(1) is its client.\n\n"
          "Each setting is a flag, `--name=VALUE`, or a line `name = value` of the file that --config "
          "names,\nwhere `#` begins a comment; the command line wins. Sizes take KiB, MiB, GiB; times "
          "take ms, s, m, h.\n",
      .options_title = "Settings",
      .examples = HelpExamples(),
      .parts = {{"Notes", HelpNotes()}},
      .see_also = {"kiln(1)"}};
  for (const SettingRow& row : SettingRows()) {
    page.options.push_back(
        {row.flag, absl::StrCat(row.help, " (", row.value, ")", row.reloads ? " *" : "")});
  }
  page.options.push_back({"--config=FILE", "file of settings, one per line"});
  for (const auto& [flag, help] : HelpActions()) page.options.push_back({flag, help});
  page.options.push_back({"-h, --help", "print a shorter form of this page"});
  return page;
}

}  // namespace

std::string Manual(absl::string_view form, absl::string_view version) {
  const manual::Page page = PageOfKilnd();
  if (form == "man") return manual::ManPage(page, version);
  const std::string text = absl::StrCat(
      "# kilnd: settings reference\n\n`kilnd --markdown` prints this page; a test compares the two. "
      "`kilnd --man` is the same for `man`.\n\n",
      manual::MarkdownPage(page));
  return std::string(absl::StripSuffix(text, "\n"));
}

}  // namespace kiln::server
