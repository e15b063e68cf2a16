// The daemon's settings: from a file, then from the command line, which takes precedence.
//
// Every setting has one name, used as --name=VALUE and, in the file, as a line "name = VALUE". In
// files, '#' begins a comment. Sizes take KiB, MiB, GiB; times take ms, s, m, h.
#ifndef KILN_SERVER_CONFIG_CONFIG_H_
#define KILN_SERVER_CONFIG_CONFIG_H_

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace kiln::server {

// Bounds on what is read from clients.
struct Limits {
  // Bounds a whole request. 0: a module or text of the largest size, and 4 MiB for all else, to
  // which the default bounds of the rest add up; ParseConfig replaces the 0.
  uint64_t message_bytes = 0;
  uint64_t module_bytes = uint64_t{16} << 20;
  uint64_t glsl_bytes = uint64_t{4} << 20;
  uint64_t targets = 16;
  uint64_t defines = 1024;
  uint64_t includes = 1024;
  uint64_t spec_constants = 1024;
  uint64_t disabled_passes = 256;
  uint64_t name_bytes = 1024;
  // Bounds a message to a client, in a stream. The default is what gRPC clients accept by default.
  uint64_t response_bytes = uint64_t{4} << 20;
};

struct Config {
  std::string listen = "127.0.0.1:7411";
  std::string metrics = "127.0.0.1:7412";    // empty: none
  uint64_t max_connections = 1000;           // 0: as many as descriptors allow
  uint64_t max_connections_per_address = 0;  // 0: half of the connections that fit
  std::string trusted_proxies = "none";      // net/peer.h
  // Not a round time, so that a client that calls once a minute does not meet the end.
  absl::Duration idle_time = absl::Seconds(75);
  absl::Duration probe_interval = absl::Seconds(5);
  std::string cache_dir;  // empty: memory only
  uint64_t cache_bytes = uint64_t{4} << 30;
  uint64_t memory_cache_bytes = uint64_t{256} << 20;
  uint64_t disk_cache_memory = uint64_t{128} << 20;
  uint64_t workers = 0;  // 0: one for each processor
  uint64_t spare_workers = 1;
  uint64_t worker_niceness = 10;
  uint64_t queue = 1024;
  uint64_t request_bytes = uint64_t{256} << 20;
  uint64_t jobs_per_worker = 1000;
  uint64_t job_memory = uint64_t{2} << 30;
  // A quarter of job_time: an endless loop meets this limit first, and counts against its shader,
  // if its worker has at least a quarter of a processor. The longest real compile takes a tenth of
  // a second.
  absl::Duration job_cpu_time = absl::Seconds(15);
  absl::Duration job_time = absl::Seconds(60);
  absl::Duration drain_time = absl::Seconds(30);
  std::string worker_user = "auto";  // see worker_user.h
  std::string worker_binary;         // empty: kiln_worker beside the executable
  uint64_t recheck = 1000;           // N: one of N answers is made again; 0: none
  uint64_t quarantine_after = 3;
  bool require_source_once = false;
  bool enable_fault_injection = false;
  std::string otlp_endpoint;       // empty: as the environment says; "none": no traces
  std::string otlp_headers_file;   // empty: as the environment says
  uint64_t trace_sampling = 0;     // N: one of N requests without a parent is traced; 0: none
  std::string log_level = "info";  // one of server/log/line.h
  std::string log_format = "text";
  std::string log_file;  // empty: standard error
  uint64_t log_file_bytes = uint64_t{16} << 20;
  Limits limits;
  bool help = false;
  bool version = false;
  std::string manual;  // "man", "markdown", "metrics-markdown": what is printed; empty: nothing is
  bool memory_plan = false;
  // Names of the settings that the file or the command line gives, even if the value is the
  // default.
  std::set<std::string> given;
  // URL to which spans are sent, from otlp_endpoint and the environment; empty: none. Set by kilnd.
  std::string traces_url;
};

// Returns --workers, or the number of processors if that is 0.
uint64_t NumberOfWorkers(const Config& config);

// Reads the file named by --config, if any, and the command line. InvalidArgument: names the flag,
// or the file and line, that is wrong, and what would be right.
absl::StatusOr<Config> ParseConfig(const std::vector<std::string>& arguments);

// Parses the settings in a file's text. `file` is for messages.
absl::Status ParseConfigText(const std::string& file, const std::string& text, Config* config);

// Returns all settings with their values, as --help shows them.
std::vector<std::pair<std::string, std::string>> ShowSettings(const Config& config);

// Names of the settings that differ between a running daemon and newly read ones.
struct Changes {
  std::vector<std::string> taken;
  std::vector<std::string> need_restart;  // the running daemon keeps its values
};
// Copies into `running` the settings that may change while the daemon runs.
Changes TakeChanges(const Config& next, Config* running);

// Returns the text of --help.
std::string HelpText();

// Return parts of it, which the manual uses as well (manual_page.h).
std::string HelpExamples();  // lines of a shell
std::string HelpNotes();     // paragraphs: memory, signals, exit codes, who is trusted
// Flags that are not settings, with their help: kilnd prints something and ends.
std::vector<std::pair<std::string, std::string>> HelpActions();

// A setting as shown in help and manual.
struct SettingRow {
  std::string flag;  // "--listen=HOST:PORT"
  std::string help;
  std::string value;     // by default
  bool reloads = false;  // SIGHUP changes it in a running daemon
};
// Returns all settings in the order of --help.
std::vector<SettingRow> SettingRows();

}  // namespace kiln::server

#endif  // KILN_SERVER_CONFIG_CONFIG_H_
