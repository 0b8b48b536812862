#include "packer/content/locator.h"

#include <iterator>
#include <numeric>
#include <tuple>
#include <utility>

#include "packer/base/paths.h"
#include "packer/base/windows_names.h"
#include "packer/base/windows_words.h"
#include "packer/content/zip_directory.h"
#include "packer/host/files.h"
#include "runtime/asset_path.h"

namespace seekless {
namespace {

uint32_t hash_of(std::string_view text) {
  return static_cast<uint32_t>(hash_asset_path(text, 0, false));
}

}  // namespace

Locator::Locator(const Content& content) : content_(content) {
  add_paths();
  add_extents();
}

void Locator::add_paths() {
  by_path_.reserve(content_.sources.size());
  for (uint32_t file = 0; file < content_.sources.size(); ++file)
    by_path_.push_back({hash_of(content_.sources[file].path), file, kAsWritten});
  by_canonical_path_ = canonical_names();
  by_folded_path_ = by_path_;
  std::ranges::copy_if(by_canonical_path_, std::back_inserter(by_folded_path_),
                       [](const PossibleName& name) { return name.alias != kAsWritten; });
  for (PossibleName& name : by_folded_path_)
    name.hash = hash_of(one_windows_spelling(text_of(name)));
  for (std::vector<PossibleName>* names : {&by_path_, &by_canonical_path_, &by_folded_path_})
    std::ranges::sort(*names, {}, &PossibleName::hash);
}

std::vector<Locator::PossibleName> Locator::canonical_names() {
  std::vector<PossibleName> names;
  names.reserve(content_.sources.size());
  // Consecutive files often share a folder, so the last folder and its alias are kept.
  std::string_view folder;
  uint32_t alias_of_folder = kAsWritten;
  const auto alias = [this](std::string_view written, std::string canonical, bool is_folder) {
    if (canonical == written) return kAsWritten;
    aliases_.push_back({std::move(canonical), is_folder});
    return static_cast<uint32_t>(aliases_.size() - 1);
  };
  for (uint32_t file = 0; file < content_.sources.size(); ++file) {
    const Source& source = content_.sources[file];
    const std::string_view path = source.path;
    const std::string_view above = path.substr(0, path.rfind('/') + 1);
    PossibleName name = {0, file, kAsWritten};
    // This shortcut pays only for many loose files. It would be wrong for a link, which leads
    // elsewhere.
    if (source.is_link || source.is_archive() || above.empty()) {
      name.alias = alias(path, canonical_path(std::string(path)), false);
    } else {
      if (above != folder) {
        folder = above;
        std::string canonical = canonical_path(std::string(folder));
        if (!canonical.ends_with('/')) canonical += '/';
        alias_of_folder = alias(folder, std::move(canonical), true);
      }
      name.alias = alias_of_folder;
    }
    name.hash = hash_of(text_of(name));
    names.push_back(name);
  }
  return names;
}

std::string Locator::text_of(const PossibleName& name) const {
  const std::string_view written = content_.sources[name.file].path;
  if (name.alias == kAsWritten) return std::string(written);
  const Alias& alias = aliases_[name.alias];
  if (!alias.is_folder) return alias.path;
  return alias.path + std::string(file_name(written));
}

std::optional<uint32_t> Locator::latest_called(const std::vector<PossibleName>& names,
                                               std::string_view text) const {
  std::optional<uint32_t> latest;
  for (const PossibleName& name :
       std::ranges::equal_range(names, hash_of(text), {}, &PossibleName::hash))
    if ((!latest || name.file > *latest) && text_of(name) == text) latest = name.file;
  return latest;
}

std::optional<uint32_t> Locator::only_one_called(std::string_view folded_text) const {
  std::optional<uint32_t> only;
  const auto names =
      std::ranges::equal_range(by_folded_path_, hash_of(folded_text), {}, &PossibleName::hash);
  for (const PossibleName& name : names) {
    const std::string text = text_of(name);
    if (one_windows_spelling(text) != folded_text) continue;
    const auto& spelled = name.alias == kAsWritten ? by_path_ : by_canonical_path_;
    if (latest_called(spelled, text) != name.file) continue;
    if (only && *only != name.file) return std::nullopt;
    only = name.file;
  }
  return only;
}

std::optional<uint32_t> Locator::find_file(std::string_view path) const {
  if (const auto file = latest_called(by_path_, path)) return file;
  const std::string canonical = canonical_path(std::string(path));
  if (const auto file = latest_called(by_canonical_path_, canonical)) return file;
  return only_one_called(one_windows_spelling(path));
}

void Locator::add_extents() {
  // Numbers up to here are assets; higher ones are shadowed.
  const size_t assets = content_.assets.size();
  const auto place_of = [&](uint32_t i) -> const Place& {
    return i < assets ? content_.assets[i].place : content_.shadowed[i - assets].place;
  };
  std::vector<uint32_t> lying(assets + content_.shadowed.size());
  std::iota(lying.begin(), lying.end(), 0U);
  std::ranges::sort(lying, {}, [&](uint32_t i) {
    return std::tuple(place_of(i).source, place_of(i).header_offset_bytes);
  });

  extents_.reserve(assets);
  first_extent_.reserve(content_.sources.size() + 1);
  auto next = lying.begin();
  for (uint32_t file = 0; file < content_.sources.size(); ++file) {
    const Source& source = content_.sources[file];
    const auto add = [&](uint64_t begin_bytes, TouchedPart part, uint32_t index) {
      if (begin_bytes < source.size_bytes) add_extent(begin_bytes, part, index);
    };
    first_extent_.push_back(extents_.size());
    const bool is_led_by_directory = source.is_archive() && source.directory_offset_bytes == 0;
    add(0, is_led_by_directory ? TouchedPart::directory : TouchedPart::other, 0);
    for (; next != lying.end() && place_of(*next).source == file; ++next) {
      const bool is_shadowed = *next >= assets;
      const Place& place = place_of(*next);
      // An entry without any bytes may begin within another one's data.
      if (place.header_bytes + place.stored_bytes == 0) continue;
      const auto index = static_cast<uint32_t>(is_shadowed ? *next - assets : *next);
      const uint64_t data = place.header_offset_bytes + place.header_bytes;
      add(place.header_offset_bytes, is_shadowed ? TouchedPart::shadowed : TouchedPart::header,
          index);
      add(data, is_shadowed ? TouchedPart::shadowed : TouchedPart::data, index);
      add(data + place.stored_bytes, TouchedPart::other, 0);
    }
    if (source.is_archive() && !is_led_by_directory)
      add(source.directory_offset_bytes, TouchedPart::directory, 0);
  }
  first_extent_.push_back(extents_.size());
}

// Adds an extent, after removing extents that begin at or after it. Such an extent is empty, or the
// directory places it too far back, because a local header is shorter than the directory says.
void Locator::add_extent(uint64_t begin_bytes, TouchedPart part, uint32_t index) {
  while (extents_.size() > first_extent_.back() && extents_.back().begin_bytes >= begin_bytes)
    extents_.pop_back();
  extents_.push_back({begin_bytes, index, part});
}

std::optional<uint32_t> Locator::find_asset(std::string_view path) const {
  const auto with_path = [this](std::string_view wanted) -> std::optional<uint32_t> {
    const Asset* found = content_.find(wanted);
    if (found == nullptr) return std::nullopt;
    return static_cast<uint32_t>(found - content_.assets.data());
  };
  std::string_view below = path;
  while (below.starts_with("../") || below.starts_with("./"))
    below.remove_prefix(below.find('/') + 1);
  while (below.starts_with('/')) below.remove_prefix(1);
  if (const auto asset = with_path(below)) return asset;
  // The path may be "ARCHIVE/ENTRY".
  for (size_t slash = path.find('/', 1); slash != std::string_view::npos;
       slash = path.find('/', slash + 1)) {
    const std::string_view archive = path.substr(0, slash);
    auto file = latest_called(by_path_, archive);
    // The check for a dot saves slow system calls: folders hardly ever have a file extension.
    if (!file && archive.substr(archive.find_last_of("/\\") + 1).contains('.'))
      file = find_file(archive);
    if (!file) continue;
    if (!content_.sources[*file].is_archive()) return archive_kept_whole(*file);
    if (const auto asset = entry_of(*file, path.substr(slash + 1))) return asset;
  }
  if (!path.contains('\\')) return std::nullopt;
  return find_asset(with_slashes(std::string(path)));
}

// Finds an archive's entry. If archives are kept apart, the asset's path begins with the archive's
// own path; otherwise with the path of the archive's folder below the root.
std::optional<uint32_t> Locator::entry_of(uint32_t file, std::string_view entry) const {
  const auto with_path = [&](const std::string& path) -> std::optional<uint32_t> {
    const Asset* found = content_.find(path);
    if (found == nullptr || found->place.source != file) return std::nullopt;
    return static_cast<uint32_t>(found - content_.assets.data());
  };
  constexpr std::string_view kSlashes = "/\\";
  const std::string_view archive = content_.sources[file].path;
  for (size_t end = archive.size();;) {
    const size_t slash = archive.substr(0, end).find_last_of(kSlashes);
    const size_t begin = slash == std::string_view::npos ? 0 : slash + 1;
    const std::string_view below = archive.substr(begin);
    const size_t name = below.find_last_of(kSlashes) + 1;  // 0 if there is no slash
    for (const std::string_view front : {below.substr(0, name), below}) {
      std::string path(front);
      if (front.size() == below.size()) path += '/';
      if (const auto asset = with_path(path.append(entry))) return asset;
    }
    if (begin == 0) return std::nullopt;
    end = slash;
  }
}

std::optional<uint32_t> Locator::archive_kept_whole(uint32_t file) const {
  const auto source = open_source(std::string(content_.sources[file].path));
  if (!source || !looks_like_zip(**source).value_or(false)) return std::nullopt;
  const auto extents = extents_of(file);
  const auto data = std::ranges::find(extents, TouchedPart::data, &EntryExtent::part);
  if (data == extents.end()) return std::nullopt;
  return data->index;
}

}  // namespace seekless
