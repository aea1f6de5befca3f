#include "text_table.hpp"

#include <algorithm>
#include <cstddef>

namespace tutorial {

std::string text_table(const std::vector<std::vector<std::string>>& rows) {
    std::vector<std::size_t> widths;
    for (const std::vector<std::string>& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t c = 0; c < row.size(); ++c) {
            widths[c] = std::max(widths[c], row[c].size());
        }
    }
    std::string text;
    for (const std::vector<std::string>& row : rows) {
        for (std::size_t c = 0; c < row.size(); ++c) {
            const std::string space(widths[c] - row[c].size(), ' ');
            const bool is_last = c + 1 == row.size();
            if (c == 0) {
                text += is_last ? row[c] : row[c] + space;
            } else {
                text += "  " + space + row[c];
            }
        }
        text += "\n";
    }
    return text;
}

}  // namespace tutorial
