// Where an overlay archive goes, and whether it would win there: from a game's archives and the
// name that was asked for, to what is known of the place before anything is chosen or written.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "packer/base/error.h"
#include "packer/content/content.h"
#include "packer/host/file_stamp.h"
#include "packer/repack/archive_precedence.h"
#include "packer/repack/archive_set.h"
#include "packer/repack/internal/overlay_entries.h"
#include "packer/repack/overlay_file.h"

namespace seekless {

struct OverlayRequest {
  std::string name;         // of the file
  std::string folder = {};  // empty: that of the archives that win over the others
  WinningName winning = WinningName::last;
};

struct SiteArchive : OpenedArchive {
  RepackedArchive archive;
};

struct OverlaySite {
  std::string folder;
  std::string name;
  std::vector<SiteArchive> opened;
  std::vector<OverlaidArchive> archives;  // of each opened one
  ArchivePrecedence precedence;           // of the same
  // Keys of entries (name_key) of archives in the folder that aren't content: which one it is.
  std::map<std::string, std::string> foreign;
  // The overlay that lies there already and is content, as a number in Content::sources.
  std::optional<uint32_t> replaced;
  ReadFiles read = {};  // the archives, since before they were opened

  std::string path() const { return folder + "/" + name; }
};

// `archives` are those of plan_repack(). Errors: usage for a name that isn't certain to win, or
// that isn't one; failed for another archive of that name, or another overlay.
Result<OverlaySite> find_overlay_site(const std::vector<RepackedArchive>& archives,
                                      const OverlayRequest& request);

}  // namespace seekless
