#include "packer/mentions/definitions.h"

#include <algorithm>
#include <utility>

#include "packer/mentions/words.h"

namespace seekless {
namespace {

// A block that is longer isn't of one thing.
constexpr size_t kLongestBlock = 20'000;

// What may stand between a name and its block.
bool is_between(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '"' || c == '\'' || c == ':' ||
         c == '=';
}

// From behind the first brace on.
std::string_view block_at(std::string_view text, size_t begin) {
  int depth = 1;
  size_t end = begin;
  const size_t last = std::min(text.size(), begin + kLongestBlock);
  for (; end < last && depth > 0; ++end) {
    if (text[end] == '{') ++depth;
    if (text[end] == '}') --depth;
  }
  return text.substr(begin, end - begin);
}

}  // namespace

bool Definitions::add(uint32_t asset, std::string text) {
  const std::string_view kept =
      *texts_.emplace_back(std::make_unique<std::string>(std::move(text)));
  bool has_any = false;
  std::string_view name;
  for (size_t i = 0; i < kept.size();) {
    if (kept[i] == '/' && i + 1 < kept.size() && kept[i + 1] == '/') {
      i = std::min(kept.find('\n', i), kept.size());
    } else if (is_of_word(kept[i])) {
      const size_t begin = i;
      while (i < kept.size() && is_of_word(kept[i])) ++i;
      name = kept.substr(begin, i - begin);
    } else {
      if (kept[i] == '{' && name.size() >= kShortestWord && name.size() <= kLongestWord) {
        by_name_[as_name(name)].push_back({asset, block_at(kept, i + 1)});
        has_any = true;
      }
      if (!is_between(kept[i])) name = {};
      ++i;
    }
  }
  if (!has_any) texts_.pop_back();
  return has_any;
}

const std::vector<Definition>& Definitions::of(const std::string& name) const {
  static const std::vector<Definition> none;
  const auto found = by_name_.find(name);
  return found != by_name_.end() ? found->second : none;
}

}  // namespace seekless
