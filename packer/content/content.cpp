#include "packer/content/content.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "packer/base/glob.h"
#include "packer/base/paths.h"
#include "packer/content/archive_sets.h"
#include "packer/content/flat_archive.h"
#include "packer/content/internal/other_archive.h"
#include "packer/content/internal/winners.h"
#include "packer/content/zip_directory.h"
#include "packer/host/files.h"
#include "packer/host/folder_walk.h"
#include "packer/host/kept_elsewhere.h"
#include "packer/words/counted.h"
#include "runtime/asset_path.h"
#include "runtime/zip_name.h"

namespace seekless {
namespace {

constexpr size_t kLongestNameInAdvice = 200;

enum class FileKind : uint8_t {
  archive,  // its entries are assets, or it was left out
  whole,    // one asset, whatever is in it
  plain,    // one asset, and no archive of any kind
};

// The warnings name so many files that are no archives; a glob such as "**" matches many.
constexpr size_t kMostNamedFiles = 10;

bool has_ending_of_engine(std::string_view path) {
  constexpr std::string_view kEndings[] = {".pck", ".pak", ".bsa", ".ba2", ".vpk", ".rpa"};
  return std::ranges::any_of(kEndings, [&](std::string_view ending) {
    return path.size() >= ending.size() &&
           compare_folded(path.substr(path.size() - ending.size()), ending) == 0;
  });
}

std::string parent_with_slash(const std::string& path) {
  return path.substr(0, path.rfind('/') + 1);
}

// Collects everything that may become an asset. If two have the same path, the one scanned later
// wins. Source and entry numbers are in scanning order.
class Scanner {
 public:
  explicit Scanner(const ScanOptions& options)
      : options_(options), is_glob_used_(options.take_apart.size()) {}

  Result<void> add_root(const std::string& root) {
    canonical_roots_.push_back(canonical_path(root));
    switch (kind_of_path(root)) {
      case PathKind::folder:
        return add_folder(root);
      case PathKind::file:
        return add_single_file(root);
      case PathKind::missing:
        return wrong_usage({.file = root,
                            .expected = "a folder or an archive with content",
                            .found = "nothing of that name",
                            .advice = "check the path"});
      case PathKind::other:
        break;
    }
    return wrong_usage({.file = root,
                        .expected = "a folder or an archive with content",
                        .found = "neither a folder nor a regular file"});
  }

  Content take_content() {
    for (const auto& [path, canonical] : links_) {
      const auto holds = [&](const std::string& root) { return lies_in(canonical, root); };
      if (std::ranges::none_of(canonical_roots_, holds))
        content_.leading_out.add(fmt::format("'{}' (to '{}')", path, canonical));
    }
    for (size_t i = 0; i < is_glob_used_.size(); ++i)
      if (!is_glob_used_[i]) content_.untaken.add(fmt::format("'{}'", options_.take_apart[i]));
    return std::move(content_);
  }
  Layers take_layers() { return std::move(layers_); }
  // Returns true if an archive was skipped because its directory is damaged.
  bool has_passed_over_damage() const { return has_passed_over_damage_; }

 private:
  Result<void> add_folder(const std::string& root) {
    const std::string base = root.ends_with('/') ? root : root + "/";
    bool is_empty = true;
    std::vector<Source> loose;  // scanned after the archives
    const auto add = [&](const FoundFile& file) -> Result<void> {
      is_empty = false;
      if (("/" + file.relative_path).contains(fmt::format("/{}/", kOriginalsFolder))) return {};
      if (matches_any_glob(options_.exclude, file.relative_path)) {
        ++content_.excluded;
        return {};
      }
      if (file.leads_nowhere) return pass_over(base + file.relative_path);
      note_link(base + file.relative_path, file);
      SKL_TRY(const auto kind, add_if_archive(base + file.relative_path, file));
      if (kind != FileKind::archive)
        loose.push_back(to_source(base + file.relative_path, file, kind));
      return {};
    };
    const FolderVisitor visitor = {
        .visit = add,
        .skips =
            [&](const std::string& folder) {
              const bool is_left_out = leave_out_folder(folder);
              if (is_left_out) is_empty = false;
              return is_left_out;
            },
        .leads_back = [&](const std::string& link, const std::string& to) -> Result<void> {
          is_empty = false;
          return turn_back(base, link, to);
        }};
    SKL_TRY_DO(visit_tree(root, visitor));
    if (is_empty)
      return failed({.file = root,
                     .expected = "a folder with content",
                     .found = "no file in it",
                     .advice = "check the path"});
    if (!paths_of_parts_.empty())
      std::erase_if(loose, [this](const Source& source) {
        return paths_of_parts_.contains(std::string(source.path));
      });
    return add_loose(std::move(loose), base.size());
  }

  Result<void> add_single_file(const std::string& root) {
    SKL_TRY(const auto source, open_source(root == "-" ? "./-" : root));
    const FoundFile file{.relative_path = std::string(file_name(root)),
                         .size_bytes = source->size_bytes(),
                         .is_link = true};
    if (matches_any_glob(options_.exclude, file.relative_path)) {
      ++content_.excluded;
      return {};
    }
    const std::string& path = source->name();
    SKL_TRY(const auto kind, add_if_archive(path, file));
    if (kind != FileKind::archive)
      return add_loose({to_source(path, file, kind)}, path.size() - file.relative_path.size());
    return {};
  }

  bool leave_out_folder(const std::string& folder) {
    if (!any_glob_covers_folder(options_.exclude, folder)) return false;
    ++content_.excluded;
    return true;
  }

  // Leaves out a link to a folder above it, because that folder's files are found without the link.
  Result<void> turn_back(const std::string& base, const std::string& link, const std::string& to) {
    if (any_glob_names_folder(options_.exclude, link)) {
      ++content_.excluded;
      return {};
    }
    if (options_.strict)
      return damaged({.file = base + link,
                      .expected = "a tree of folders",
                      .found = fmt::format("a link back to '{}'", to),
                      .advice = "remove the link, or leave it out with --exclude"});
    content_.leading_nowhere.add(fmt::format("'{}' (back to '{}')", base + link, to));
    return {};
  }

  Result<void> pass_over(const std::string& link) {
    if (options_.strict)
      return damaged({.file = link,
                      .expected = "a link to a file or a folder",
                      .found = "one that leads nowhere",
                      .advice = "remove it, or leave it out with --exclude"});
    content_.leading_nowhere.add(fmt::format("'{}'", link));
    return {};
  }

  // Notes a link that leads out of its root. Whether it leads out of all roots is decided once all
  // roots are known.
  void note_link(const std::string& path, const FoundFile& file) {
    if (!file.is_link && !file.is_below_link) return;
    std::string canonical = canonical_path(path);
    if (!lies_in(canonical, canonical_roots_.back()))
      links_.push_back({path, std::move(canonical)});
  }

  Source to_source(const std::string& path, const FoundFile& file, FileKind kind) {
    return {.path = content_.paths.add(path),
            .size_bytes = file.size_bytes,
            .is_link = file.is_link,
            .is_plain = kind == FileKind::plain};
  }

  std::string place_of_bytes(const std::string& path) const {
    if (options_.read_from.empty()) return path;
    const auto other = options_.read_from.find(canonical_path(path));
    return other == options_.read_from.end() ? path : other->second;
  }

  // Adds the entries of an archive that can be taken apart.
  Result<FileKind> add_if_archive(const std::string& path, const FoundFile& file) {
    if (matches_any_glob(options_.opaque, file.relative_path)) return FileKind::whole;
    // Opening the file would download it.
    if (is_kept_elsewhere(path)) return FileKind::whole;
    const bool is_to_take_apart = matches_any_glob(options_.take_apart, file.relative_path);
    if (!is_to_take_apart && options_.is_known_plain && options_.is_known_plain(path))
      return FileKind::plain;
    // A part may begin or end like an archive, but only its set's directory says what is in it.
    const bool is_part = parts_.contains(path);
    if (is_part && is_to_take_apart) return refuse_to_take_apart(path, "a part of a set");
    if (is_part) return FileKind::whole;
    SKL_TRY(const auto source, open_source(place_of_bytes(path)));
    if (is_to_take_apart) {
      SKL_TRY(const auto is_taken_apart, take_apart(path, file, *source));
      if (is_taken_apart) return FileKind::archive;
    }
    SKL_TRY(const auto is_like_zip, looks_like_zip(*source));
    SKL_TRY(const auto is_of_engine,
            is_like_zip ? is_engines_archive(path, *source) : Result<bool>(false));
    if (!is_like_zip || is_of_engine)
      return is_to_take_apart ? refuse_or_take_whole(path, *source)
                              : add_if_other(path, file, *source);
    if (is_to_take_apart) note_globs(file);
    SKL_TRY(const auto is_left_out, leave_out_archive(path, file));
    if (is_left_out) return FileKind::archive;
    const auto directory = read_zip_directory(*source);
    if (!directory) return pass_over_damaged(path, file, *source, directory.error());
    const size_t first = content_.assets.size();
    const uint32_t index = add_archive(
        {.path = content_.paths.add(path),
         .size_bytes = source->size_bytes(),
         .directory_offset_bytes = directory->is_in_front() ? 0 : directory->offset_bytes(),
         .kind = SourceKind::zip,
         .is_link = file.is_link},
        directory->entry_count());
    const std::string prefix = prefix_of(file);
    for (size_t i = 0; i < directory->entry_count(); ++i)
      SKL_TRY_DO(add_entry(path, prefix, directory->entry(i), index, i));
    SKL_TRY_DO(leave_out_folders(path, first));
    return FileKind::archive;
  }

  // Returns true for an archive in an engine's format whose last entry may be a zip, so that it
  // ends as a zip does.
  Result<bool> is_engines_archive(const std::string& path, const ByteSource& source) const {
    constexpr std::string_view kZipMagic = "PK";
    SKL_TRY(const auto magic, bytes_at(source, 0, kZipMagic.size()));
    if (magic == kZipMagic) return false;
    SKL_TRY(const auto flat, read_flat_directory(source));
    if (flat) return true;
    SKL_TRY(const auto set, read_set(source, path));
    return set.has_value();
  }

  // Skips a damaged archive if the caller only wants to know where assets lie. When building packs
  // it is an error, because the packs would lack the archive's entries.
  Result<FileKind> pass_over_damaged(const std::string& path, const FoundFile& file,
                                     const ByteSource& source, const Error& error) {
    if (!options_.any_names || error.kind != ErrorKind::damaged) return std::unexpected(error);
    content_.not_taken.add(error.message);
    has_passed_over_damage_ = true;
    add_archive({.path = content_.paths.add(path),
                 .size_bytes = source.size_bytes(),
                 .directory_offset_bytes = source.size_bytes(),
                 .kind = SourceKind::zip,
                 .is_link = file.is_link},
                0);
    return FileKind::archive;
  }

  // Leaves out the archive's assets, from `first` on, that runtime::find_files_as_folders reports.
  Result<void> leave_out_folders(const std::string& archive, size_t first) {
    if (options_.any_names) return {};
    std::vector<uint32_t> order;
    for (size_t i = first; i < content_.assets.size(); ++i)
      order.push_back(static_cast<uint32_t>(i));
    const auto compare = [&](std::string_view a, std::string_view b) {
      return options_.fold_case ? compare_folded(a, b) : a.compare(b);
    };
    const auto path_of = [&](uint32_t i) -> std::string_view { return content_.assets[i].path; };
    std::ranges::sort(order, [&](uint32_t a, uint32_t b) {
      const int by_path = compare(path_of(a), path_of(b));
      return by_path != 0 ? by_path < 0 : a < b;
    });
    std::vector<std::string_view> paths;
    for (const uint32_t i : order)
      if (paths.empty() || compare(paths.back(), path_of(i)) != 0) paths.push_back(path_of(i));
    const std::vector<bool> is_folder = runtime::find_files_as_folders(paths, options_.fold_case);
    std::vector<bool> is_left_out(content_.assets.size() - first);
    size_t at = 0;
    for (const uint32_t i : order) {
      if (compare(paths[at], path_of(i)) != 0) ++at;
      is_left_out[i - first] = is_folder[at];
    }
    return drop_folders(archive, first, is_left_out);
  }

  // Drops the marked assets; `is_left_out` begins with the asset at `first`.
  Result<void> drop_folders(const std::string& archive, size_t first,
                            const std::vector<bool>& is_left_out) {
    size_t kept = first;
    for (size_t i = first; i < content_.assets.size(); ++i) {
      const Asset asset = content_.assets[i];
      if (!is_left_out[i - first]) {
        content_.assets[kept++] = asset;
        continue;
      }
      const std::string place =
          fmt::format("entry '{}' at byte {}", asset.path, asset.place.header_offset_bytes);
      if (options_.strict)
        return damaged({.file = archive,
                        .place = place,
                        .expected = fmt::format("no entries below '{}/'", asset.path),
                        .found = "some, as if it were a folder",
                        .advice = "rename it, or leave it out with --exclude"});
      content_.unaddressable.add(
          fmt::format("{} of '{}': others lie in it, as in a folder", place, archive));
    }
    content_.assets.erase(content_.assets.begin() + static_cast<ptrdiff_t>(kept),
                          content_.assets.end());
    return {};
  }

  // Handles files that aren't zips.
  Result<FileKind> add_if_other(const std::string& path, const FoundFile& file,
                                const ByteSource& source) {
    if (options_.flat_archives && options_.archive_sets) {
      SKL_TRY(const auto is_set, add_if_set(path, file, source));
      if (is_set) return FileKind::archive;
    }
    if (options_.flat_archives) {
      SKL_TRY(const auto is_flat, add_if_flat(path, file, source));
      if (is_flat) return FileKind::archive;
    }
    SKL_TRY(const auto kind, kind_of_other_archive(source));
    if (kind.name.empty()) return FileKind::plain;
    content_.other_archives.add(fmt::format("'{}' ({})", path, kind.text()));
    return FileKind::whole;
  }

  Result<bool> add_if_flat(const std::string& path, const FoundFile& file,
                           const ByteSource& source) {
    SKL_TRY(const auto found, read_flat_directory(source));
    if (!found) return false;
    if (const auto left_out = leave_out_archive(path, file); !left_out || *left_out)
      return left_out;
    const FlatDirectory& directory = *found;
    const bool is_refused = !directory.obstacle.empty() || directory.entries.empty();
    if (is_refused && !options_.any_names) return false;  // counts as a plain file
    if (!directory.obstacle.empty())
      content_.not_taken.add(
          fmt::format("'{}' ({}): {}", path, directory.format->name, directory.obstacle));
    else if (directory.entries.empty())
      content_.not_taken.add(
          fmt::format("'{}' ({}): its directory lists no file", path, directory.format->name));
    SKL_TRY_DO(add_flat_entries(path, file, source, directory, false));
    return true;
  }

  // Adds a directory whose data lie in parts beside it, and these parts.
  Result<bool> add_if_set(const std::string& path, const FoundFile& file,
                          const ByteSource& source) {
    SKL_TRY(const auto set, read_set(source, path));
    if (!set) return false;
    if (const auto left_out = leave_out_archive(path, file); !left_out || *left_out)
      return left_out;
    if (const std::string part = left_out_part(file, *set); !part.empty()) {
      content_.not_taken.add(fmt::format("'{}' ({}): '{}' is left out", path, set->format, part));
      return true;
    }
    const Source directory = {.path = content_.paths.add(path),
                              .size_bytes = source.size_bytes(),
                              .kind = SourceKind::flat,
                              .is_link = file.is_link};
    ArchiveSet& added = content_.sets.emplace_back();
    added.directory = add_archive(directory, 0);
    if (!set->obstacle.empty()) {
      content_.not_taken.add(fmt::format("'{}' ({}): {}", path, set->format, set->obstacle));
      return true;
    }
    for (const PartOfSet& part : set->parts) {
      added.parts.push_back({add_part(part, *set), part.first_entry, part.is_named});
      SKL_TRY_DO(add_entries_of_part(path, prefix_of(file), part, *set));
    }
    return true;
  }

  // Returns the name of a part that isn't content, or that must stay whole; empty if there is none.
  // A new directory would name a part that isn't in the output.
  std::string left_out_part(const FoundFile& directory, const ListedSet& set) const {
    for (const PartOfSet& part : set.parts) {
      const std::string name = path_beside(directory.relative_path, file_name(part.path));
      if (matches_any_glob(options_.opaque, name) || matches_any_glob(options_.exclude, name))
        return name;
    }
    return {};
  }

  // Returns the number of the part's source.
  uint32_t add_part(const PartOfSet& part, const ListedSet& set) {
    paths_of_parts_.insert(part.path);
    return add_archive({.path = content_.paths.add(part.path),
                        .size_bytes = part.size_bytes,
                        .alignment_bytes = set.alignment_bytes,
                        .kind = SourceKind::flat},
                       part.entry_count);
  }

  // Adds the entries of the source that was added last.
  Result<void> add_entries_of_part(const std::string& directory, const std::string& prefix,
                                   const PartOfSet& part, const ListedSet& set) {
    const auto source = static_cast<uint32_t>(content_.sources.size() - 1);
    for (uint32_t i = 0; i < part.entry_count; ++i) {
      const EntryOfSet& listed = set.entries[part.first_entry + i];
      FlatEntry entry = {.name = listed.name, .name_fault = check_asset_path(listed.name)};
      entry.offset_bytes = listed.offset_bytes;
      entry.size_bytes = listed.size_bytes;
      SKL_TRY_DO(add_flat_entry(directory, prefix, entry, source, i));
    }
    return {};
  }

  // Makes each entry of an engine's archive an asset that holds the file as the engine gets it.
  // Returns false if the file isn't such an archive.
  Result<bool> take_apart(const std::string& path, const FoundFile& file,
                          const ByteSource& source) {
    SKL_TRY(const auto directory, read_flat_directory(source));
    if (!directory) return false;
    note_globs(file);
    if (const auto left_out = leave_out_archive(path, file); !left_out || *left_out)
      return left_out;
    SKL_TRY(const auto obstacle, obstacle_to_taking_apart(source, *directory));
    if (!obstacle.empty())
      return refuse_to_take_apart(path, fmt::format("{}: {}", directory->format->name, obstacle));
    const uint64_t unaddressable = content_.unaddressable.count;
    SKL_TRY_DO(add_flat_entries(path, file, source, *directory, true));
    if (content_.unaddressable.count - unaddressable == directory->entries.size())
      return refuse_to_take_apart(
          path, fmt::format("{}: no path leads to any of its entries", directory->format->name));
    return true;
  }

  void note_globs(const FoundFile& file) {
    for (size_t i = 0; i < options_.take_apart.size(); ++i)
      if (matches_glob(options_.take_apart[i], file.relative_path)) is_glob_used_[i] = true;
  }

  static std::unexpected<Error> refuse_to_take_apart(const std::string& path, std::string found) {
    return damaged({.file = path,
                    .expected = "an archive that can be taken apart (--take-apart)",
                    .found = std::move(found),
                    .advice = "take it whole (--opaque), or leave it out (--exclude)"});
  }

  // Handles files that are neither zips nor archives of engines, though a glob says so.
  Result<FileKind> refuse_or_take_whole(const std::string& path, const ByteSource& source) {
    SKL_TRY(const auto kind, kind_of_other_archive(source));
    if (!kind.name.empty()) return refuse_to_take_apart(path, kind.text());
    if (has_ending_of_engine(path))
      return refuse_to_take_apart(path, "a file that isn't such an archive, or a damaged one");
    content_.not_archives.push_back(path);
    return FileKind::plain;
  }

  Result<void> add_flat_entries(const std::string& path, const FoundFile& file,
                                const ByteSource& source, const FlatDirectory& directory,
                                bool is_taken_apart) {
    const uint32_t index =
        add_archive({.path = content_.paths.add(path),
                     .size_bytes = source.size_bytes(),
                     .directory_offset_bytes = directory.is_in_front() ? 0 : directory.offset_bytes,
                     .alignment_bytes = directory.alignment_bytes,
                     .kind = SourceKind::flat,
                     .is_link = file.is_link},
                    directory.entries.size(), is_taken_apart);
    const std::string prefix = prefix_of(file) + (is_taken_apart ? directory.mount : "");
    for (uint32_t i = 0; i < directory.entries.size(); ++i)
      SKL_TRY_DO(add_flat_entry(path, prefix, directory.entries[i], index, i));
    return {};
  }

  // Returns the archive's number.
  uint32_t add_archive(const Source& source, size_t entries, bool is_taken_apart = false) {
    content_.sources.push_back(source);
    layers_.of_source.push_back(begin_layer(is_taken_apart));
    make_room(content_.assets, entries);
    return static_cast<uint32_t>(content_.sources.size() - 1);
  }

  uint32_t begin_layer(bool is_taken_apart) {
    layers_.layers.push_back({static_cast<uint32_t>(canonical_roots_.size()), is_taken_apart});
    return static_cast<uint32_t>(layers_.layers.size() - 1);
  }

  std::string prefix_of(const FoundFile& archive) const {
    return options_.keep_archives ? archive.relative_path + "/"
                                  : parent_with_slash(archive.relative_path);
  }

  // Leaves out an archive whose own name can't be used, if the name is needed: in its entries'
  // paths, or in a layout.
  Result<bool> leave_out_archive(const std::string& path, const FoundFile& file) {
    const PathFault fault = check_asset_path(file.relative_path);
    const bool needs_name =
        options_.keep_archives || (!options_.any_names && !is_valid_utf8(file.relative_path));
    if (!needs_name || fault == PathFault::none) return false;
    if (options_.strict) return refused(path, "name of the archive", fault, file.relative_path);
    content_.unaddressable.add(
        fmt::format("all of the archive '{}', whose name is {}", path, describe(fault)));
    return true;
  }

  // Reserves the exact size for one big archive or folder, but avoids moving everything for each of
  // many small ones.
  template <typename Record>
  static void make_room(std::vector<Record>& records, size_t more) {
    const size_t needed = records.size() + more;
    if (needed > records.capacity()) records.reserve(std::max(needed, records.capacity() / 2 * 3));
  }

  // Holds an archive's entry's own name, and the path that it would get.
  struct EntryName {
    const std::string& name;
    const std::string& path;
    PathFault name_fault;
    bool is_directory = false;
    bool must_be_utf8 = false;
  };

  // Leaves out an entry that is excluded or a folder, or that no path leads to. `place` returns the
  // entry's place for messages.
  Result<bool> leave_out_entry(const std::string& archive, const EntryName& entry,
                               const auto& place) {
    const bool is_named_badly = entry.name_fault != PathFault::none;
    if (matches_any_glob(options_.exclude, entry.path) ||
        (is_named_badly && matches_any_glob(options_.exclude, entry.name))) {
      if (!entry.is_directory) ++content_.excluded;
      return true;
    }
    if (entry.must_be_utf8 && entry.name_fault == PathFault::not_utf8)
      return refused(archive, place(), entry.name_fault, entry.name);
    if (!is_named_badly && entry.is_directory) {
      ++content_.directories_skipped;
      return true;
    }
    const PathFault fault = is_named_badly ? entry.name_fault : check_asset_path(entry.path);
    if (fault == PathFault::none) return false;
    SKL_TRY_DO(leave_out(archive, place(), fault, is_named_badly ? entry.name : entry.path));
    return true;
  }

  Result<void> add_entry(const std::string& archive, const std::string& prefix,
                         const ZipEntry& entry, uint32_t source, size_t index) {
    const std::string path = prefix + entry.name;
    const EntryName name = {entry.name, path, entry.name_fault, entry.is_directory};
    SKL_TRY(const auto is_left_out,
            leave_out_entry(archive, name, [&] { return place_of(entry); }));
    if (is_left_out) return {};
    if (entry.is_link && !options_.any_names) return leave_out_link(archive, entry);
    content_.assets.push_back({.path = content_.paths.add(path),
                               .place = {.size_bytes = entry.size_bytes,
                                         .stored_bytes = entry.stored_bytes,
                                         .header_offset_bytes = entry.header_offset_bytes,
                                         .header_bytes = entry.header_bytes(),
                                         .source = source,
                                         .entry = static_cast<uint32_t>(index),
                                         .crc32 = entry.crc32,
                                         .method = entry.method,
                                         .is_encrypted = entry.is_encrypted()}});
    return {};
  }

  Result<void> add_flat_entry(const std::string& archive, const std::string& prefix,
                              const FlatEntry& entry, uint32_t source, uint32_t index) {
    const std::string path = prefix + entry.name;
    const bool is_taken_apart = layers_.layers.back().is_taken_apart;
    // Unlike zips, engines' archives don't say in which encoding a name is.
    const EntryName name = {.name = entry.name,
                            .path = path,
                            .name_fault = entry.name_fault,
                            .must_be_utf8 = is_taken_apart};
    SKL_TRY(const auto is_left_out,
            leave_out_entry(archive, name, [&] { return fmt::format("entry {}", index); }));
    if (is_left_out) return {};
    uint32_t header_bytes = 0;
    if (is_taken_apart) {
      if (!entry.stored_as.empty()) return refuse_stored_as(archive, path, entry);
      header_bytes = entry.header_bytes;
    }
    content_.assets.push_back({.path = content_.paths.add(path),
                               .place = {.size_bytes = entry.size_bytes - header_bytes,
                                         .stored_bytes = entry.size_bytes - header_bytes,
                                         .header_offset_bytes = entry.offset_bytes,
                                         .header_bytes = header_bytes,
                                         .source = source,
                                         .entry = index}});
    return {};
  }

  // As for zips, an asset holds what a game gets; data that can't be decoded would be useless.
  static std::unexpected<Error> refuse_stored_as(const std::string& archive,
                                                 const std::string& path, const FlatEntry& entry) {
    return damaged({.file = archive,
                    .place = fmt::format("entry '{}' at byte {}", path, entry.offset_bytes),
                    .expected = "a file stored unchanged",
                    .found = std::string(entry.stored_as),
                    .advice =
                        "take the archive whole, without --take-apart, or leave the entry out "
                        "(--exclude)"});
  }

  // Adds files. An asset's path is its file's path without the first `base_bytes`.
  Result<void> add_loose(std::vector<Source> loose, size_t base_bytes) {
    const uint32_t layer = begin_layer(false);
    SKL_TRY_DO(leave_out_unnamed(loose, base_bytes));
    const size_t first = content_.sources.size();
    if (loose.size() >= kWholeSource - first)
      return failed({.file = loose.front().path, .place = "content", .found = "too many files"});
    layers_.of_source.insert(layers_.of_source.end(), loose.size(), layer);
    if (first == 0)
      content_.sources = std::move(loose);
    else
      content_.sources.insert(content_.sources.end(), loose.begin(), loose.end());
    make_room(content_.assets, content_.sources.size() - first);
    for (size_t i = first; i < content_.sources.size(); ++i)
      SKL_TRY_DO(add_whole(static_cast<uint32_t>(i), base_bytes));
    return {};
  }

  // Removes the file from the sources too, because a layout names all sources and couldn't name
  // this one.
  Result<void> leave_out_unnamed(std::vector<Source>& loose, size_t base_bytes) {
    Result<void> left_out;
    if (options_.any_names) return left_out;
    std::erase_if(loose, [&](const Source& source) {
      const PooledPath path = source.path.without_front(base_bytes);
      if (!left_out || is_valid_utf8(path)) return false;
      left_out = leave_out(source.path, "name of the file", PathFault::not_utf8, path);
      return true;
    });
    return left_out;
  }

  Result<void> add_whole(uint32_t index, size_t base_bytes) {
    const Source& source = content_.sources[index];
    // The asset and its source share one copy of the path.
    const PooledPath path = source.path.without_front(base_bytes);
    const PathFault fault = check_asset_path(path);
    if (fault != PathFault::none && options_.any_names) return {};
    if (fault != PathFault::none) return leave_out(source.path, "name of the file", fault, path);
    content_.assets.push_back(
        {.path = path,
         .place = {
             .size_bytes = source.size_bytes, .stored_bytes = source.size_bytes, .source = index}});
    return {};
  }

  // Leaves out an asset without a valid path. No game can ask for it, so none will miss it.
  Result<void> leave_out(const std::string& file, std::string place, PathFault fault,
                         const std::string& name) {
    if (!options_.strict) {
      content_.unaddressable.add(fmt::format("{} of '{}': {}", place, file, describe(fault)));
      return {};
    }
    return refused(file, std::move(place), fault, name);
  }

  // Leaves out a link. Its data is only the path of its target, which no game wants to read.
  Result<void> leave_out_link(const std::string& archive, const ZipEntry& entry) {
    if (options_.strict)
      return damaged({.file = archive,
                      .place = place_of(entry),
                      .expected = "a file",
                      .found = "a symbolic link",
                      .advice = "put the file itself into the archive, or leave it out with "
                                "--exclude"});
    content_.links_inside.add(fmt::format("{} of '{}'", place_of(entry), archive));
    return {};
  }

  static std::unexpected<Error> refused(const std::string& file, std::string place, PathFault fault,
                                        const std::string& name) {
    return damaged({.file = file,
                    .place = std::move(place),
                    .expected = "a relative path of plain names, separated by '/'",
                    .found = describe(fault),
                    .advice = fmt::format("rename it, or leave it out: --exclude '{}'",
                                          name.substr(0, kLongestNameInAdvice))});
  }

  struct FoundLink {
    std::string path;
    std::string canonical;
  };

  const ScanOptions& options_;
  Content content_;
  std::vector<FoundLink> links_;  // links that lead out of their own root
  PartsByName parts_;
  std::set<std::string> paths_of_parts_;  // these files aren't loose
  std::vector<std::string> canonical_roots_;
  Layers layers_;
  std::vector<bool> is_glob_used_;  // indexed like ScanOptions::take_apart
  bool has_passed_over_damage_ = false;
};

// Checks only assets that aren't shadowed, because the others aren't used.
Result<void> check_assets(const Content& content) {
  const auto bad = std::ranges::find_if_not(content.assets, [](const Asset& asset) {
    return can_unpack(asset.place.method, asset.place.is_encrypted);
  });
  if (bad == content.assets.end()) return {};
  const Place& place = bad->place;
  return check_readable(content.sources[place.source].path,
                        fmt::format("entry '{}' at byte {}", bad->path, place.header_offset_bytes),
                        place.method, place.is_encrypted);
}

std::string what_was_left_out(const Content& content) {
  std::string found = fmt::format("none ({} excluded", content.excluded);
  if (content.unaddressable.count > 0)
    found += fmt::format(", {} that no path leads to, such as {}", content.unaddressable.count,
                         content.unaddressable.first);
  if (content.leading_nowhere.count > 0)
    found +=
        fmt::format(", {} nowhere or back, such as {}",
                    counted(content.leading_nowhere.count, "link that leads", "links that lead"),
                    content.leading_nowhere.first);
  if (content.links_inside.count > 0)
    found += fmt::format(", {} in archives, such as {}",
                         counted(content.links_inside.count, "symbolic link"),
                         content.links_inside.first);
  found += ")";
  if (content.not_taken.count > 0)
    found += fmt::format("; {} can't be taken apart, such as {}",
                         counted(content.not_taken.count, "archive"), content.not_taken.first);
  return found;
}

}  // namespace

ScanOptions scan_of_whole_files() {
  return {.require_readable = false, .any_names = true, .opaque = {"**"}};
}

uint64_t Content::size_bytes() const {
  uint64_t total = 0;
  for (const Asset& asset : assets) total += asset.place.size_bytes;
  return total;
}

std::vector<bool> Content::parts_of_sets() const {
  std::vector<bool> is_part(sources.size(), false);
  for (const ArchiveSet& set : sets)
    for (const ArchiveSet::Part& part : set.parts) is_part[part.source] = true;
  return is_part;
}

const ArchiveSet* Content::set_of(uint32_t directory) const {
  const auto found = std::ranges::find(sets, directory, &ArchiveSet::directory);
  return found == sets.end() ? nullptr : &*found;
}

const Asset* Content::find(std::string_view path) const {
  const auto found = std::ranges::lower_bound(assets, path, {}, &Asset::path);
  return found != assets.end() && found->path == path ? &*found : nullptr;
}

std::vector<std::string> warnings_of(const Content& content) {
  std::vector<std::string> warnings;
  if (!content.shadowed.empty()) {
    const Shadowed& first = content.shadowed.front();
    const Asset& winner = content.assets[first.winner];
    warnings.push_back(fmt::format("{} hidden by later ones, such as '{}' of {} by that of {}",
                                   content.shadowed.size() == 1
                                       ? "1 entry is"
                                       : fmt::format("{} entries are", content.shadowed.size()),
                                   first.path, content.sources[first.place.source].path,
                                   content.sources[winner.place.source].path));
  }
  const auto add = [&](const Told& told, std::string_view one, std::string_view several,
                       std::string_view what, std::string_view advice) {
    if (told.count > 0)
      warnings.push_back(fmt::format("{} {}, such as {}; {}", counted(told.count, one, several),
                                     what, told.first, advice));
  };
  add(content.unaddressable, "file or entry is", "files or entries are",
      "left out, as no path leads to them",
      "--exclude them to be rid of this, or refuse them with --strict");
  add(content.leading_nowhere, "link that leads nowhere, or back to a folder that it lies in, is",
      "links that lead nowhere, or back to a folder that they lie in, are", "left out",
      "remove or --exclude them, or refuse them with --strict");
  add(content.links_inside, "symbolic link in an archive is", "symbolic links in archives are",
      "left out",
      "put the files themselves there, --exclude the links, or refuse them with --strict");
  add(content.other_archives, "file is an archive that isn't taken apart",
      "files are archives that aren't taken apart", "but taken whole, as one asset each",
      "--opaque says that this is meant");
  add(content.leading_out, "file is", "files are",
      "read through links that lead out of the content",
      "--exclude them if they don't belong to it");
  add(content.untaken, "pattern of --take-apart matches", "patterns of --take-apart match",
      "no archive", "archives are recognised by their content, not by their names");
  const std::vector<std::string>& files = content.not_archives;
  for (size_t i = 0; i < std::min(files.size(), kMostNamedFiles); ++i)
    warnings.push_back(fmt::format(
        "--take-apart matches '{}', which isn't an archive, or is a damaged one; it is taken whole",
        files[i]));
  if (files.size() > kMostNamedFiles)
    warnings.push_back(fmt::format("--take-apart matches {} more that aren't archives",
                                   counted(files.size() - kMostNamedFiles, "file")));
  return warnings;
}

Result<Content> scan_content(const std::vector<std::string>& roots, const ScanOptions& options) {
  Scanner scanner(options);
  for (const std::string& root : roots) SKL_TRY_DO(scanner.add_root(root));
  auto content = keep_winners(scanner.take_content(), scanner.take_layers(), options);
  if (content && content->assets.empty()) {
    const Fault nothing = {.file = roots.empty() ? "content" : roots.front(),
                           .expected = "at least one asset",
                           .found = what_was_left_out(*content),
                           .advice = "check the paths and what is excluded"};
    return scanner.has_passed_over_damage() ? damaged(nothing) : failed(nothing);
  }
  if (content && options.require_readable) SKL_TRY_DO(check_assets(*content));
  return content;
}

}  // namespace seekless
