// The JSON documents behind the daemon's pages. server/README.md lists their members.
#ifndef KILN_SERVER_PAGES_DOCUMENTS_H_
#define KILN_SERVER_PAGES_DOCUMENTS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "proto/worker.pb.h"
#include "server/pages/history.h"
#include "server/pages/pass_table.h"
#include "server/pages/readings.h"
#include "server/pages/shader_list.h"

namespace kiln::pages {

// The state of the daemon as /healthz reports it.
struct Health {
  enum class State {
    kOk,
    kDegraded,  // it serves, but `reasons` cost time or room
    kFailing,   // it does not answer
    kStopping,
  };
  State state = State::kOk;
  std::vector<std::string> reasons;  // sentences for people, without a full stop
};

// Constants of one daemon.
struct Facts {
  std::string version;
  absl::Time started;
  uint64_t daemon_bound_bytes = 0;   // resident memory that kilnd may come to need
  uint64_t workers_bound_bytes = 0;  // and its workers together
};

std::string StatusJson(const Facts& facts, const worker::Hello& hello, const Health& health,
                       const Readings& readings, const Sample& now);
std::string HistoryJson(const std::vector<Sample>& samples);
std::string PassesJson(const worker::Hello& hello, const std::vector<PassTable::Row>& rows);
std::string ShadersJson(const ShaderList& shaders);
// `lines`: JSON objects, the oldest first.
std::string LogJson(const std::vector<std::string>& lines);

}  // namespace kiln::pages

#endif  // KILN_SERVER_PAGES_DOCUMENTS_H_
