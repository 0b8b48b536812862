// Chooses the entries of an overlay archive: one archive that overrides a game's others and holds
// the entries that recordings read. Takes a profile and the archives' directories. Returns the
// entries that the engine would use, and the doubtful ones. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "packer/content/content.h"
#include "packer/content/zip_directory.h"
#include "packer/profile/profile.h"
#include "packer/repack/archive_precedence.h"

namespace seekless {

// Describes one of Content::sources that is an archive.
struct OverlaidArchive {
  uint32_t source = 0;
  const ZipDirectory* directory = nullptr;
  // True if its entries have the same name space as the overlay's, because it lies directly in a
  // folder of content.
  bool is_overlaid = false;
  // An earlier run's overlay; reads of it count as reads of the copied entries.
  bool is_overlay = false;
};

struct OverlayEntry {
  uint32_t archive = 0;  // number among the given archives
  uint32_t entry = 0;    // number in its directory
  uint32_t asset = 0;    // index in Content::assets

  bool operator==(const OverlayEntry&) const = default;
};

struct OverlayChoice {
  std::vector<OverlayEntry> entries;  // sorted by archive, then by number in the directory
  // The profile as it would be without an earlier overlay, with each read moved to the entry that
  // wins.
  Profile profile;
  // Maps each reason to the paths of entries that recordings read and that stay where they are.
  std::map<std::string, Told> left_out;
};

// If another archive certainly hides an entry that was read, the entry is left out. If such an
// entry is long, it was read on purpose, so the engine has other rules; then no entry of its path
// is copied.
//
// `content` must be scanned with keep_archives. `foreign` holds the keys (name_key) of entries of
// archives that lie in the overlay's folder and aren't content; the overlay would hide those.
OverlayChoice choose_overlay_entries(const Profile& profile, const Content& content,
                                     std::span<const OverlaidArchive> archives,
                                     const ArchivePrecedence& precedence,
                                     const std::map<std::string, std::string>& foreign);

}  // namespace seekless
