#include "packer/content/locator.h"

#include <tuple>

#include "packer/host/files.h"
#include "runtime/asset_path.h"

namespace seekless {
namespace {

constexpr uint32_t kAmbiguous = UINT32_MAX;

// Remembers the folder it was last asked about: neighbours come one after the other.
class Canonicaliser {
 public:
  std::string canonical(const Source& source) {
    const size_t slash = source.path.rfind('/');
    // Only one of many loose files is worth the shortcut, and a link leads elsewhere.
    if (source.is_link || source.kind != SourceKind::file || slash == source.path.npos)
      return canonical_path(source.path);
    const std::string folder = source.path.substr(0, slash + 1);
    if (folder != folder_ || canonical_folder_.empty()) {
      folder_ = folder;
      canonical_folder_ = canonical_path(folder);
      if (!canonical_folder_.ends_with('/')) canonical_folder_ += '/';
    }
    return canonical_folder_ + source.path.substr(slash + 1);
  }

 private:
  std::string folder_;
  std::string canonical_folder_;
};

std::string folded(std::string_view path) {
  std::string key = fold_case(path);
  std::ranges::replace(key, '\\', '/');
  return key;
}

}  // namespace

Locator::Locator(const Content& content) : content_(content) {
  add_paths();
  add_extents();
}

void Locator::add_paths() {
  Canonicaliser canonicaliser;
  // Of a file that was given twice the later one counts, as its assets win.
  for (uint32_t file = 0; file < content_.sources.size(); ++file) {
    const Source& source = content_.sources[file];
    by_path_.insert_or_assign(source.path, file);
    by_canonical_path_.insert_or_assign(canonicaliser.canonical(source), file);
  }
  const auto add_folded = [this](std::string_view path, uint32_t file) {
    const auto [at, is_new] = by_folded_path_.try_emplace(folded(path), file);
    if (!is_new && at->second != file) at->second = kAmbiguous;
  };
  for (const auto& [path, file] : by_path_) add_folded(path, file);
  for (const auto& [path, file] : by_canonical_path_) add_folded(path, file);
}

std::optional<uint32_t> Locator::find_file(std::string_view path) const {
  if (const auto at = by_path_.find(path); at != by_path_.end()) return at->second;
  const std::string canonical = canonical_path(std::string(path));
  if (const auto at = by_canonical_path_.find(canonical); at != by_canonical_path_.end())
    return at->second;
  const auto at = by_folded_path_.find(folded(path));
  if (at == by_folded_path_.end() || at->second == kAmbiguous) return std::nullopt;
  return at->second;
}

void Locator::add_extents() {
  struct Lying {
    const Place* place;
    uint32_t index;
    bool is_shadowed;
  };
  std::vector<Lying> lying;
  lying.reserve(content_.assets.size() + content_.shadowed.size());
  for (uint32_t i = 0; i < content_.assets.size(); ++i)
    lying.push_back({&content_.assets[i].place, i, false});
  for (uint32_t i = 0; i < content_.shadowed.size(); ++i)
    lying.push_back({&content_.shadowed[i].place, i, true});
  std::ranges::sort(lying, {}, [](const Lying& one) {
    return std::tuple(one.place->source, one.place->header_offset_bytes);
  });

  size_t at = 0;
  for (uint32_t file = 0; file < content_.sources.size(); ++file) {
    const Source& source = content_.sources[file];
    first_extent_.push_back(extents_.size());
    add_extent(0, TouchedPart::other, 0);
    for (; at < lying.size() && lying[at].place->source == file; ++at) {
      const auto& [place, index, is_shadowed] = lying[at];
      const uint64_t begin = place->header_offset_bytes;
      const uint64_t data = begin + place->header_bytes;
      add_extent(begin, is_shadowed ? TouchedPart::shadowed : TouchedPart::header, index);
      add_extent(data, is_shadowed ? TouchedPart::shadowed : TouchedPart::data, index);
      add_extent(data + place->stored_bytes, TouchedPart::other, 0);
    }
    if (source.kind == SourceKind::zip)
      add_extent(source.directory_offset_bytes, TouchedPart::directory, 0);
  }
  first_extent_.push_back(extents_.size());
}

// Takes the place of what would begin there or behind it: of an extent without a byte, or of one
// that a header shorter than the directory lets expect has pushed too far.
void Locator::add_extent(uint64_t begin_bytes, TouchedPart part, uint32_t index) {
  while (extents_.size() > first_extent_.back() && extents_.back().begin_bytes >= begin_bytes)
    extents_.pop_back();
  extents_.push_back({begin_bytes, index, part});
}

std::optional<uint32_t> Locator::find_asset(std::string_view path) const {
  const auto with_path = [this](std::string_view wanted) -> std::optional<uint32_t> {
    const auto found = std::ranges::lower_bound(content_.assets, wanted, {}, &Asset::path);
    if (found == content_.assets.end() || found->path != wanted) return std::nullopt;
    return static_cast<uint32_t>(found - content_.assets.begin());
  };
  std::string_view below = path;
  while (below.starts_with("../") || below.starts_with("./"))
    below.remove_prefix(below.find('/') + 1);
  while (below.starts_with('/')) below.remove_prefix(1);
  if (const auto asset = with_path(below)) return asset;
  // "ARCHIVE/ENTRY".
  for (size_t slash = path.find('/', 1); slash != std::string_view::npos;
       slash = path.find('/', slash + 1)) {
    const auto file = by_path_.find(path.substr(0, slash));
    if (file == by_path_.end() || content_.sources[file->second].kind != SourceKind::zip) continue;
    const auto asset = with_path(path.substr(slash + 1));
    if (asset && content_.assets[*asset].place.source == file->second) return asset;
  }
  return std::nullopt;
}

}  // namespace seekless
