// kiln quarantine: shaders that a daemon refuses because they killed its workers.
#include <google/protobuf/util/json_util.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "client/cli/terminal.h"
#include "client/commands/command.h"
#include "client/service/client.h"
#include "kiln/v1/admin.grpc.pb.h"

namespace kiln::client {
namespace {

using kiln::v1::Admin;
using kiln::v1::QuarantineEntry;

constexpr std::chrono::seconds kPatience{10};

absl::StatusOr<std::unique_ptr<Admin::Stub>> Connect(const ParsedFlags& flags) {
  const char* environment = getenv("KILN_SERVER");
  std::string server = environment != nullptr && *environment != 0 ? environment : kDefaultServer;
  server = flags.Get("server", server);
  if (absl::Status status = CheckServerAddress(server); !status.ok()) return status;
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  return Admin::NewStub(
      grpc::CreateCustomChannel(server, grpc::InsecureChannelCredentials(), arguments));
}

template <typename Request, typename Response>
absl::Status Call(Admin::Stub* stub,
                  grpc::Status (Admin::Stub::*method)(grpc::ClientContext*, const Request&,
                                                      Response*),
                  const Request& request, Response* response) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kPatience);
  const grpc::Status status = (stub->*method)(&context, request, response);
  return {static_cast<absl::StatusCode>(status.error_code()), status.error_message()};
}

ExitCode PrintText(absl::string_view text, const Environment& environment) {
  if (absl::Status s = Print(text); !s.ok()) return Fail(s, environment);
  return kExitOk;
}

ExitCode PrintJson(const google::protobuf::Message& message, const Environment& environment) {
  google::protobuf::util::JsonPrintOptions options;
  options.always_print_primitive_fields = true;
  options.preserve_proto_field_names = true;
  std::string json;
  auto status = google::protobuf::util::MessageToJsonString(message, &json, options);
  if (!status.ok()) return Fail(absl::InternalError(status.ToString()), environment);
  return PrintText(json + "\n", environment);
}

std::string WhatDied(const QuarantineEntry& entry) {
  return entry.target().empty() ? "GLSL" : Printable(entry.target());
}

ExitCode List(Admin::Stub* stub, const Environment& environment) {
  kiln::v1::QuarantineList list;
  absl::Status status =
      Call(stub, &Admin::Stub::ListQuarantine, kiln::v1::ListQuarantineRequest(), &list);
  if (!status.ok()) return Fail(status, environment);
  if (environment.json) return PrintJson(list, environment);
  std::string text;
  for (const QuarantineEntry& entry : list.entries()) {
    absl::StrAppend(&text, Printable(entry.key()),
                    absl::StrFormat("  %-8s %3d deaths  %6d refusals  %s in %s\n", WhatDied(entry),
                                    entry.deaths(), entry.refusals(), Printable(entry.cause()),
                                    Printable(entry.last_pass())));
  }
  return PrintText(text.empty() ? "the quarantine is empty\n" : text, environment);
}

// Returns the daemon's limits whose increase would let it be compiled again.
std::string LimitsText(const QuarantineEntry::Limits& limits) {
  std::vector<std::string> all;
  if (limits.has_job_time_ms()) {
    all.push_back(absl::StrCat("--job-time=",
                               absl::FormatDuration(absl::Milliseconds(limits.job_time_ms()))));
  }
  if (limits.has_job_cpu_time_ms()) {
    all.push_back(absl::StrCat("--job-cpu-time=",
                               absl::FormatDuration(absl::Milliseconds(limits.job_cpu_time_ms()))));
  }
  if (limits.has_job_memory_bytes()) {
    all.push_back(absl::StrCat("--job-memory=", limits.job_memory_bytes() >> 20, "MiB"));
  }
  return all.empty() ? "none" : absl::StrJoin(all, " ");
}

std::string ShowText(const QuarantineEntry& entry) {
  return absl::StrCat(
      "key        ", Printable(entry.key()), "\ntarget     ", WhatDied(entry), "\ncompiler   ",
      Printable(entry.compiler()), "\ndeaths     ", entry.deaths(), "\nrefusals   ",
      entry.refusals(), "\nlast death ",
      absl::FormatTime(absl::RFC3339_sec, absl::FromUnixSeconds(entry.last_death_unix_seconds()),
                       absl::UTCTimeZone()),
      "\ncause      ", Printable(entry.cause()), ": ", PrintableLines(entry.message()),
      "\nlast pass  ", Printable(entry.last_pass()), "\nlimits     ", LimitsText(entry.limits()),
      "\nsource     ",
      entry.file().empty()
          ? "not kept"
          : absl::StrCat(entry.request_bytes(), " bytes in ", Printable(entry.file()),
                         " (readable by kilnd's user; --output=FILE copies it)"),
      "\n");
}

// The daemon names the file and does not send it: its permissions decide who may read it.
absl::Status ReadSource(QuarantineEntry* entry) {
  if (entry->file().empty()) {
    return absl::NotFoundError(
        "the source was not kept (kilnd keeps sources only if it has a --cache-dir)");
  }
  std::error_code ignored;
  std::ifstream file;
  if (std::filesystem::is_regular_file(entry->file(), ignored)) {
    file.open(entry->file(), std::ios::binary);
  }
  if (!file.is_open()) {
    return absl::PermissionDeniedError(absl::StrCat(
        entry->file(), " cannot be read; only kilnd's user and root on its machine may read it"));
  }
  QuarantineEntry kept;
  if (!kept.ParseFromIstream(&file) || kept.key() != entry->key() || !kept.has_request()) {
    return absl::NotFoundError(absl::StrCat(entry->file(), " does not have the source"));
  }
  *entry->mutable_request() = std::move(*kept.mutable_request());
  return absl::OkStatus();
}

absl::Status WriteSource(const QuarantineEntry& entry, const std::string& path) {
  const auto& request = entry.request();
  const std::string& source = request.has_spirv() ? request.spirv() : request.glsl().text();
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  if (!file || !file.write(source.data(), static_cast<std::streamsize>(source.size())).flush()) {
    return absl::PermissionDeniedError(absl::StrCat(path, " cannot be written"));
  }
  return absl::OkStatus();
}

ExitCode Show(Admin::Stub* stub, const std::string& key, const ParsedFlags& flags,
              const Environment& environment) {
  kiln::v1::ShowQuarantineRequest request;
  request.set_key(key);
  QuarantineEntry entry;
  absl::Status status = Call(stub, &Admin::Stub::ShowQuarantine, request, &entry);
  if (!status.ok()) return Fail(status, environment);
  const absl::Status read = ReadSource(&entry);
  if (flags.Has("output")) {
    status = read.ok() ? WriteSource(entry, flags.Get("output")) : read;
    if (!status.ok()) return Fail(status, environment);
  }
  if (environment.json) return PrintJson(entry, environment);
  return PrintText(ShowText(entry), environment);
}

ExitCode Clear(Admin::Stub* stub, absl::Span<const std::string> keys, bool all,
               const Environment& environment) {
  kiln::v1::ClearQuarantineRequest request;
  for (const std::string& key : keys) request.add_keys(key);
  request.set_all(all);
  kiln::v1::ClearQuarantineResponse response;
  absl::Status status = Call(stub, &Admin::Stub::ClearQuarantine, request, &response);
  if (!status.ok()) return Fail(status, environment);
  if (!all && response.cleared() < keys.size()) {
    return Fail(absl::NotFoundError(absl::StrCat("only ", response.cleared(), " of ", keys.size(),
                                                 " keys were in quarantine")),
                environment);
  }
  if (environment.json) return PrintJson(response, environment);
  return PrintText(absl::StrCat(response.cleared(), " cleared\n"), environment);
}

// Returns the error of the command line; empty if it is right.
std::string Wrong(const std::vector<std::string>& words, bool all, bool output) {
  const std::string action = words.empty() ? "" : words[0];
  if (action != "list" && action != "show" && action != "clear") {
    return "an action is missing: list, show KEY or clear KEY...";
  }
  if (action == "list" && words.size() != 1) return "`list` takes no key";
  if (action == "show" && words.size() != 2) return "`show` takes one key";
  if (action == "clear" && (words.size() > 1) == all) return "`clear` takes keys, or --all";
  if (action != "clear" && all) return "--all belongs to `clear`";
  if (action != "show" && output) return "--output belongs to `show`";
  return "";
}

ExitCode Run(const ParsedFlags& flags, const Environment& environment) {
  const std::vector<std::string>& words = flags.arguments();
  const std::string wrong = Wrong(words, flags.Has("all"), flags.Has("output"));
  if (!wrong.empty()) return Fail(absl::InvalidArgumentError(wrong), environment);
  auto stub = Connect(flags);
  if (!stub.ok()) return Fail(stub.status(), environment);
  if (words[0] == "list") return List(stub->get(), environment);
  if (words[0] == "show") return Show(stub->get(), words[1], flags, environment);
  return Clear(stub->get(), absl::MakeConstSpan(words).subspan(1), flags.Has("all"), environment);
}

}  // namespace

Command QuarantineCommand() {
  return {
      "quarantine",
      "list|show|clear [KEY...]",
      "list, show or clear shaders refused because they killed workers",
      "A shader that killed several workers (kilnd --quarantine-after) is refused with the\n"
      "cause `quarantined` until the compiler's version changes, the daemon is started with a\n"
      "higher value of a limit that the shader exceeded, or the shader is cleared. `show` tells\n"
      "how it died and writes its source, `clear` allows it to be compiled again. Works on the\n"
      "daemon's machine only, for every user; the sources are in files that only kilnd's user\n"
      "and root may read.\n",
      "  kiln quarantine list\n"
      "  kiln quarantine show KEY --output=bad.spv\n"
      "  kiln quarantine clear --all\n",
      {{"server", 0, "HOST:PORT", false,
        "address of the daemon (default: $KILN_SERVER, else 127.0.0.1:7411)"},
       {"all", 0, "", false, "for clear: clear all keys"},
       {"output", 'o', "FILE", false, "for show: write the module or the GLSL text to FILE"}},
      Run};
}

}  // namespace kiln::client
