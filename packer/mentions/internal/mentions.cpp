#include "packer/mentions/internal/mentions.h"

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "packer/base/each_once.h"
#include "packer/mentions/internal/words.h"

namespace seekless {
namespace {

constexpr size_t kMostMentions = 4096;
constexpr size_t kMostBeside = 64;

std::string ending(std::string_view path) {
  return as_name(ending_of(file_name(path)));
}

std::string_view name_of(const NamedAsset& found) {
  switch (found.by) {
    case NamedBy::name:
      return found.has_folder ? "path" : "name";
    case NamedBy::stem:
      return found.has_folder ? "path without ending" : "stem";
    case NamedBy::other_ending:
      return found.has_folder ? "path of another ending" : "name of another ending";
  }
  return "";
}

}  // namespace

std::vector<Mention> Mentions::in(uint32_t asset, std::string_view bytes) const {
  std::unordered_set<std::string> words;
  for_each_word(bytes, [&](std::string_view word) { words.insert(as_name(word)); });
  std::vector<Mention> found;
  for (const std::string& word : words) {
    add(word, asset, "", asset, found);
    for (const Definition& definition : definitions_.of(word))
      for_each_word(definition.block, [&](std::string_view defined) {
        add(as_name(defined), definition.asset, "defined by ", asset, found);
      });
  }
  keep_each_once(found);
  if (found.size() > kMostMentions) found.clear();
  return found;
}

void Mentions::add(std::string_view word, uint32_t from, std::string_view how, uint32_t asset,
                   std::vector<Mention>& found) const {
  if (word.size() < kShortestWord) return;
  for (const NamedAsset& of : names_.find(word, content_.assets[from].path))
    if (of.asset != asset)
      found.push_back(
          {of.asset, fmt::format("{}{}{}{} {}", ending(content_.assets[asset].path), kMentionedBy,
                                 how, name_of(of), ending(content_.assets[of.asset].path))});
}

std::vector<Mention> Mentions::beside(uint32_t asset) const {
  const std::string_view path = content_.assets[asset].path;
  const std::string_view stem = path.substr(0, path.size() - ending_of(file_name(path)).size());
  std::vector<Mention> found;
  if (file_name(stem).empty()) return found;
  auto next = std::ranges::lower_bound(content_.assets, stem, {}, &Asset::path);
  for (size_t i = 0; i < kMostBeside && next != content_.assets.end(); ++i, ++next) {
    const std::string_view other = next->path;
    if (!other.starts_with(stem)) break;
    const std::string_view rest = other.substr(stem.size());
    if (rest.empty() || rest.find('/') != std::string_view::npos || other == path ||
        (rest.front() != '.' && rest.front() != '_' && rest.front() != '-'))
      continue;
    found.push_back({static_cast<uint32_t>(next - content_.assets.begin()),
                     fmt::format("{} beside {}", ending(path), as_name(rest))});
  }
  return found;
}

}  // namespace seekless
