#include "csv.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <stdexcept>

#include "fmt.hpp"
#include "options.hpp"

namespace tutorial {

std::vector<std::string> names_of(const std::vector<CsvField>& row) {
    std::vector<std::string> names;
    names.reserve(row.size());
    for (const CsvField& field : row) names.emplace_back(field.name);
    return names;
}

std::vector<std::string> values_of(const std::vector<CsvField>& row) {
    std::vector<std::string> values;
    values.reserve(row.size());
    for (const CsvField& field : row) values.push_back(field.value);
    return values;
}

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

namespace {

/// While it lives, other programs that append to this file wait.
class FileLock {
  public:
    explicit FileLock(int file) : file_(file) { ::flock(file_, LOCK_EX); }
    ~FileLock() { ::flock(file_, LOCK_UN); }
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

  private:
    int file_;
};

int open_to_append(const std::string& path) {
    return ::open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
}

struct stat status_of(int file) {
    struct stat status {};
    ::fstat(file, &status);
    return status;
}

/// A line that another program left unfinished would swallow the next row.
bool ends_in_the_middle_of_a_line(int file, off_t size) {
    char last = '\n';
    return ::pread(file, &last, 1, size - 1) == 1 && last != '\n';
}

}  // namespace

CsvFile::CsvFile(const std::string& path, const std::vector<std::string>& header)
    : path_(path), header_(header) {
    struct stat before {};
    is_new_ = ::stat(path.c_str(), &before) != 0;
    if (!is_new_ && !S_ISREG(before.st_mode)) {
        throw UsageError(fmt::format("--csv {}: rows cannot be added to this file", path));
    }
    file_ = open_to_append(path);
    if (file_ < 0) {
        throw UsageError(
            fmt::format("--csv {}: cannot write there: {}", path, std::strerror(errno)));
    }
    if (is_new_ || before.st_size == 0) return;
    std::ifstream existing(path, std::ios::binary);
    std::string first_line;
    std::getline(existing, first_line);
    if (!first_line.empty() && first_line.back() == '\r') first_line.pop_back();
    if (first_line + '\n' != csv_line(header)) {
        close();
        throw UsageError(fmt::format(
            "--csv {}: its columns are not those that this program writes; name another file",
            path));
    }
}

CsvFile::~CsvFile() { close(); }

void CsvFile::close() {
    if (file_ < 0) return;
    {
        // A run that measured nothing leaves no empty file behind.
        const FileLock lock(file_);
        if (is_new_ && status_of(file_).st_size == 0) ::unlink(path_.c_str());
    }
    ::close(file_);
    file_ = -1;
}

void CsvFile::append(const std::vector<std::string>& fields) {
    if (fields.size() != header_.size()) {
        throw std::logic_error("CsvFile: a row must have as many fields as the header");
    }
    std::optional<FileLock> lock(file_);
    struct stat now = status_of(file_);
    if (now.st_nlink == 0) {  // another run had nothing to write and removed its empty file
        lock.reset();
        ::close(file_);
        file_ = open_to_append(path_);
        lock.emplace(file_);
        now = status_of(file_);
    }
    std::string text = csv_line(fields);
    if (now.st_size == 0) {
        text = csv_line(header_) + text;
    } else if (ends_in_the_middle_of_a_line(file_, now.st_size)) {
        text = "\n" + text;
    }
    const ssize_t written = ::write(file_, text.data(), text.size());
    if (written != static_cast<ssize_t>(text.size())) {
        throw std::runtime_error(fmt::format("--csv {}: a row could not be written: {}", path_,
                                             written < 0 ? std::strerror(errno) : "disk full"));
    }
}

}  // namespace tutorial
