#include "source_blocks.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>
#include <vector>

#include "lines.hpp"
#include "source_calls.hpp"

namespace lab {
namespace {

struct SourceBlock {
    enum Kind { loop, branch, other } kind;
    int begin, end;         ///< lines
    std::string condition;  ///< of an `if` or `switch`, in brackets
    int body;               ///< the line on which that ends
    bool is_bare;           ///< its statement has no braces
};

/// A file's text without comments and without the contents of strings.
std::string code_of(const std::string& file) {
    std::string text;
    bool is_macro = false;  // it goes on in the next line
    for (int line = 1; line <= line_count(file); ++line) {
        const std::string code = source_line(file, line);
        const bool is_skipped = is_macro || code.substr(0, 1) == "#";
        text += (is_skipped ? "" : code) + "\n";
        is_macro = is_skipped && !code.empty() && code.back() == '\\';
    }
    for (std::size_t at = 0; at < text.size(); ++at) {
        std::size_t end = at;
        if (text.compare(at, 2, "//") == 0) {
            end = text.find('\n', at);
        } else if (text.compare(at, 2, "/*") == 0) {
            end = text.find("*/", at + 2);
            if (end != std::string::npos) text[++end] = ' ';
        } else if (text[at] == '"') {
            for (end = ++at; end < text.size() && text[end] != '"'; ++end) end += text[end] == '\\';
        }
        for (; at < std::min(end, text.size()); ++at) {
            if (text[at] != '\n') text[at] = ' ';
        }
    }
    return text;
}

class Reader {
  public:
    explicit Reader(const std::string& text) : text_(text) {}

    std::vector<SourceBlock> blocks() {
        while (at_ < text_.size()) statement();
        return std::move(blocks_);
    }

  private:
    void skip_blanks() {
        for (; at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])); ++at_) {
            line_ += text_[at_] == '\n';
        }
    }
    std::string word() const {
        std::size_t end = at_;
        while (end < text_.size() &&
               (std::isalnum(static_cast<unsigned char>(text_[end])) || text_[end] == '_')) {
            ++end;
        }
        return text_.substr(at_, end - at_);
    }
    /// To just after the bracket that closes the one here.
    void skip_brackets() {
        int open = 0;
        do {
            line_ += text_[at_] == '\n';
            open += text_[at_] == '(' || text_[at_] == '{';
            open -= text_[at_] == ')' || text_[at_] == '}';
            ++at_;
        } while (at_ < text_.size() && open > 0);
    }
    void close(SourceBlock::Kind kind, int begin, std::string condition = {}, int body = 0,
               bool is_bare = false) {
        blocks_.push_back({kind, begin, line_, std::move(condition), body, is_bare});
    }
    bool is_brace_next() {
        skip_blanks();
        return at_ < text_.size() && text_[at_] == '{';
    }

    /// One statement, declaration or definition; its enclosed blocks are parsed as well.
    void statement() {
        skip_blanks();
        if (at_ >= text_.size()) return;
        const int begin = line_;
        const std::string first = word();
        if (first == "for" || first == "while" || first == "if" || first == "switch") {
            at_ += first.size();
            while (at_ < text_.size() && text_[at_] != '(' && text_[at_] != ';') step();
            const std::size_t open = at_;
            if (at_ < text_.size() && text_[at_] == '(') skip_brackets();
            std::string condition = text_.substr(open, at_ - open);
            const int body = line_;
            const bool is_bare = !is_brace_next();
            statement();
            close(first == "for" || first == "while" ? SourceBlock::loop : SourceBlock::branch,
                  begin, std::move(condition), body, is_bare);
        } else if (first == "else" || first == "do") {
            at_ += first.size();
            const bool is_bare = !is_brace_next();
            statement();
            close(first == "do" ? SourceBlock::loop : SourceBlock::branch, begin, {}, 0, is_bare);
        } else {
            plain();
        }
    }
    void plain() {
        while (at_ < text_.size()) {
            const char here = text_[at_];
            if (here == '(') {  // a lambda's body in an argument is not parsed
                skip_brackets();
                continue;
            }
            step();
            if (here == ';' || here == '}') return;
            if (here != '{') continue;
            const int begin = line_;
            while (skip_blanks(), at_ < text_.size() && text_[at_] != '}') statement();
            close(SourceBlock::other, begin);
            return step();
        }
    }
    void step() {
        if (at_ >= text_.size()) return;
        line_ += text_[at_] == '\n';
        ++at_;
    }

    const std::string& text_;
    std::size_t at_ = 0;
    int line_ = 1;
    std::vector<SourceBlock> blocks_;
};

const std::vector<SourceBlock>& blocks_of(const std::string& file) {
    static auto* const known = new std::map<std::string, std::vector<SourceBlock>>;
    const auto [at, fresh] = known->try_emplace(file);
    if (fresh) {
        const std::string code = code_of(file);
        at->second = Reader(code).blocks();
    }
    return at->second;
}

}  // namespace

int end_of_loop(const std::string& file, int low, int high) {
    int end = 0;
    for (const SourceBlock& each : blocks_of(file)) {
        const bool holds = each.kind == SourceBlock::loop && each.begin <= low && high <= each.end;
        if (holds && (end == 0 || each.end < end)) end = each.end;
    }
    return end;
}

namespace {

/// The innermost loop around two lines; null: there is none.
const SourceBlock* loop_of(const std::string& file, int low, int high) {
    const SourceBlock* loop = nullptr;
    for (const SourceBlock& each : blocks_of(file)) {
        const bool holds = each.kind == SourceBlock::loop && each.begin <= low && high <= each.end;
        if (holds && (loop == nullptr || each.end - each.begin < loop->end - loop->begin)) {
            loop = &each;
        }
    }
    return loop;
}

bool says(const std::string& file, int line, std::initializer_list<const char*> words) {
    const std::string code = source_line(file, line);
    const std::string said = code.substr(0, code.find("//"));
    return std::any_of(words.begin(), words.end(),
                       [&](const char* word) { return said.find(word) != std::string::npos; });
}

}  // namespace

int line_in_loop(const std::string& file, int low, int high,
                 std::initializer_list<const char*> words) {
    const SourceBlock* const loop = loop_of(file, low, high);
    for (int line = loop != nullptr ? loop->begin : 1; loop != nullptr && line <= loop->end;
         ++line) {
        if (says(file, line, words)) return line;
    }
    return 0;
}

int lone_arrive(const std::string& file, int low, int high) {
    int found = 0;
    for (int line = low; line <= high; ++line) {
        if (says(file, line, {".wait(", "arrive_and_wait", "wait_parity("})) return 0;
        if (found == 0 && says(file, line, {".arrive()", ".arrive("})) found = line;
    }
    return found;
}

int barrier_of_some_rounds(const std::string& file, int low, int high) {
    const SourceBlock* const loop = loop_of(file, low, high);
    int first = 0;
    for (int line = loop != nullptr ? loop->begin : 1; loop != nullptr && line <= loop->end;
         ++line) {
        if (!says(file, line, {"__syncthreads", "__syncwarp", "sync()"})) continue;
        if (branch_around(file, line) < std::max(loop->begin, 1)) return 0;
        if (first == 0) first = line;
    }
    return first;
}

bool is_branch_in_loop(const std::string& file, int low, int high) {
    const SourceBlock* const loop = loop_of(file, low, high);
    const int branch = branch_around(file, low);
    return loop != nullptr && branch > loop->begin && branch <= low;
}

int loop_around(const std::string& file, int line) {
    const SourceBlock* const loop = loop_of(file, line, line);
    return loop != nullptr ? loop->begin : 0;
}

int barrier_in_loop(const std::string& file, int low, int high) {
    return line_in_loop(file, low, high, {"__syncthreads", "sync()"});
}

bool is_in_loop(const std::string& file, int low, int high) {
    return end_of_loop(file, low, high) != 0;
}

bool is_in_branch(const std::string& file, int line) {
    const std::vector<SourceBlock>& blocks = blocks_of(file);
    return std::any_of(blocks.begin(), blocks.end(), [&](const SourceBlock& each) {
        return each.kind == SourceBlock::branch && each.begin <= line && line <= each.end;
    });
}

int branch_around(const std::string& file, int line) {
    int begin = 0;
    for (const SourceBlock& each : blocks_of(file)) {
        const bool holds = each.begin <= line && line <= each.end;
        if (each.kind == SourceBlock::branch && holds) begin = std::max(begin, each.begin);
    }
    return begin;
}

bool is_in_branch_of(const std::string& file, int branch, int line) {
    const std::vector<SourceBlock>& blocks = blocks_of(file);
    return std::any_of(blocks.begin(), blocks.end(), [&](const SourceBlock& each) {
        return each.kind == SourceBlock::branch && each.begin == branch && line <= each.end;
    });
}

/// The branch whose condition, on this line, makes the call; null: there is none.
static const SourceBlock* condition_with(const std::string& file, int line,
                                         const std::string& call) {
    for (const SourceBlock& each : blocks_of(file)) {
        if (each.kind == SourceBlock::branch && each.begin <= line && line <= each.body &&
            each.condition.find(call + "(") != std::string::npos) {
            return &each;
        }
    }
    return nullptr;
}

int branch_around_call(const std::string& file, int line, const std::string& call) {
    const SourceBlock* const own = call.empty() ? nullptr : condition_with(file, line, call);
    int begin = 0;
    for (const SourceBlock& each : blocks_of(file)) {
        const bool holds = each.begin <= line && line <= each.end;
        if (each.kind == SourceBlock::branch && holds && &each != own)
            begin = std::max(begin, each.begin);
    }
    return begin;
}

bool is_behind_and(const std::string& file, int line, const std::string& call) {
    const SourceBlock* const own = call.empty() ? nullptr : condition_with(file, line, call);
    if (own == nullptr) return false;
    const std::string before = own->condition.substr(0, own->condition.find(call + "("));
    return before.find("&&") != std::string::npos || before.find("||") != std::string::npos;
}

std::vector<int> loops_around(const std::string& file, int line) {
    std::vector<const SourceBlock*> around;
    for (const SourceBlock& each : blocks_of(file)) {
        const bool holds = each.begin <= line && line <= each.end;
        if (each.kind == SourceBlock::loop && holds) around.push_back(&each);
    }
    std::stable_sort(around.begin(), around.end(),
                     [](const SourceBlock* one, const SourceBlock* other) {
                         return one->end - one->begin < other->end - other->begin;
                     });
    std::vector<int> made;
    made.reserve(around.size());
    for (const SourceBlock* each : around) made.push_back(each->begin);
    return made;
}

int exit_before(const std::string& file, int line) {
    constexpr int kMaxLines = 200;
    for (int at = line - 1; at > 0 && at > line - kMaxLines; --at) {
        if (says(file, at, {"__global__", "__device__"})) return 0;
        if (says(file, at, {"return;", "return ("})) return at;
        // These leave only the loop around them.
        const SourceBlock* const loop = loop_of(file, at, at);
        const bool is_around = loop != nullptr && loop->begin <= line && line <= loop->end;
        if (is_around && says(file, at, {"break;", "continue;"})) return at;
    }
    return 0;
}

int bare_around(const std::string& file, int line, int above) {
    int begin = 0;
    for (const SourceBlock& each : blocks_of(file)) {
        const bool holds =
            each.is_bare && above < each.begin && each.begin <= line && line <= each.end;
        if (holds && (begin == 0 || each.begin < begin)) begin = each.begin;
    }
    return begin;
}

bool is_branch_open_behind(const std::string& file, int line) {
    const std::vector<SourceBlock>& blocks = blocks_of(file);
    return std::any_of(blocks.begin(), blocks.end(), [&](const SourceBlock& each) {
        return each.kind == SourceBlock::branch && each.begin <= line && line < each.end;
    });
}

int outermost_between(const std::string& file, int low, int high) {
    int best = low, fewest = -1;
    for (int line = low; line < high; ++line) {
        const std::string code = source_line(file, line);
        const bool ends_statement = !code.empty() && (code.back() == ';' || code.back() == '}');
        if (line != low && !ends_statement) continue;
        int open = 0;
        for (const SourceBlock& each : blocks_of(file)) {
            open += each.begin <= line && line < each.end;
        }
        if (fewest >= 0 && open >= fewest) continue;
        best = line;
        fewest = open;
    }
    return best;
}

std::string subtracting_index(const std::string& code) {
    for (std::size_t open = code.find('['); open != std::string::npos;
         open = code.find('[', open + 1)) {
        std::string found =
            name_before(code, open) + code.substr(open, after_bracket(code, open) - open);
        if (found.find('-') != std::string::npos) return found;
    }
    return {};
}

}  // namespace lab
