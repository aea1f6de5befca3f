// Small tables of text for what a chapter prints beside the harness's own table.
#pragma once

#include <string>
#include <vector>

namespace tutorial {

/// One line a row, two spaces between columns, each as wide as its widest cell: the first one
/// aligned to the left, the others to the right. Rows may have different lengths.
std::string text_table(const std::vector<std::vector<std::string>>& rows);

}  // namespace tutorial
