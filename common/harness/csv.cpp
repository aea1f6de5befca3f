#include "csv.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "fmt.hpp"
#include "options.hpp"

namespace tutorial {

std::string csv_line(const std::vector<std::string>& fields) {
    std::string line;
    for (const std::string& field : fields) {
        if (&field != &fields.front()) line += ',';
        if (field.find_first_of(",\"\r\n") == std::string::npos) {
            line += field;
            continue;
        }
        line += '"';
        for (const char character : field) {
            if (character == '"') line += '"';
            line += character;
        }
        line += '"';
    }
    return line + '\n';
}

CsvFile::CsvFile(const std::string& path, const std::vector<std::string>& header)
    : path_(path), header_(header) {
    struct stat before {};
    is_new_ = ::stat(path.c_str(), &before) != 0;
    if (!is_new_ && !S_ISREG(before.st_mode)) {
        throw UsageError(fmt::format("--csv {}: this is not a file that can be added to", path));
    }
    file_ = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (file_ < 0) {
        throw UsageError(
            fmt::format("--csv {}: cannot write there: {}", path, std::strerror(errno)));
    }
    is_empty_ = is_new_ || before.st_size == 0;
    if (is_empty_) return;
    std::ifstream existing(path, std::ios::binary);
    std::string first_line;
    std::getline(existing, first_line);
    if (!first_line.empty() && first_line.back() == '\r') first_line.pop_back();
    if (first_line + '\n' != csv_line(header)) {
        close();
        throw UsageError(fmt::format(
            "--csv {}: the file has other columns than this program writes; name another file",
            path));
    }
    // A line that another program broke off would swallow our first row.
    existing.clear();
    existing.seekg(-1, std::ios::end);
    if (existing.get() != '\n') pending_ = "\n";
}

CsvFile::~CsvFile() { close(); }

void CsvFile::close() {
    if (file_ < 0) return;
    ::close(file_);
    file_ = -1;
    // A run that measured nothing leaves no empty file behind.
    if (is_new_ && is_empty_) ::unlink(path_.c_str());
}

void CsvFile::append(const std::vector<std::string>& fields) {
    if (fields.size() != header_.size()) {
        throw std::logic_error("CsvFile: a row must have as many fields as the header");
    }
    std::string text = pending_ + csv_line(fields);
    if (is_empty_) text = csv_line(header_) + text;
    const ssize_t written = ::write(file_, text.data(), text.size());
    if (written != static_cast<ssize_t>(text.size())) {
        throw std::runtime_error(fmt::format("--csv {}: a row could not be written: {}", path_,
                                             written < 0 ? std::strerror(errno) : "disk full"));
    }
    is_empty_ = false;
    pending_.clear();
}

}  // namespace tutorial
