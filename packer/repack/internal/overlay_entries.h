// Which entries an overlay archive holds: one archive that lies over a game's others, with what
// recordings read of them. From a profile and the archives' directories to the entries that the
// engine would use, and those for which that isn't clear. Pure.
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

// One of Content::sources that is an archive.
struct OverlaidArchive {
  uint32_t source = 0;
  const ZipDirectory* directory = nullptr;
  // Its entries have the same name space as the overlay's: it lies right in a folder of content.
  bool is_overlaid = false;
  bool is_overlay = false;  // of an earlier run: reads of it count as reads of what it copied
};

struct OverlayEntry {
  uint32_t archive = 0;  // number among the archives that were given
  uint32_t entry = 0;    // in its directory
  uint32_t asset = 0;    // in Content::assets

  bool operator==(const OverlayEntry&) const = default;
};

struct OverlayChoice {
  std::vector<OverlayEntry> entries;  // by archive, then by number in the directory
  // As if there had never been an overlay, and each read had been of the entry that wins.
  Profile profile;
  // Entries that recordings read and that stay where they are: their paths by reason.
  std::map<std::string, Told> left_out;
};

// An entry that another archive is certain to hide is left out unless it is long enough to have
// been meant: then it says that the engine has other rules, and its path stays as it is.
//
// `content` is scanned with keep_archives. `foreign`: keys (name_key) of entries of archives that
// lie in the overlay's folder and aren't content, which it would hide.
OverlayChoice choose_overlay_entries(const Profile& profile, const Content& content,
                                     std::span<const OverlaidArchive> archives,
                                     const ArchivePrecedence& precedence,
                                     const std::map<std::string, std::string>& foreign);

}  // namespace seekless
