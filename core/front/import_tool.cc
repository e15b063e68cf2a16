// import_tool [--print] [--mark-undefined] [--validate] [--root=DIR] [FILE... | -]
//
// Imports SPIR-V modules and prints the outcome of each, one line a module, tab-separated:
//   FILE  ok       INSTRUCTIONS
//   FILE  refused  CAUSE      MESSAGE
//   FILE  invalid  MESSAGE
//   FILE  broken   MESSAGE    (the imported module does not verify: a bug)
// With "-" the file names are read from standard input. --print writes the MIR as well;
// --mark-undefined imports for reference executions (ImportOptions::mark_undefined); --validate
// runs the validator first, as a service does. Exit status 1 if any module is broken or cannot be
// read.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "core/front/check/refusal.h"
#include "core/front/check/validate.h"
#include "core/front/import.h"
#include "core/mir/build.h"
#include "core/mir/print.h"
#include "core/mir/verify.h"

namespace {

std::string OneLine(const absl::Status& status) {
  std::string text(status.message());
  for (char& c : text) {
    if (c == '\n' || c == '\t') c = ' ';
  }
  return text;
}

bool ReadWords(const std::string& path, std::vector<uint32_t>* words) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return false;
  const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  words->resize(bytes.size() / 4);
  std::memcpy(words->data(), bytes.data(), words->size() * 4);
  return true;
}

// Imports one module and prints its line. Returns false if the module shows a bug.
bool Report(const std::string& name, const std::string& path,
            const kiln::front::ImportOptions& options, bool validate, bool print) {
  std::vector<uint32_t> words;
  if (!ReadWords(path, &words)) {
    std::printf("%s\tbroken\tcannot be read\n", name.c_str());
    return false;
  }
  const auto start = std::chrono::steady_clock::now();
  const absl::Status valid = validate ? kiln::front::ValidateSpirv(words) : absl::OkStatus();
  const absl::StatusOr<kiln::mir::Module> module =
      valid.ok() ? kiln::front::ImportSpirv(words, options) : valid;
  const auto us = std::chrono::duration_cast<std::chrono::microseconds>(
                      std::chrono::steady_clock::now() - start)
                      .count();
  if (!module.ok()) {
    const std::string cause = kiln::front::RefusalCause(module.status());
    if (!cause.empty()) {
      std::printf("%s\trefused\t%s\t%s\n", name.c_str(), cause.c_str(),
                  OneLine(module.status()).c_str());
      return true;
    }
    const bool internal = module.status().code() == absl::StatusCode::kInternal;
    std::printf("%s\t%s\t%s\n", name.c_str(), internal ? "broken" : "invalid",
                OneLine(module.status()).c_str());
    return !internal;
  }
  const absl::Status verified = kiln::mir::Verify(*module);
  if (print) std::fputs(kiln::mir::Print(*module).c_str(), stdout);
  if (!verified.ok()) {
    std::printf("%s\tbroken\t%s\n", name.c_str(), OneLine(verified).c_str());
    return false;
  }
  std::printf("%s\tok\t%lld\t%lld us\n", name.c_str(),
              static_cast<long long>(kiln::mir::CountInstructions(*module)),
              static_cast<long long>(us));
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  bool print = false;
  bool validate = false;
  bool good = true;
  std::string root;
  kiln::front::ImportOptions options;
  std::vector<std::string> names;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (arg == "--print") {
      print = true;
    } else if (arg == "--mark-undefined") {
      options.mark_undefined = true;
    } else if (arg == "--validate") {
      validate = true;
    } else if (arg.rfind("--root=", 0) == 0) {
      root = arg.substr(7) + "/";
    } else if (arg == "-") {
      for (std::string line; std::getline(std::cin, line);) names.push_back(line);
    } else {
      names.push_back(arg);
    }
  }
  for (const std::string& name : names) {
    good = Report(name, root + name, options, validate, print) && good;
  }
  return good ? 0 : 1;
}
