// Finds where an overlay archive goes, and checks whether it would win there. Takes a game's
// archives and the requested name, before anything is chosen or written.
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
  std::string name;         // file name
  std::string folder = {};  // empty: the folder of the archives that win over the others
  WinningName winning = WinningName::last;
};

struct SiteArchive : OpenedArchive {
  RepackedArchive archive;
};

struct OverlaySite {
  std::string folder;
  std::string name;
  std::vector<SiteArchive> opened;
  std::vector<OverlaidArchive> archives;  // one for each opened archive
  ArchivePrecedence precedence;           // order of the same archives
  // Maps keys (name_key) of entries to the archive in the folder that holds them and isn't content.
  std::map<std::string, std::string> foreign;
  // The overlay that lies there already and is content, as an index in Content::sources.
  std::optional<uint32_t> replaced;
  ReadFiles read = {};  // the archives as they were before they were opened

  std::string path() const { return folder + "/" + name; }
};

// `archives` are those of plan_repack(). Errors: usage for a name that isn't valid or isn't certain
// to win; failed for another archive of that name, or another overlay.
Result<OverlaySite> find_overlay_site(const std::vector<RepackedArchive>& archives,
                                      const OverlayRequest& request);

}  // namespace seekless
