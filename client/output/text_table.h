// Rows of words as a table for people.
#ifndef KILN_CLIENT_OUTPUT_TEXT_TABLE_H_
#define KILN_CLIENT_OUTPUT_TEXT_TABLE_H_

#include <string>
#include <vector>

namespace kiln::client {

// Returns the rows, each a line indented by two blanks; the first column is aligned to the left,
// the others to the right. All rows have as many words as the first; there is at least one row.
std::string TextTable(const std::vector<std::vector<std::string>>& rows);

}  // namespace kiln::client

#endif  // KILN_CLIENT_OUTPUT_TEXT_TABLE_H_
