// The daemon's settings: see config.h.
#include "server/config/config.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <sstream>
#include <thread>
#include <utility>
#include <variant>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"

namespace kiln::server {
namespace {

struct Bytes {
  uint64_t* value;
};
struct Choice {
  std::string* value;
  const char* choices;  // "a, b or c"
};
// One of N: "1/1000"; 0 is "none".
struct Share {
  uint64_t* value;
};
using Slot = std::variant<std::string*, uint64_t*, Bytes, absl::Duration*, bool*, Choice, Share>;

struct Setting {
  const char* name;
  const char* value;  // for --help
  const char* help;
  Slot slot;
  bool reloads = false;  // SIGHUP changes it in a running daemon
};

std::vector<Setting> Settings(Config* c) {
  return {
      {"listen", "HOST:PORT",
       "address for clients; port 0 takes a free port, unix:PATH is reachable by this user only",
       &c->listen},
      {"metrics", "HOST:PORT",
       "address of /metrics for Prometheus and of the pages for people; none: neither",
       &c->metrics},
      {"max-connections", "N",
       "maximum number of open connections; more are refused. ulimit -n may lower it; 0: as many "
       "as ulimit -n allows",
       &c->max_connections},
      {"max-connections-per-address", "N",
       "maximum number of connections of one address, or of one user on a unix socket; 0: half of "
       "the connections that fit",
       &c->max_connections_per_address},
      {"trusted-proxies", "ADDRESSES",
       "proxies whose x-forwarded-for header names the client: IP addresses and \"unix\", "
       "separated by commas",
       &c->trusted_proxies},
      {"idle-time", "TIME",
       "time without a call after which a client is disconnected (at most twice as late); it "
       "reconnects with its next call",
       &c->idle_time},
      {"probe-interval", "TIME", "interval of kilnd's health checks of its own listener",
       &c->probe_interval},
      {"cache-dir", "DIR",
       "directory of the disk cache; without it results are kept in memory only", &c->cache_dir},
      {"cache-bytes", "SIZE", "maximum size of the disk cache", Bytes{&c->cache_bytes}},
      {"memory-cache-bytes", "SIZE",
       "maximum resident size of the memory cache, bookkeeping included",
       Bytes{&c->memory_cache_bytes}},
      {"disk-cache-memory", "SIZE",
       "maximum memory of the disk cache: blocks, indexes, records not yet in a table",
       Bytes{&c->disk_cache_memory}},
      {"workers", "N", "number of worker processes; 0: one per processor", &c->workers},
      {"spare-workers", "N",
       "additional worker processes, 0 to 64, for short jobs of clients that have used less than "
       "others while all workers are busy",
       &c->spare_workers},
      {"worker-niceness", "N", "niceness of workers, added to kilnd's own, 0 to 19",
       &c->worker_niceness},
      {"queue", "N",
       "maximum number of jobs that wait for a worker; more are refused (UNAVAILABLE), first those "
       "of the client with most waiting jobs",
       &c->queue},
      {"request-bytes", "SIZE",
       "maximum bytes of all requests in flight, and of all answers that clients have not read "
       "from streams; more are refused (UNAVAILABLE)",
       Bytes{&c->request_bytes}},
      {"jobs-per-worker", "N", "number of jobs after which a worker is replaced",
       &c->jobs_per_worker},
      {"job-memory", "SIZE",
       "maximum address space of a worker; the workers together may have this times their number",
       Bytes{&c->job_memory}},
      {"job-cpu-time", "TIME",
       "maximum CPU time of one job, measured to a millisecond; exceeding it always counts against "
       "the shader",
       &c->job_cpu_time},
      {"job-time", "TIME",
       "maximum wall-clock time of one job; exceeding it counts against the shader if the job had "
       "half of it as CPU time",
       &c->job_time},
      {"recheck", "1/N",
       "share of new results, chosen at random, that another worker compiles again to compare; on "
       "a difference the log has an error and all results of that worker are removed; none: no "
       "rechecks",
       Share{&c->recheck}},
      {"quarantine-after", "N",
       "number of worker deaths after which a shader is refused (see kiln quarantine); 0: never",
       &c->quarantine_after},
      {"drain-time", "TIME", "maximum time that a stopping daemon waits for calls in flight",
       &c->drain_time, true},
      {"worker-user", "USER",
       "user that workers run as if kilnd is started as root: a name, a number, auto (an unused id "
       "from 65520 to 65529) or none (root)",
       &c->worker_user},
      {"worker-binary", "FILE",
       "path of the worker program; if not given, kiln_worker beside kilnd", &c->worker_binary},
      {"log-level", "LEVEL", "lowest level that is logged: debug, info, warning or error",
       Choice{&c->log_level, "debug, info, warning or error"}, true},
      {"log-format", "FORMAT", "format of log lines: text (key=value) or json",
       Choice{&c->log_format, "text or json"}, true},
      {"log-file", "FILE",
       "log file, instead of standard error; at --log-file-bytes it is renamed to FILE.1 and a new "
       "one is started",
       &c->log_file},
      {"log-file-bytes", "SIZE", "maximum size of the log file, and of FILE.1",
       Bytes{&c->log_file_bytes}},
      {"otlp-endpoint", "URL",
       "address of an OpenTelemetry collector that traces are sent to, by OTLP/HTTP as JSON, for "
       "example http://127.0.0.1:4318; none: no traces; if not given, as "
       "OTEL_EXPORTER_OTLP_ENDPOINT says",
       &c->otlp_endpoint},
      {"otlp-headers-file", "FILE",
       "file with headers for the collector, as lines 'Name: value'; if not given, as "
       "OTEL_EXPORTER_OTLP_HEADERS says",
       &c->otlp_headers_file},
      {"trace-sampling", "1/N",
       "share of the requests without a traceparent header that are traced, chosen at random; "
       "requests with one are traced if its sampled flag is set",
       Share{&c->trace_sampling}},
      {"max-message-bytes", "SIZE",
       "maximum size of a request; 0: what the largest source needs. Lowers --max-module-bytes and "
       "--max-glsl-bytes to itself",
       Bytes{&c->limits.message_bytes}},
      {"max-response-bytes", "SIZE",
       "maximum size of a stream message to a client; larger answers are sent in chunks",
       Bytes{&c->limits.response_bytes}},
      {"max-module-bytes", "SIZE", "maximum size of a SPIR-V module",
       Bytes{&c->limits.module_bytes}},
      {"max-glsl-bytes", "SIZE", "maximum size of a text of GLSL or HLSL with its includes",
       Bytes{&c->limits.glsl_bytes}},
      {"max-targets", "N", "maximum number of targets of a request", &c->limits.targets},
      {"max-defines", "N", "maximum number of defines of a request", &c->limits.defines},
      {"max-includes", "N", "maximum number of includes of a request", &c->limits.includes},
      {"max-spec-constants", "N", "maximum number of specialisation constants of a request",
       &c->limits.spec_constants},
      {"max-disabled-passes", "N", "maximum number of disabled passes of a request",
       &c->limits.disabled_passes},
      {"max-name-bytes", "SIZE", "maximum length of each name in a request",
       Bytes{&c->limits.name_bytes}},
      {"require-source-once", "BOOL",
       "true: a client may request results by a source's digest only if it sent that source before "
       "on the same connection",
       &c->require_source_once},
      {"enable-fault-injection", "BOOL",
       "true: obey the kiln-fault header; for tests, needs a test build of the worker",
       &c->enable_fault_injection},
  };
}

bool ParseNumber(const std::string& text, uint64_t* value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

bool ParseBytes(const std::string& text, uint64_t* value) {
  static constexpr std::pair<const char*, int> kUnits[] = {
      {"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"TiB", 40}, {"", 0}};
  for (auto [unit, shift] : kUnits) {
    std::string suffix = unit;
    if (text.size() < suffix.size() || text.substr(text.size() - suffix.size()) != suffix) continue;
    uint64_t n = 0;
    if (!ParseNumber(text.substr(0, text.size() - suffix.size()), &n)) return false;
    if (n > (UINT64_MAX >> shift)) return false;
    *value = n << shift;
    return true;
  }
  return false;
}

bool ParseShare(const std::string& text, uint64_t* value) {
  *value = 0;
  return text == "none" ||
         (text.starts_with("1/") && ParseNumber(text.substr(2), value) && *value > 0);
}

bool IsChoice(const std::string& text, const char* choices) {
  const std::vector<std::string> words =
      absl::StrSplit(choices, absl::ByAnyChar(", "), absl::SkipEmpty());
  return text != "or" && std::count(words.begin(), words.end(), text) > 0;
}

struct Assign {
  const std::string& text;
  // Sets the value. Returns null, or a description of valid values.
  const char* operator()(std::string* to) const {
    *to = text;
    return nullptr;
  }
  const char* operator()(uint64_t* to) const {
    return ParseNumber(text, to) ? nullptr : "a number";
  }
  const char* operator()(Bytes to) const {
    return ParseBytes(text, to.value) ? nullptr : "a size such as 512MiB";
  }
  const char* operator()(Share to) const {
    uint64_t n = 0;
    if (!ParseShare(text, &n)) return "a share such as 1/1000, or none";
    *to.value = n;
    return nullptr;
  }
  const char* operator()(absl::Duration* to) const {
    bool ok = absl::ParseDuration(text, to) && *to > absl::ZeroDuration();
    return ok ? nullptr : "a time such as 30s";
  }
  const char* operator()(bool* to) const {
    if (text != "true" && text != "false") return "true or false";
    *to = text == "true";
    return nullptr;
  }
  const char* operator()(Choice to) const {
    if (!IsChoice(text, to.choices)) return to.choices;
    *to.value = text;
    return nullptr;
  }
};

std::string Show(const Slot& slot) {
  struct {
    std::string operator()(std::string* s) const { return s->empty() ? "none" : *s; }
    std::string operator()(uint64_t* n) const { return absl::StrCat(*n); }
    std::string operator()(Bytes b) const {
      for (auto [shift, unit] : {std::pair{30, "GiB"}, {20, "MiB"}, {10, "KiB"}}) {
        if (*b.value != 0 && (*b.value & ((uint64_t{1} << shift) - 1)) == 0) {
          return absl::StrCat(*b.value >> shift, unit);
        }
      }
      return absl::StrCat(*b.value);
    }
    std::string operator()(absl::Duration* d) const { return absl::FormatDuration(*d); }
    std::string operator()(bool* b) const { return *b ? "true" : "false"; }
    std::string operator()(Choice c) const { return *c.value; }
    std::string operator()(Share s) const {
      return *s.value == 0 ? "none" : absl::StrCat("1/", *s.value);
    }
  } show;
  return std::visit(show, slot);
}

// Takes the value of the same setting from another Config.
struct CopyFrom {
  const Slot& from;
  void operator()(Bytes to) const { *to.value = *std::get<Bytes>(from).value; }
  void operator()(Choice to) const { *to.value = *std::get<Choice>(from).value; }
  void operator()(Share to) const { *to.value = *std::get<Share>(from).value; }
  template <typename T>
  void operator()(T* to) const {
    *to = *std::get<T*>(from);
  }
};

// Returns the setting's name with the longest common prefix with `name`, for "did you mean".
std::string Nearest(const std::vector<Setting>& settings, const std::string& name) {
  std::string best;
  size_t most = 2;
  for (const Setting& s : settings) {
    size_t n = 0;
    while (n < name.size() && s.name[n] != '\0' && s.name[n] == name[n]) ++n;
    if (n > most) {
      most = n;
      best = s.name;
    }
  }
  return best;
}

// Sets one setting. Returns an empty string, or what is wrong.
std::string Set(const std::string& name, const std::string& value, Config* config) {
  std::vector<Setting> settings = Settings(config);
  for (const Setting& setting : settings) {
    if (name != setting.name) continue;
    const char* wanted = std::visit(Assign{value}, setting.slot);
    if (wanted != nullptr) {
      return absl::StrCat("'", name, "' takes ", wanted, ", not '", value, "'");
    }
    config->given.insert(name);
    return "";
  }
  std::string nearest = Nearest(settings, name);
  return absl::StrCat("there is no setting '", name, "'",
                      nearest.empty() ? "" : absl::StrCat("; did you mean '", nearest, "'?"));
}

absl::Status Usage(const std::string& what) {
  return absl::InvalidArgumentError(absl::StrCat(what, "\nTry kilnd --help."));
}

constexpr size_t kMaxFileBytes = size_t{1} << 20;

// Reads a file. Nothing: it cannot be read. One byte more than kMaxFileBytes: it is longer.
std::optional<std::string> ReadSome(int fd) {
  std::string text(kMaxFileBytes + 1, '\0');
  size_t size = 0;
  ssize_t n = 1;
  while (size < text.size() && (n = read(fd, text.data() + size, text.size() - size)) > 0) {
    size += static_cast<size_t>(n);
  }
  if (n < 0) return std::nullopt;
  text.resize(size);
  return text;
}

// At SIGHUP the thread that waits for signals reads the file: a FIFO would block it for ever. A
// file without even a comment is about to be written, or the disk was full; it does not mean that
// everything shall have its default.
absl::Status ReadFile(const std::string& path, std::string* text) {
  const auto wrong = [&](const char* what) {
    return Usage(absl::StrCat("the configuration file ", path, " ", what));
  };
  const int fd = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return wrong("cannot be read");
  struct stat st;
  const bool regular = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
  auto read = regular ? ReadSome(fd) : std::nullopt;
  close(fd);
  if (!regular) return wrong("is not a regular file");
  if (!read) return wrong("cannot be read");
  if (read->size() > kMaxFileBytes) return wrong("is larger than 1 MiB");
  if (absl::StripAsciiWhitespace(*read).empty()) {
    return wrong("is empty; write a comment into it to use the defaults");
  }
  *text = *std::move(read);
  return absl::OkStatus();
}

// Refuses sizes that do not fit in the integers of gRPC or of the protocol.
absl::Status CheckSizes(const Config& config) {
  auto at_most = [](const char* name, uint64_t value, uint64_t most) {
    if (value <= most) return absl::OkStatus();
    return Usage(absl::StrCat("'", name, "' takes at most ", most, ", not ", value));
  };
  if (auto s = at_most("worker-niceness", config.worker_niceness, 19); !s.ok()) return s;
  // Bounded because descriptors are set aside for them.
  if (auto s = at_most("spare-workers", config.spare_workers, 64); !s.ok()) return s;
  // gRPC gets twice the bytes of requests, in a signed integer.
  absl::Status status = at_most("request-bytes", config.request_bytes, uint64_t{1} << 60);
  const Limits& limits = config.limits;
  constexpr uint64_t kMessage = INT32_MAX;  // protobuf's longest message
  if (status.ok()) status = at_most("max-message-bytes", limits.message_bytes, kMessage);
  if (status.ok()) status = at_most("max-response-bytes", limits.response_bytes, kMessage);
  // Capabilities have 32 bits for these: truncated, a client would be told another bound, or 0.
  for (const auto& [name, value] : std::initializer_list<std::pair<const char*, uint64_t>>{
           {"max-targets", limits.targets},
           {"max-defines", limits.defines},
           {"max-includes", limits.includes},
           {"max-spec-constants", limits.spec_constants},
           {"max-disabled-passes", limits.disabled_passes},
           {"max-name-bytes", limits.name_bytes}}) {
    if (status.ok()) status = at_most(name, value, UINT32_MAX);
  }
  return status;
}

// Computes the message bound from the field bounds if it is not given, then lowers the field bounds
// to it: so every accepted field can arrive, and advertised bounds hold.
void MatchLimits(Limits* limits) {
  constexpr uint64_t kBesideSource = uint64_t{4} << 20;
  uint64_t& message = limits->message_bytes;
  if (message == 0) {
    const uint64_t source = std::max(limits->module_bytes, limits->glsl_bytes);
    message = std::min(source, INT32_MAX - kBesideSource) + kBesideSource;
  }
  limits->module_bytes = std::min(limits->module_bytes, message);
  limits->glsl_bytes = std::min(limits->glsl_bytes, message);
}

}  // namespace

absl::Status ParseConfigText(const std::string& file, const std::string& text, Config* config) {
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    line = line.substr(0, line.find('#'));
    absl::StripAsciiWhitespace(&line);
    if (line.empty()) continue;
    size_t equals = line.find('=');
    std::string error;
    if (equals == std::string::npos) {
      error = "expected 'name = value'";
    } else {
      std::string name = line.substr(0, equals), value = line.substr(equals + 1);
      absl::StripAsciiWhitespace(&name);
      absl::StripAsciiWhitespace(&value);
      error = Set(name, value, config);
    }
    if (!error.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(file, ":", number, ": ", error));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Config> ParseConfig(const std::vector<std::string>& arguments) {
  Config config;
  for (const std::string& argument : arguments) {
    if (argument.substr(0, 9) != "--config=") continue;
    std::string text;
    if (absl::Status s = ReadFile(argument.substr(9), &text); !s.ok()) return s;
    if (absl::Status s = ParseConfigText(argument.substr(9), text, &config); !s.ok()) return s;
  }
  for (const std::string& argument : arguments) {
    if (argument == "--help" || argument == "-h") {
      config.help = true;
    } else if (argument == "--version") {
      config.version = true;
    } else if (argument == "--man" || argument == "--markdown" ||
               argument == "--metrics-markdown") {
      config.manual = argument.substr(2);
    } else if (argument == "--memory-plan") {
      config.memory_plan = true;
    } else if (argument == "--enable-fault-injection") {
      config.enable_fault_injection = true;
    } else if (argument == "--require-source-once") {
      config.require_source_once = true;
    } else if (argument.substr(0, 2) != "--" || argument.find('=') == std::string::npos) {
      return Usage(
          absl::StrCat("'", argument, "' is not a flag; flags have the form --name=value"));
    } else if (argument.substr(0, 9) != "--config=") {
      size_t equals = argument.find('=');
      std::string error = Set(argument.substr(2, equals - 2), argument.substr(equals + 1), &config);
      if (!error.empty()) return Usage(error);
    }
  }
  if (config.metrics == "none") config.metrics.clear();
  if (config.help || config.version || !config.manual.empty()) return config;
  if (absl::Status s = CheckSizes(config); !s.ok()) return s;
  MatchLimits(&config.limits);
  return config;
}

uint64_t NumberOfWorkers(const Config& config) {
  return config.workers == 0 ? std::max(1U, std::thread::hardware_concurrency()) : config.workers;
}

std::vector<std::pair<std::string, std::string>> ShowSettings(const Config& config) {
  Config copy = config;
  std::vector<std::pair<std::string, std::string>> all;
  for (const Setting& s : Settings(&copy)) all.emplace_back(s.name, Show(s.slot));
  return all;
}

Changes TakeChanges(const Config& next, Config* running) {
  Config copy = next;
  const std::vector<Setting> to = Settings(running), from = Settings(&copy);
  Changes changes;
  for (size_t i = 0; i < to.size(); ++i) {
    if (Show(to[i].slot) == Show(from[i].slot)) continue;
    (to[i].reloads ? changes.taken : changes.need_restart).push_back(to[i].name);
    if (to[i].reloads) std::visit(CopyFrom{from[i].slot}, to[i].slot);
  }
  return changes;
}

std::vector<SettingRow> SettingRows() {
  Config defaults;
  std::vector<SettingRow> rows;
  for (const Setting& s : Settings(&defaults)) {
    rows.push_back({absl::StrCat("--", s.name, "=", s.value), s.help, Show(s.slot), s.reloads});
  }
  return rows;
}

std::string HelpExamples() {
  std::string text =
      "  kilnd --cache-dir=/var/cache/kiln\n"
      "  kilnd --listen=127.0.0.1:0 --metrics=none          a free port, printed; no metrics\n"
      "  kilnd --config=/etc/kiln/kilnd.conf --workers=8\n";
  return text;
}

std::string HelpText() {
  std::string text =
      "kilnd: compiles shaders to GPU machine code as a service.\n"
      "\n"
      "  kilnd [--name=VALUE]... [--config=FILE]\n"
      "\n"
      "Examples:\n" +
      HelpExamples() +
      "\n"
      "Then: kiln compile --server=127.0.0.1:7411 --target=tgl tests/shaders/saxpy.comp\n"
      "      curl http://127.0.0.1:7412/metrics http://127.0.0.1:7412/healthz\n"
      "\n"
      "Settings, as flags or as lines 'name = value' of FILE ('#' begins a comment);\n"
      "defaults in parentheses:\n";
  for (const SettingRow& row : SettingRows()) {
    absl::StrAppend(&text, absl::StrFormat("  %-30s %s (%s)%s\n", row.flag, row.help, row.value,
                                           row.reloads ? " *" : ""));
  }
  for (const auto& [flag, help] : HelpActions()) {
    absl::StrAppend(&text, absl::StrFormat("  %-30s %s\n", flag, help));
  }
  return absl::StrCat(text, "\n", HelpNotes());
}

std::vector<std::pair<std::string, std::string>> HelpActions() {
  return {{"--memory-plan", "print how much memory these settings need, and exit"},
          {"--man", "print the manual, kilnd(8), for `man -l -`, and exit"},
          {"--markdown", "print the manual as Markdown, and exit"},
          {"--metrics-markdown", "print the list of metrics as Markdown, and exit"},
          {"--version", "print the version, and exit"}};
}

std::string HelpNotes() {
  std::string text =
      "Memory: at its start kilnd reads the limits of its process (ulimit -v; memory.max of its\n"
      "control groups). If the settings above need more, those that are not given are lowered,\n"
      "which the log reports (memory_lowered): job-memory, request-bytes, memory-cache-bytes,\n"
      "disk-cache-memory, workers, spare-workers. If that is not enough, kilnd does not start and\n"
      "prints the sum. The defaults, with a disk cache and two processors, need 10.3 GiB, of\n"
      "which kilnd itself 2.3 GiB; kilnd starts with at least 1.1 GiB under a container's limit,\n"
      "and 760 MiB under ulimit -v.\n"
      "\n"
      "SIGHUP reads FILE again: settings with a * change at once, others at the next start; the\n"
      "log says which. SIGUSR1 and SIGUSR2 have no effect.\n"
      "SIGTERM and SIGINT drain: health becomes NOT_SERVING, calls in flight are finished, then\n"
      "kilnd exits with 0. It exits with 2 for a wrong setting or one that needs more memory than\n"
      "there is, 1 if it cannot start, and 3 when it runs out of memory (out_of_memory is then\n"
      "the last line of the log).\n"
      "There is no authentication: listen beyond loopback only if every client is trusted\n"
      "(deploy/proxy configures nginx for other clients), and on a machine with other users on\n"
      "unix:PATH, whose directory is created if it is missing, and must not be writable by other\n"
      "users. Every user of this machine may list and clear the quarantine through a port; the\n"
      "quarantined sources are in CACHE-DIR/quarantine, readable by kilnd's user only. CACHE-DIR\n"
      "is created if it is missing (mode 0700); an existing one must be empty or a cache, belong\n"
      "to kilnd's user, and not be writable by other users. Otherwise kilnd reports why, keeps\n"
      "results in memory, and uses the directory as soon as that is corrected.\n";
  return text;
}

}  // namespace kiln::server
