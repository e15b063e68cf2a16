// The daemon's own pages: see pages.h.
#include "server/pages/pages.h"

#include <chrono>
#include <string>
#include <utility>

#include "absl/time/clock.h"
#include "server/pages/readings.h"
#include "server/pages/site.h"

namespace kiln::pages {
namespace {

using net::HttpPages;

constexpr char kHeaders[] =
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "Cache-Control: no-store\r\n";

HttpPages::Page Document(std::string json) {
  return {200, "application/json", std::move(json), kHeaders};
}

}  // namespace

Pages::Pages(Sources sources) : sources_(std::move(sources)) {
  sampling_.Start(absl::ToChronoNanoseconds(History::kInterval), [this] {
    const auto families = sources_.collect();
    history_.Take(Readings(families), absl::Now());
  });
}

HttpPages::Pages Pages::Slow() const {
  return {{"/status.json", [this] {
             const Health health = sources_.health();
             const auto families = sources_.collect();
             const Readings readings(families);
             return Document(StatusJson(sources_.facts, sources_.hello, health, readings,
                                        history_.Look(readings, absl::Now())));
           }}};
}

HttpPages::Pages Pages::Quick() const {
  HttpPages::Pages pages = {
      {"/history.json", [this] { return Document(HistoryJson(history_.All())); }},
      {"/passes.json",
       [this] { return Document(PassesJson(sources_.hello, sources_.activity->passes.Rows())); }},
      {"/shaders.json", [this] { return Document(ShadersJson(sources_.activity->shaders)); }},
      {"/log.json", [this] { return Document(LogJson(sources_.log->Recent())); }},
  };
  for (const SiteFile& file : Site()) {
    pages.emplace(std::string(file.path), [&file] {
      return HttpPages::Page{200, std::string(file.content_type), std::string(file.text), kHeaders};
    });
  }
  return pages;
}

}  // namespace kiln::pages
