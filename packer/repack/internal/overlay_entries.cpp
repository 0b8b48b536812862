#include "packer/repack/internal/overlay_entries.h"

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "packer/base/none.h"
#include "packer/base/paths.h"
#include "packer/content/entry_name.h"
#include "packer/entries/archive_reads.h"
#include "packer/profile/find_assets.h"
#include "packer/repack/internal/name_key.h"
#include "packer/repack/internal/old_archive.h"

namespace seekless {
namespace {

// Engines read 2 to 16 KiB at a time, so reads of an entry or of the directory also touch
// neighbouring entries. An entry longer than this was read on purpose.
constexpr uint64_t kGrazedBytes = 32768;

// One of the entries in several archives that have the same path.
struct EntryCandidate {
  uint32_t archive = 0;
  uint32_t entry = 0;
  std::string name;
  uint64_t size_bytes = 0;
  uint64_t stored_bytes = 0;
  uint32_t crc32 = 0;
  bool is_encrypted = false;
  bool is_movable = true;

  bool has_content_of(const EntryCandidate& other) const {
    if (archive == other.archive && entry == other.entry) return true;
    return size_bytes == other.size_bytes && crc32 == other.crc32 && !is_encrypted &&
           !other.is_encrypted;
  }
};

// Holds entries whose paths some engine treats as equal.
struct SamePath {
  std::vector<EntryCandidate> candidates;
  bool has_loose_file = false;
};

using EntryPlace = std::pair<uint32_t, uint32_t>;  // archive, number in its directory

struct Choice {
  std::optional<OverlayEntry> entry;
  std::string reason;  // why there is no entry; empty if all reads only touched the path
};

class EntryChooser {
 public:
  EntryChooser(const Profile& profile, const Content& content,
               std::span<const OverlaidArchive> archives, const ArchivePrecedence& precedence,
               const std::map<std::string, std::string>& foreign)
      : profile_(profile),
        content_(content),
        archives_(archives),
        precedence_(precedence),
        foreign_(foreign),
        asset_of_(find_assets(profile, content)),
        archive_of_(content.sources.size(), kNone) {
    for (uint32_t i = 0; i < archives.size(); ++i) archive_of_[archives[i].source] = i;
    for (uint32_t i = 0; i < content.assets.size(); ++i)
      if (is_of_archive(content.assets[i])) asset_at_.emplace(place_of(content.assets[i].place), i);
  }

  OverlayChoice run() {
    gather_groups();
    add_candidates();
    note_read_candidates();
    choice_.profile = profile_;
    is_grazed_.assign(profile_.assets.size(), false);
    for (uint32_t number = 0; number < asset_of_.size(); ++number)
      if (asset_of_[number] != kNone) choose(number);
    std::ranges::sort(choice_.entries, {},
                      [](const OverlayEntry& of) { return std::pair(of.archive, of.entry); });
    const auto same = std::ranges::unique(choice_.entries);
    choice_.entries.erase(same.begin(), same.end());
    join_assets();
    return std::move(choice_);
  }

 private:
  const Asset& asset(uint32_t number) const { return content_.assets[asset_of_[number]]; }

  std::string_view name_of(const Asset& of) const {
    return entry_name(content_, of.place, of.path);
  }

  bool is_of_archive(const Asset& of) const {
    return of.place.entry != kWholeSource && archive_of_[of.place.source] != kNone;
  }

  EntryPlace place_of(const Place& place) const { return {archive_of_[place.source], place.entry}; }

  void gather_groups() {
    for (uint32_t number = 0; number < asset_of_.size(); ++number)
      if (asset_of_[number] != kNone && is_of_archive(asset(number)))
        groups_[name_key(name_of(asset(number)))];
  }

  void add_candidates() {
    for (uint32_t i = 0; i < archives_.size(); ++i) {
      if (!archives_[i].is_overlaid || archives_[i].is_overlay) continue;
      const ZipDirectory& directory = *archives_[i].directory;
      for (uint32_t number = 0; number < directory.entry_count(); ++number)
        add_candidate(i, number, directory.entry(number));
    }
    for (const Asset& of : content_.assets) {
      if (of.place.entry != kWholeSource) continue;
      const auto group = groups_.find(name_key(of.path));
      if (group != groups_.end()) group->second.has_loose_file = true;
    }
  }

  void add_candidate(uint32_t archive, uint32_t number, const ZipEntry& entry) {
    if (entry.is_directory) return;
    const auto group = groups_.find(name_key(entry.name));
    if (group == groups_.end()) return;
    group->second.candidates.push_back({.archive = archive,
                                        .entry = number,
                                        .name = entry.name,
                                        .size_bytes = entry.size_bytes,
                                        .stored_bytes = entry.stored_bytes,
                                        .crc32 = entry.crc32,
                                        .is_encrypted = entry.is_encrypted(),
                                        .is_movable = is_movable(entry)});
  }

  void note_read_candidates() {
    for (uint32_t number = 0; number < asset_of_.size(); ++number) {
      if (asset_of_[number] == kNone || !is_of_archive(asset(number))) continue;
      const Place& place = asset(number).place;
      if (!archives_[archive_of_[place.source]].is_overlay) read_.insert(place_of(place));
    }
  }

  bool surely_wins(const EntryCandidate& a, const EntryCandidate& over) const {
    return a.archive != over.archive && precedence_.surely_wins(a.archive, over.archive);
  }

  // Returns the entry that wins over all entries with other content; null if none is certain to.
  const EntryCandidate* winner(const SamePath& group) const {
    for (const EntryCandidate& candidate : group.candidates)
      if (std::ranges::all_of(group.candidates, [&](const EntryCandidate& other) {
            return candidate.has_content_of(other) || surely_wins(candidate, other);
          }))
        return &candidate;
    return nullptr;
  }

  std::string archive_name(uint32_t archive) const {
    const std::string_view path = content_.sources[archives_[archive].source].path;
    return std::string(file_name(path));
  }

  bool is_read(const EntryCandidate& of) const { return read_.contains({of.archive, of.entry}); }

  // Returns true if another archive is certain to have the entry that the engine uses instead.
  bool is_hidden(const EntryCandidate& of, const SamePath& group) const {
    return std::ranges::any_of(group.candidates,
                               [&](const EntryCandidate& other) { return surely_wins(other, of); });
  }

  // Returns the entry to copy, with its name spelled as it was read. Of equal entries it takes the
  // last one, which engines usually read.
  const EntryCandidate* copied(const SamePath& group, const EntryCandidate& top,
                               std::string_view name) const {
    const auto found = std::find_if(group.candidates.rbegin(), group.candidates.rend(),
                                    [&](const EntryCandidate& of) {
                                      return of.name == name && of.has_content_of(top) &&
                                             asset_at_.contains({of.archive, of.entry});
                                    });
    return found == group.candidates.rend() ? nullptr : &*found;
  }

  // Returns an entry that was read on purpose although its content differs from that of the entry
  // that should win.
  const EntryCandidate* contradicting(const SamePath& group, const EntryCandidate& top) const {
    const auto found = std::ranges::find_if(group.candidates, [&](const EntryCandidate& of) {
      return is_read(of) && of.stored_bytes > kGrazedBytes && !of.has_content_of(top);
    });
    return found == group.candidates.end() ? nullptr : &*found;
  }

  bool is_grazed(const SamePath& group, const Place& read) const {
    return std::ranges::any_of(group.candidates, [&](const EntryCandidate& of) {
      return place_of(read) == EntryPlace(of.archive, of.entry) &&
             of.stored_bytes <= kGrazedBytes && is_hidden(of, group);
    });
  }

  Choice choose_of(const SamePath& group, const Place& read, std::string_view name) const {
    if (group.has_loose_file) return {{}, "a loose file has the same path"};
    const EntryCandidate* top = winner(group);
    if (top == nullptr) return {{}, "which archive's wins isn't certain"};
    const EntryCandidate* from = copied(group, *top, name);
    if (from == nullptr && top->name != name)
      return {{}, "archives spell its path in several ways"};
    if (const EntryCandidate* other = contradicting(group, *top); other != nullptr)
      return {{},
              fmt::format("recordings read that of {}, though {} should win",
                          archive_name(other->archive), archive_name(top->archive))};
    if (is_grazed(group, read)) return {};
    if (from == nullptr) return {{}, "it is excluded in the archive that wins"};
    if (!from->is_movable) return {{}, "it is encrypted with its place, or a patch to other data"};
    return {OverlayEntry{from->archive, from->entry, asset_at_.at({from->archive, from->entry})},
            {}};
  }

  void choose(uint32_t number) {
    const Asset& of = asset(number);
    if (!is_of_archive(of)) return;
    const std::string name(name_of(of));
    Choice chosen = choose_for(of, name);
    if (!chosen.entry && chosen.reason.empty()) is_grazed_[number] = true;
    if (!chosen.entry && !chosen.reason.empty()) choice_.left_out[chosen.reason].add(name);
    if (!chosen.entry) return;
    choice_.entries.push_back(*chosen.entry);
    choice_.profile.assets[number] = content_.assets[chosen.entry->asset].path;
  }

  Choice choose_for(const Asset& of, const std::string& name) const {
    const OverlaidArchive& archive = archives_[archive_of_[of.place.source]];
    if (!archive.is_overlaid && !archive.is_overlay)
      return {{}, "its archive lies in a folder of its own"};
    const std::string key = name_key(name);
    if (const auto other = foreign_.find(key); other != foreign_.end())
      return {{}, fmt::format("{} holds it, too, and isn't among the content", other->second)};
    const SamePath& group = groups_.at(key);
    if (group.candidates.empty()) return {{}, "no archive holds it any more"};
    return choose_of(group, of.place, name);
  }

  // Merges assets that the overlay will hold as one; their first read counts. Drops assets that
  // were only touched.
  void join_assets() {
    Profile& profile = choice_.profile;
    std::map<std::string, uint32_t> first;
    std::vector<uint32_t> joined;
    for (uint32_t number = 0; number < profile.assets.size(); ++number)
      joined.push_back(first.emplace(profile.assets[number], number).first->second);
    for (ProfiledScenario& scenario : profile.scenarios)
      for (ProfiledRun& run : scenario.runs) {
        std::vector<bool> is_read(profile.assets.size(), false);
        std::vector<uint32_t> left;
        for (const uint32_t number : run.assets) {
          if (is_grazed_[number] || is_read[joined[number]]) continue;
          is_read[joined[number]] = true;
          left.push_back(joined[number]);
        }
        run.assets = left;
      }
  }

  const Profile& profile_;
  const Content& content_;
  const std::span<const OverlaidArchive> archives_;
  const ArchivePrecedence& precedence_;
  const std::map<std::string, std::string>& foreign_;
  const std::vector<uint32_t> asset_of_;  // indexed by number in the profile
  std::vector<uint32_t> archive_of_;      // indexed by source
  std::unordered_map<std::string, SamePath> groups_;
  std::set<EntryPlace> read_;
  std::vector<bool> is_grazed_;  // indexed by number in the profile
  std::map<EntryPlace, uint32_t> asset_at_;
  OverlayChoice choice_;
};

}  // namespace

OverlayChoice choose_overlay_entries(const Profile& profile, const Content& content,
                                     std::span<const OverlaidArchive> archives,
                                     const ArchivePrecedence& precedence,
                                     const std::map<std::string, std::string>& foreign) {
  return EntryChooser(profile, content, archives, precedence, foreign).run();
}

}  // namespace seekless
