#include "packer/repack/internal/overlay_site.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "packer/host/files.h"
#include "packer/host/folder_entries.h"
#include "packer/repack/internal/name_key.h"

namespace seekless {
namespace {

std::string ending_of(std::string_view name) {
  const size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? "" : fold_case(name.substr(dot));
}

Result<void> check_name(const std::string& name) {
  const PathFault fault = check_asset_path(name);
  const bool is_plain = !name.contains('/') && !name.contains('\\') && !name.starts_with('.');
  if (fault == PathFault::none && is_plain) return {};
  return wrong_usage({.place = "--overlay",
                      .expected = "the name of a file, such as zz_seekless.pk3",
                      .found = fmt::format("'{}'", name),
                      .advice = "-o FOLDER says where to write it"});
}

// Returns the names of the archives in the folder that the overlay overrides.
std::vector<std::string> names_in(const OverlaySite& site, const std::string& home) {
  std::vector<std::string> names;
  for (size_t i = 0; i < site.opened.size(); ++i)
    if (site.archives[i].is_overlaid && site.opened[i].archive.home == home)
      names.push_back(site.opened[i].archive.name);
  return names;
}

Result<void> check_wins(const OverlaySite& site, const std::vector<std::string>& names,
                        const OverlayRequest& request) {
  const std::string_view which = request.winning == WinningName::last ? "last" : "first";
  const auto unbeaten = unbeaten_name(request.name, names, request.winning);
  if (unbeaten) {
    const auto better = winning_name(request.name, names, request.winning);
    return wrong_usage(
        {.file = site.path(),
         .expected = fmt::format("a name that engines sort {} of all, whether or not they "
                                 "tell upper case from lower case",
                                 which),
         .found = fmt::format("'{}', which doesn't surely win over '{}'", request.name, *unbeaten),
         .advice = better ? fmt::format("call it {}", *better) : "choose another name"});
  }
  const auto has_ending = [&](const std::string& name) {
    return ending_of(name) == ending_of(request.name);
  };
  if (std::ranges::any_of(names, has_ending)) return {};
  return wrong_usage({.file = site.path(),
                      .expected = fmt::format("a name that ends as the archives do: *{}",
                                              ending_of(names.front())),
                      .found = fmt::format("'{}'", request.name),
                      .advice = "engines look for archives by how their names end"});
}

// Checks that the overlay's place is free or holds an overlay.
Result<void> check_place(const OverlaySite& site) {
  SKL_TRY(const auto kind, known_kind_of_path(site.path()));
  if (kind == PathKind::missing) return {};
  const auto refused = failed({.file = site.path(),
                               .expected = "nothing, or an overlay that seekless made",
                               .found = "another file",
                               .advice = "give the overlay another name"});
  if (kind != PathKind::file || is_link(site.path())) return refused;
  SKL_TRY(const auto bytes, open_source(site.path()));
  SKL_TRY(const auto is_zip, looks_like_zip(*bytes));
  if (!is_zip) return refused;
  SKL_TRY(const auto directory, read_zip_directory(*bytes));
  if (!is_overlay(directory)) return refused;
  return {};
}

Result<void> add_foreign(OverlaySite& site, const std::string& name) {
  SKL_TRY(const auto bytes, open_source(site.folder + "/" + name));
  SKL_TRY(const auto is_zip, looks_like_zip(*bytes));
  if (!is_zip) return {};
  const auto directory = read_zip_directory(*bytes);
  if (!directory) return {};  // engines can't read such an archive either
  if (is_overlay(*directory))
    return failed({.file = site.folder + "/" + name,
                   .expected = fmt::format("no other overlay than '{}'", site.name),
                   .found = "one that seekless made",
                   .advice = fmt::format("delete it, or make that one anew: --overlay {}", name)});
  for (size_t i = 0; i < directory->entry_count(); ++i)
    site.foreign.emplace(name_key(directory->entry(i).name), name);
  return {};
}

// Finds archives beside the overlay that aren't among the given ones.
Result<void> find_foreign(OverlaySite& site) {
  if (kind_of_path(site.folder) != PathKind::folder) return {};
  std::set<std::string> known;
  for (const SiteArchive& of : site.opened) known.insert(canonical_path(of.archive.path));
  SKL_TRY(const auto entries, list_folder(site.folder));
  for (const FolderEntry& entry : entries) {
    if (entry.is_folder || entry.leads_nowhere || entry.name == site.name ||
        known.contains(canonical_path(site.folder + "/" + entry.name)))
      continue;
    SKL_TRY_DO(add_foreign(site, entry.name));
  }
  return {};
}

Result<void> note_overlays(OverlaySite& site) {
  for (size_t i = 0; i < site.opened.size(); ++i) {
    if (!site.archives[i].is_overlay) continue;
    const RepackedArchive& archive = site.opened[i].archive;
    if (archive.name != site.name)
      return failed(
          {.file = archive.path,
           .expected = fmt::format("no other overlay than '{}'", site.name),
           .found = "one that seekless made",
           .advice = fmt::format("delete it, or make it anew: --overlay {}", archive.name)});
    site.replaced = archive.source;
  }
  return {};
}

}  // namespace

Result<OverlaySite> find_overlay_site(const std::vector<RepackedArchive>& archives,
                                      const OverlayRequest& request) {
  SKL_TRY_DO(check_name(request.name));
  OverlaySite site = {.folder = {},
                      .name = request.name,
                      .opened = {},
                      .archives = {},
                      .precedence = ArchivePrecedence({}, request.winning),
                      .foreign = {},
                      .replaced = {}};
  std::vector<std::string> homes;  // in the order given
  std::vector<RankedArchive> ranked;
  std::string winning_home;
  for (const RepackedArchive& archive : archives) {
    SKL_TRY_DO(site.read.add(archive.bytes));
    SKL_TRY(auto opened, open_archive(archive));
    const bool is_overlay_itself = is_overlay(opened.directory);
    const bool is_overlaid = !archive.name.contains('/');
    const auto home = std::ranges::find(homes, archive.home);
    ranked.push_back({static_cast<uint32_t>(home - homes.begin()), archive.name});
    if (home == homes.end()) homes.push_back(archive.home);
    site.opened.push_back({std::move(opened), archive});
    site.archives.push_back(
        {archive.source, nullptr, is_overlaid && !is_overlay_itself, is_overlay_itself});
    if (is_overlaid && !is_overlay_itself) winning_home = archive.home;
  }
  if (winning_home.empty())
    return failed({.file = archives.empty() ? "the content" : archives.front().path,
                   .expected = "archives right in the folder that is given",
                   .found = "none",
                   .advice = "name the folder that they lie in"});
  for (size_t i = 0; i < site.opened.size(); ++i)
    site.archives[i].directory = &site.opened[i].directory;
  site.precedence = ArchivePrecedence(std::move(ranked), request.winning);
  site.folder = request.folder.empty() ? winning_home : request.folder;
  while (site.folder.size() > 1 && site.folder.ends_with('/')) site.folder.pop_back();
  SKL_TRY_DO(note_overlays(site));
  SKL_TRY_DO(check_place(site));
  SKL_TRY_DO(check_wins(site, names_in(site, winning_home), request));
  SKL_TRY_DO(find_foreign(site));
  return site;
}

}  // namespace seekless
