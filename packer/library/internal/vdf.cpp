#include "packer/library/internal/vdf.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace seekless {
namespace {

enum class VdfTokenKind { text, open, close, end };

struct VdfToken {
  VdfTokenKind kind = VdfTokenKind::end;
  std::string text = {};
};

bool is_vdf_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r') || c == '\0';
}

// Cuts the text into words and braces. Leaves out comments, and conditions such as [$WIN32].
class VdfTokens {
 public:
  VdfTokens(std::string_view text, const std::string& file)
      : rest_(text), whole_(text), file_(file) {}

  Result<VdfToken> next() {
    skip_spaces();
    if (rest_.empty()) return VdfToken{};
    const char c = rest_.front();
    if (c == '{' || c == '}') {
      rest_.remove_prefix(1);
      return VdfToken{c == '{' ? VdfTokenKind::open : VdfTokenKind::close};
    }
    return c == '"' ? quoted_word() : bare_word();
  }

  std::unexpected<Error> wrong(const std::string& expected, const std::string& found) const {
    const auto lines = std::ranges::count(whole_.substr(0, whole_.size() - rest_.size()), '\n');
    return damaged({.file = file_,
                    .place = fmt::format("line {}", lines + 1),
                    .expected = expected,
                    .found = found,
                    .advice = "the launcher writes the file anew when it starts"});
  }

 private:
  void skip_to(std::string_view end) {
    const size_t at = rest_.find(end);
    rest_.remove_prefix(at == std::string_view::npos ? rest_.size() : at + end.size());
  }

  void skip_spaces() {
    while (!rest_.empty()) {
      if (is_vdf_space(rest_.front()))
        rest_.remove_prefix(1);
      else if (rest_.starts_with("//"))
        skip_to("\n");
      else if (rest_.front() == '[')
        skip_to("]");
      else
        return;
    }
  }

  Result<VdfToken> bare_word() {
    size_t length = 0;
    while (length < rest_.size() && !is_vdf_space(rest_[length]) && rest_[length] != '"' &&
           rest_[length] != '{' && rest_[length] != '}')
      ++length;
    VdfToken token = {VdfTokenKind::text, std::string(rest_.substr(0, length))};
    rest_.remove_prefix(length);
    return token;
  }

  Result<VdfToken> quoted_word() {
    std::string word;
    for (size_t at = 1; at < rest_.size(); ++at) {
      const char c = rest_[at];
      if (c == '"') {
        rest_.remove_prefix(at + 1);
        return VdfToken{VdfTokenKind::text, std::move(word)};
      }
      const bool is_escape = c == '\\' && at + 1 < rest_.size();
      word += is_escape ? unescaped(rest_[++at]) : c;
    }
    return wrong("a closing quotation mark", "the end of the file");
  }

  static char unescaped(char c) {
    if (c == 'n') return '\n';
    if (c == 't') return '\t';
    return c;
  }

  std::string_view rest_;
  std::string_view whole_;
  const std::string& file_;
};

// Adds the key's value, or begins its section.
Result<void> take_value(VdfTokens& tokens, std::string key, std::vector<TextNode*>& above) {
  SKL_TRY(auto value, tokens.next());
  std::vector<TextNode>& siblings = above.back()->children;
  if (value.kind == VdfTokenKind::text) {
    siblings.push_back({.key = std::move(key), .value = std::move(value.text)});
    return {};
  }
  if (value.kind != VdfTokenKind::open)
    return tokens.wrong(fmt::format("a value of '{}'", key), "none");
  if (above.size() > kDeepestSection)
    return tokens.wrong(fmt::format("at most {} sections in each other", kDeepestSection), "more");
  siblings.push_back({.key = std::move(key), .value = {}, .is_section = true});
  above.push_back(&siblings.back());
  return {};
}

}  // namespace

Result<TextNode> parse_vdf(std::string_view text, const std::string& file) {
  VdfTokens tokens(text, file);
  TextNode root = {.key = {}, .value = {}, .is_section = true};
  // Addresses of open sections stay valid, because only the innermost section's list of children
  // grows.
  std::vector<TextNode*> above = {&root};
  for (;;) {
    SKL_TRY(auto token, tokens.next());
    if (token.kind == VdfTokenKind::end) break;
    if (token.kind == VdfTokenKind::open) return tokens.wrong("a key before '{'", "none");
    if (token.kind == VdfTokenKind::text) {
      SKL_TRY_DO(take_value(tokens, std::move(token.text), above));
      continue;
    }
    if (above.size() == 1) return tokens.wrong("a '{' for each '}'", "one '}' more");
    above.pop_back();
  }
  if (above.size() > 1) return tokens.wrong("a '}' for each '{'", "the end of the file");
  if (root.children.empty()) return tokens.wrong("keys and values", "none");
  return root;
}

}  // namespace seekless
