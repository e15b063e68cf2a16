// Results as JUnit's XML, which build servers show: a test suite for each target, a test case for
// each result.
//
// Refused and invalid results, and those over their budget, are failures, or skipped if their cause
// is allowed; crashes and timeouts are errors. A case's class is its file, its name the entry point
// and the permutation, its time the processor time of the compile. The form is the common part of
// what Jenkins, GitLab and others read: their schemas disagree beyond it.
#ifndef KILN_CLIENT_EXPORT_JUNIT_H_
#define KILN_CLIENT_EXPORT_JUNIT_H_

#include <set>
#include <string>
#include <vector>

#include "client/export/exported_result.h"
#include "client/export/judge.h"

namespace kiln::client {

// `overruns` are sorted by result, whose number in `results` they have. `allowed`: causes of known
// failures.
std::string JunitText(const std::vector<ExportedResult>& results,
                      const std::vector<Overrun>& overruns,
                      const std::set<std::string>& allowed = {});

// Returns text for an attribute or element of XML 1.0. Characters that no XML document can have
// become U+FFFD; line feeds and tabs stay in elements and, as references, in attributes.
std::string XmlText(absl::string_view text);

}  // namespace kiln::client

#endif  // KILN_CLIENT_EXPORT_JUNIT_H_
