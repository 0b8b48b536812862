#include "packer/mentions/internal/name_index.h"

#include <algorithm>
#include <functional>

#include "packer/base/ascii.h"
#include "packer/mentions/internal/words.h"

namespace seekless {
namespace {

// If more files than this have the same name, a word can't mean all of them.
constexpr size_t kMostNamesakes = 8;
// If more files than this have the same name, none are examined, even if the word has a folder.
constexpr ptrdiff_t kMostCompared = 1024;
// Shorter words without folder and extension usually mean other things.
constexpr size_t kShortestStem = 4;

std::string_view without_ending(std::string_view path) {
  return path.substr(0, path.size() - ending_of(file_name(path)).size());
}

std::string_view folder_of(std::string_view path) {
  return path.substr(0, path.size() - file_name(path).size());
}

uint64_t hash_of(std::string_view lower) {
  return std::hash<std::string_view>()(lower);
}

bool is_same(std::string_view path, std::string_view lower) {
  return std::ranges::equal(path, lower, {}, lower_case);
}

// Returns true if the last components of the path are `word`.
bool ends_in(std::string_view path, std::string_view word) {
  if (path.size() < word.size()) return false;
  const size_t begin = path.size() - word.size();
  return is_same(path.substr(begin), word) && (begin == 0 || path[begin - 1] == '/');
}

}  // namespace

NameIndex::NameIndex(const Content& content) : content_(content) {
  names_.reserve(content.assets.size());
  stems_.reserve(content.assets.size());
  for (uint32_t asset = 0; asset < content.assets.size(); ++asset) {
    const std::string name = as_name(file_name(content.assets[asset].path));
    names_.emplace_back(hash_of(name), asset);
    stems_.emplace_back(hash_of(without_ending(name)), asset);
  }
  std::ranges::sort(names_);
  std::ranges::sort(stems_);
}

std::vector<NamedAsset> NameIndex::find(std::string_view word, std::string_view path) const {
  std::vector<NamedAsset> found;
  add(names_, word, path, NamedBy::name, found);
  if (word.size() >= kShortestStem) add(stems_, word, path, NamedBy::stem, found);
  if (found.empty() && !ending_of(file_name(word)).empty())
    add(stems_, without_ending(word), path, NamedBy::other_ending, found);
  return found;
}

void NameIndex::add(const Hashed& names, std::string_view word, std::string_view path, NamedBy by,
                    std::vector<NamedAsset>& found) const {
  const bool has_folder = word.find('/') != std::string_view::npos;
  const uint64_t hash = hash_of(file_name(word));
  const size_t first = found.size();
  const auto begin = std::ranges::lower_bound(names, hash, {}, &Hashed::value_type::first);
  if (names.end() - begin > kMostCompared && (begin + kMostCompared)->first == hash) return;
  for (auto at = begin; at != names.end() && at->first == hash; ++at) {
    const std::string_view full = content_.assets[at->second].path;
    if (ends_in(by == NamedBy::name ? full : without_ending(full), word))
      found.push_back({at->second, by, has_folder});
  }
  if (has_folder || found.size() - first < 2) return;
  const auto is_elsewhere = [&](const NamedAsset& of) {
    return folder_of(content_.assets[of.asset].path) != folder_of(path);
  };
  const auto all =
      std::ranges::subrange(found.begin() + static_cast<ptrdiff_t>(first), found.end());
  if (!std::ranges::all_of(all, is_elsewhere)) {
    const auto elsewhere = std::ranges::remove_if(all, is_elsewhere);
    found.erase(elsewhere.begin(), elsewhere.end());
  } else if (all.size() > kMostNamesakes) {
    found.resize(first);
  }
}

}  // namespace seekless
