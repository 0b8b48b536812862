#include "packer/mentions/internal/definitions.h"

#include <algorithm>
#include <utility>

#include "packer/mentions/internal/words.h"

namespace seekless {
namespace {

// A longer block describes more than a single thing, so only this much of it is kept.
constexpr size_t kLongestBlock = 20'000;
// A name that is defined more often than this is a word of the language ("node").
constexpr size_t kMostOfOneName = 8;

// Returns true for characters that may stand between a name and its block.
bool is_between(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '"' || c == '\'' || c == ':' ||
         c == '=';
}

struct OpenBlock {
  std::string_view name;  // empty if the block has no name
  size_t begin = 0;
};

}  // namespace

bool Definitions::add(uint32_t asset, std::string text) {
  const std::string_view kept =
      *texts_.emplace_back(std::make_unique<std::string>(std::move(text)));
  bool has_any = false;
  std::vector<OpenBlock> open;
  const auto close = [&](size_t end) {
    const OpenBlock block = open.back();
    open.pop_back();
    if (block.name.empty()) return;
    has_any = true;
    std::vector<Definition>& known = by_name_[as_name(block.name)];
    if (known.size() <= kMostOfOneName)
      known.push_back(
          {asset, kept.substr(block.begin, std::min(end - block.begin, kLongestBlock))});
  };
  std::string_view name;
  bool in_comment = false;
  for (size_t i = 0; i < kept.size();) {
    const char c = kept[i];
    if (c == '/' && i + 1 < kept.size() && kept[i + 1] == '/') in_comment = true;
    if (c == '\n') in_comment = false;
    if (is_of_word(c)) {
      const size_t begin = i;
      while (i < kept.size() && is_of_word(kept[i])) ++i;
      if (!in_comment) name = kept.substr(begin, i - begin);
      continue;
    }
    ++i;
    if (c == '{') {
      const bool is_name = name.size() >= kShortestWord && name.size() <= kLongestWord;
      open.push_back({is_name ? name : std::string_view(), i});
    }
    if (c == '}' && !open.empty()) close(i);
    if (!in_comment && !is_between(c)) name = {};
  }
  while (!open.empty()) close(kept.size());
  if (!has_any) texts_.pop_back();
  return has_any;
}

const std::vector<Definition>& Definitions::of(const std::string& name) const {
  static const std::vector<Definition> none;
  const auto found = by_name_.find(name);
  const bool is_one = found != by_name_.end() && found->second.size() <= kMostOfOneName;
  return is_one ? found->second : none;
}

}  // namespace seekless
