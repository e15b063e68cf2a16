// A report as text, JSON and one self-contained HTML page.
#ifndef KILN_CLIENT_REPORT_RENDER_H_
#define KILN_CLIENT_REPORT_RENDER_H_

#include <string>

#include "absl/strings/string_view.h"
#include "client/report/compare.h"

namespace kiln::client::report {

struct Names {
  std::string before;
  std::string after;
  // Address of a daemon's pages, to which the HTML page links each shader; empty: no links.
  std::string pages = {};
};

std::string RenderText(const Report& report, const Names& names);
// Returns one object; keys are a contract with scripts: additions only.
std::string RenderJson(const Report& report, const Names& names);
std::string RenderHtml(const Report& report, const Names& names);

// Returns "-1.23%" for `relative` = -0.0123.
std::string Percent(double relative);

}  // namespace kiln::client::report

#endif  // KILN_CLIENT_REPORT_RENDER_H_
