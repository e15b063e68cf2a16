// The daemon's events as lines of the log: see event_log.h.
#include "server/event_log.h"

#include <string>
#include <utility>
#include <vector>

#include "server/worker/sandbox_level.h"

namespace kiln::server {
namespace {

using log::Event;

Event EventOf(cache::DiskEvent::Kind kind) {
  switch (kind) {
    case cache::DiskEvent::Kind::kFailing: return Event::kCacheFailing;
    case cache::DiskEvent::Kind::kRecovered: return Event::kCacheRecovered;
    case cache::DiskEvent::Kind::kDamaged: return Event::kCacheDamaged;
    case cache::DiskEvent::Kind::kRepaired: return Event::kCacheRepaired;
    case cache::DiskEvent::Kind::kLost: return Event::kCacheLost;
    case cache::DiskEvent::Kind::kDropped: return Event::kCacheDropped;
    case cache::DiskEvent::Kind::kOldLayoutDropped: return Event::kCacheOldLayout;
  }
  return Event::kCacheFailing;
}

}  // namespace

void LogIdleDeath(const worker::Exit& exit, log::Log* log) {
  std::vector<log::Field> fields = {{"reason", exit.reason}, {"cause", exit.cause}};
  if (exit.reason != "abort") fields.emplace_back("message", exit.message);
  log->Write(Event::kIdleWorkerDied, std::move(fields));
}

void LogDiskEvent(const cache::DiskEvent& event, log::Log* log) {
  std::vector<log::Field> fields;
  if (event.cause != cache::DiskCause::kNone) fields.emplace_back("cause", Name(event.cause));
  if (event.generation != 0) fields.emplace_back("generation", event.generation);
  if (event.records != 0) fields.emplace_back("records", event.records);
  if (event.bytes != 0) fields.emplace_back("bytes", event.bytes);
  if (!event.detail.empty()) fields.emplace_back("message", event.detail);
  log->Write(EventOf(event.kind), std::move(fields));
}

void LogSandbox(const worker::Hello& hello, log::Log* log) {
  std::vector<log::Field> fields;
  for (const auto& [layer, level] : worker::LevelOf(hello.sandbox())) {
    fields.emplace_back(layer, level);
  }
  log->Write(Event::kSandbox, std::move(fields));
}

void LogQuarantineLoaded(const quarantine::Quarantine::Usage& usage, log::Log* log) {
  const auto& dropped = usage.dropped;
  if (usage.entries + dropped.damaged + dropped.format + dropped.compiler + dropped.limits == 0) {
    return;
  }
  log->Write(Event::kQuarantineLoaded, {{"entries", usage.entries},
                                        {"dropped_damaged", dropped.damaged},
                                        {"dropped_format", dropped.format},
                                        {"dropped_compiler", dropped.compiler},
                                        {"dropped_limits", dropped.limits}});
}

void LogQuarantined(const kiln::v1::QuarantineEntry& entry, log::Log* log) {
  log->Write(Event::kQuarantined, {{"key", entry.key()},
                                   {"target", entry.target()},
                                   {"status", kiln::v1::TargetResult::Status_Name(entry.status())},
                                   {"cause", entry.cause()},
                                   {"deaths", entry.deaths()}});
}

void LogRefusing(std::string_view listener, bool refusing, log::Log* log) {
  log->Write(refusing ? Event::kConnectionsRefused : Event::kConnectionsAdmitted,
             {{"listener", listener}});
}

void LogSelfHealth(const absl::Status& status, log::Log* log) {
  if (status.ok()) {
    log->Write(Event::kListenerAnswers);
  } else {
    log->Write(Event::kListenerDeaf, {{"message", std::string(status.message())}});
  }
}

}  // namespace kiln::server
