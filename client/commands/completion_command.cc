// kiln completion: scripts that complete kiln's command line in shells.
#include "client/commands/command.h"
#include "client/manual/completion.h"

namespace kiln::client {
namespace {

ExitCode Run(const ParsedFlags& flags, const Environment& environment) {
  if (flags.arguments().size() != 1) {
    return Fail(absl::InvalidArgumentError("the shell is missing: bash, zsh or fish"), environment);
  }
  auto script = CompletionScript(flags.arguments()[0], Commands());
  if (!script.ok()) return Fail(script.status(), environment);
  return PrintAndExit(*script, environment);
}

}  // namespace

Command CompletionCommand() {
  return {
      "completion",
      "bash|zsh|fish",
      "print a script that completes kiln's command line",
      "Completes commands, flags, fixed sets of values, files and folders. In bash\n"
      "`source <(kiln completion bash)` in ~/.bashrc; in zsh the same in ~/.zshrc after compinit, or as a\n"
      "file _kiln of a folder in fpath; in fish as ~/.config/fish/completions/kiln.fish.\n",
      "  kiln completion bash > kiln.bash\n"
      "  kiln completion zsh > _kiln\n"
      "  kiln completion fish > kiln.fish\n",
      {},
      Run,
      /*has_json=*/false};
}

}  // namespace kiln::client
