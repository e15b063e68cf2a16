// kiln health: asks whether the service serves.
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/terminal.h"
#include "client/commands/command.h"
#include "client/service/service_flags.h"

namespace kiln::client {
namespace {

std::string JsonText(const std::string& server, const std::vector<ServiceHealth>& all) {
  nlohmann::ordered_json json = {{"server", server}, {"services", nlohmann::ordered_json::array()}};
  for (const ServiceHealth& one : all) {
    json["services"].push_back(
        {{"service", one.service}, {"status", one.status}, {"detail", one.detail}});
  }
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string Text(const std::string& server, const std::vector<ServiceHealth>& all, bool colour) {
  std::string text = Printable(server) + "\n";
  for (const ServiceHealth& one : all) {
    absl::StrAppend(
        &text, "  ",
        absl::StrFormat("%-24s ", one.service.empty() ? "(all)" : Printable(one.service)),
        StatusText(Printable(one.status), colour), one.detail.empty() ? "" : "  ",
        Printable(one.detail), "\n");
  }
  return text;
}

ExitCode Run(const ParsedFlags& flags, const Environment& environment) {
  if (!flags.arguments().empty()) {
    return Fail(absl::InvalidArgumentError("`kiln health` takes no argument"), environment);
  }
  absl::StatusOr<std::unique_ptr<Service>> service = OpenService(flags, 1);
  if (!service.ok()) return Fail(service.status(), environment);
  absl::StatusOr<std::vector<ServiceHealth>> health = (*service)->Health();
  if (!health.ok()) return Fail(health.status(), environment);
  std::string text = environment.json ? JsonText((*service)->Name(), *health)
                                      : Text((*service)->Name(), *health, environment.out_colour);
  if (absl::Status s = Print(text); !s.ok()) return Fail(s, environment);
  for (const ServiceHealth& one : *health) {
    if (one.status != "serving") return kExitUnreachable;
  }
  return kExitOk;
}

}  // namespace

Command HealthCommand() {
  return {
      "health",
      "",
      "check the health of the service",
      "Prints the state of each service of the daemon (grpc.health.v1) and the sandbox layers\n"
      "of its workers; with --local, the same of a worker started by this command. Exits with 0\n"
      "if all services are serving, else with 3.\n",
      "  kiln health\n"
      "  kiln health --server=build-host:7411 --json\n",
      ServiceFlags(),
      Run};
}

}  // namespace kiln::client
