// Appends rows to a CSV file so that none is lost. Quoting as in RFC 4180; lines end in a line
// feed.
#pragma once

#include <string>
#include <vector>

namespace tutorial {

/// One record with its line end: fields that contain a comma, a quote or a line break are quoted.
std::string csv_line(const std::vector<std::string>& fields);

/// A column of a row, and what the row has there.
struct CsvField {
    const char* name;
    std::string value;
};
std::vector<std::string> names_of(const std::vector<CsvField>& row);
std::vector<std::string> values_of(const std::vector<CsvField>& row);

/// A CSV file that only grows. Each row is one write at the file's end, under a lock, so rows of
/// programs that run at the same time do not mix, they write one header between them, and all rows
/// written before a crash are whole.
class CsvFile {
  public:
    /// Opens or creates the file. Throws UsageError if it cannot be written, or if its first line
    /// is another header. The header goes before the first row of a new or empty file.
    CsvFile(const std::string& path, const std::vector<std::string>& header);
    ~CsvFile();
    CsvFile(const CsvFile&) = delete;
    CsvFile& operator=(const CsvFile&) = delete;

    /// Throws std::runtime_error if the row cannot be written (a full disk).
    void append(const std::vector<std::string>& fields);

  private:
    void close();

    std::string path_;
    std::vector<std::string> header_;
    bool is_new_ = false;
    int file_ = -1;
};

}  // namespace tutorial
