// kiln batch: many files, one JSON line per module and target, a summary.
#include <string>
#include <vector>

#include "client/commands/batch_inputs.h"
#include "client/commands/batch_run.h"
#include "client/commands/command.h"
#include "client/export/result_files.h"
#include "client/request/request_options.h"
#include "client/service/service_flags.h"

namespace kiln::client {
namespace {

std::vector<Flag> BatchFlags() {
  return JoinFlags(
      {CompileFlags(),
       InputFlags(),
       {{"jobs", 'j', "N", false,
         "number of files in flight (default 32; with --local one per processor)"},
        {"jsonl", 0, "FILE|-", false, "write a JSON line per module and target to FILE; see above"},
        {"output", 'o', "DIR", false, "write machine code and launch records into DIR"},
        {"asm", 0, "", false, "with -o: also write the machine code as text"},
        {"quiet", 'q', "", false, "do not print each failure"},
        AllowFlag()},
       ResultFileFlags(),
       ServiceFlags()});
}

std::vector<std::string> NamesOf(const std::vector<Flag>& flags) {
  std::vector<std::string> names;
  for (const Flag& flag : flags) names.push_back(flag.Key());
  return names;
}

ExitCode RunOrFail(const ParsedFlags& flags, const Environment& environment) {
  absl::StatusOr<ExitCode> code = RunBatchCommand(flags, NamesOf(BatchFlags()), environment);
  return code.ok() ? *code : Fail(code.status(), environment);
}

}  // namespace

Command BatchCommand() {
  return {
      "batch",
      "[PATH...]",
      "compile many shaders",
      "PATHs are files or folders; in folders, *.spv, GLSL files, and HLSL files with a stage in\n"
      "their name (*.ps.hlsl, *.comp.hlsl) are found recursively and sorted by name. Without PATH, --list and --manifest, everything below --root is\n"
      "compiled. --jsonl writes one JSON line per module and target, in the order of the\n"
      "inputs:\n"
      "\n"
      "  {\"file\", \"target\", \"stage\", \"status\": \"ok|refused|invalid|crashed|timeout\", "
      "\"cause\",\n"
      "   \"compile_ms\", \"cache\": \"miss|memory|disk|coalesced\",\n"
      "   \"variants\": [{\"name\", \"width\", the target's statistics (`kiln targets --statistics`\n"
      "                 lists them), \"binary\"}],\n"
      "   \"passes\": [{\"name\", \"runs\", \"changed\", \"us\", \"instructions_delta\"}],\n"
      "   \"entry\": NAME, \"reason\": {}, \"name\", \"defines\", \"spec\", \"widths\", "
      "\"state\",\n"
      "   \"pair\", \"version\", \"code_generation\", ...}\n"
      "\n"
      "A SPIR-V module with several entry points has a line for each, of any stage; --entry\n"
      "chooses one, --stage those of one stage.\n"
      "\n"
      "A manifest has a JSON object per line that says how to compile a file:\n"
      "\n"
      "  {\"file\": PATH, \"name\", \"targets\": [], \"stage\", \"entry_point\", \"defines\": "
      "[\"N=V\"],\n"
      "   \"include_dirs\": [], \"spec\": [\"ID=TYPE:VALUE\"], \"widths\": [], \"subgroup_size\": "
      "N,\n"
      "   \"full_subgroups\", \"dispatch_base\", \"container\", \"no_validate\", \"disable_passes\": [],\n"
      "   \"state\": {as --state}, \"permutations\": \"A=0,1;B=0..3\", \"lang\": \"hlsl\", \"row_major\",\n"
      "   \"register_shifts\": [\"KIND:N\"]}\n"
      "\n"
      "{\"vertex\": PATH, \"fragment\": PATH, ...} is a pair of a pipeline, compiled as `kiln\n"
      "compile` compiles two files, with a line for each; \"vertex_spec\" are constants of the\n"
      "vertex shader alone. Otherwise only \"file\" is required; the other keys override the command line. \"entry\" is\n"
      "another name of \"entry_point\". Unknown keys are reported once and ignored, or are\n"
      "errors with --strict; a key that looks misspelled or belongs to another command is\n"
      "always an error. Paths in a manifest are relative to --root, or else to the manifest's\n"
      "folder.\n"
      "\n"
      "--pair=VERTEX,FRAGMENT compiles two files as such a pair, without a manifest.\n"
      "\n"
      "--permutations makes items of all combinations of an axis' values, the last axis first:\n"
      "NAME=V,V... and NAME=FIRST..LAST are values of a define, NAME? is without and with it,\n"
      "ID=TYPE:V,V... are values of a specialisation constant. At most 65536 of a shader. A\n"
      "manifest's \"permutations\" are of its item instead. Lines have \"defines\" and \"spec\", by\n"
      "which `kiln report` joins them. --list-items prints the items; with --json they are a\n"
      "manifest.\n"
      "\n"
      "A daemon on another machine is sent only files that lie, after following links, below a\n"
      "folder given as PATH, --root, the manifest's folder (for a list: the working directory)\n"
      "or -I; include_dirs do not add to these. Any other file is an error of its own;\n"
      "--allow-include-outside sends it as well.\n"
      "\n"
      "--budget=FILE.json bounds statistics, by folder or shader; of several rules that bound\n"
      "the same statistic of a variant the last one counts:\n"
      "\n"
      "  {\"rules\": [{\"path\": FOLDER or FILE, \"target\", \"stage\", \"entry\", \"name\",\n"
      "              \"widths\": [], \"max\": {STATISTIC: N}, \"min\": {}, \"total\": {}}]}\n"
      "\n"
      "Only a bound is required. \"max\" and \"min\" are of each variant, \"total\" is of all\n"
      "that a rule fits. If a bound does not hold, the batch prints a table and ends with 1.\n"
      "\n"
      "If interrupted (Ctrl-C), the batch writes the finished results; run again, it gets\n"
      "finished files from the daemon's cache.\n"
      "\n"
      "If the daemon goes away, the batch says so and waits for it (--patience); when it is\n"
      "back, only files without an answer are sent again. If the wait is over, the batch ends\n"
      "with exit code 3.\n",
      "  kiln batch --target=tgl --jsonl=before.jsonl tests/shaders\n"
      "  kiln batch --target=tgl --root=tests/shaders --list=client/examples/list.txt --jsonl=- | head\n"
      "  kiln batch --target=tgl --manifest=client/examples/game.jsonl -o out --jobs=64\n"
      "  kiln batch --target=tgl --permutations='TILE=4,8;3=uint:32,64' -I client/examples/include client/examples/blur.comp\n"
      "  kiln batch --target=tgl --pair=client/examples/mesh.vert,client/examples/mesh.frag\n"
      "  kiln batch --target=tgl --budget=client/examples/budget.json --junit=junit.xml --sarif=kiln.sarif tests/shaders/saxpy.comp\n"
      "  kiln batch --local --target=tgl --disable-pass=merge_equal_values --jsonl=after.jsonl tests/shaders\n",
      BatchFlags(),
      RunOrFail};
}

}  // namespace kiln::client
