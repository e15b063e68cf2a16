// Charts of one statistic as SVG within an HTML page: no script, colours by classes of the page.
#ifndef KILN_CLIENT_REPORT_CHARTS_H_
#define KILN_CLIENT_REPORT_CHARTS_H_

#include <string>

#include "client/report/compare.h"

namespace kiln::client::report {

// Draws each affected variant at (before, after), on axes of equal scale, linear to 10 and
// logarithmic above; unchanged ones would be on the diagonal. At most kMaxDots of them, those with
// the largest relative change. Empty if none is affected.
inline constexpr size_t kMaxDots = 2000;
std::string Scatter(const StatisticReport& statistic);

// Draws how many variants changed by how many percent. Empty if none is affected.
std::string Histogram(const StatisticReport& statistic);

}  // namespace kiln::client::report

#endif  // KILN_CLIENT_REPORT_CHARTS_H_
