// Appends lines to a CSV file (RFC 4180) so that no measured row is lost.
#pragma once

#include <string>
#include <vector>

namespace tutorial {

/// One record with its line end: fields that hold a comma, a quote or a line break are quoted.
std::string csv_line(const std::vector<std::string>& fields);

/// A CSV file that only grows. Each row is one write at the file's end, so rows of programs that
/// run at the same time do not mix, and all rows written before a crash are whole.
class CsvFile {
  public:
    /// Opens or creates the file; writes the header if it is new or empty. Throws UsageError where
    /// it cannot be written, or where its first line is another header.
    CsvFile(const std::string& path, const std::vector<std::string>& header);
    ~CsvFile();
    CsvFile(const CsvFile&) = delete;
    CsvFile& operator=(const CsvFile&) = delete;

    /// Throws std::runtime_error if the row cannot be written (a full disk), or has not as many
    /// fields as the header.
    void append(const std::vector<std::string>& fields);

  private:
    void write_all(const std::string& text);

    std::string path_;
    std::size_t columns_ = 0;
    int file_ = -1;
};

}  // namespace tutorial
