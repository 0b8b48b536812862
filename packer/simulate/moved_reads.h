// Changes recorded reads to fit archives whose entries have moved: each piece of a read goes to the
// new place of its entry or directory. A single read of header and data stays a single read. The
// new places come from a plan, before anything is written. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "packer/content/content.h"
#include "packer/content/locator.h"
#include "packer/trace/event.h"

namespace seekless {

inline constexpr uint32_t kSameFile = UINT32_MAX;

// Holds the new place of an entry. If it was deflated and is now stored, or the reverse, its data
// have another size; reads are scaled.
struct MovedEntry {
  uint64_t header_offset_bytes = 0;
  uint64_t data_offset_bytes = 0;
  uint64_t stored_bytes = 0;
  uint32_t file = kSameFile;  // kSameFile, or an index in MovedContent
};

struct MovedArchive {
  // Indexed by number in the central directory; if empty, nothing moves.
  std::vector<MovedEntry> entries;
  uint64_t directory_offset_bytes = 0;
  uint64_t size_bytes = 0;
  // The first is the path of an added archive. The second is for an added archive that a run may
  // have been recorded without: an index in Content::sources of the archive after which a game that
  // searches for archives finds it.
  std::string added_path = {};
  uint32_t found_after = kSameFile;

  bool is_moved() const { return !entries.empty() || size_bytes > 0; }
};

// Indexed by source of the content; after those come the added archives.
using MovedContent = std::vector<MovedArchive>;

uint64_t moved_size_bytes(const Content& content, const MovedContent& moved, uint32_t source);

// `events` are those of one run, in order; Event::path is a source of the content, and reads end
// within their files. If a read spills into entries that it isn't meant for (ReadCoverage), that
// part isn't moved, because those entries will lie elsewhere. The resulting reads end within the
// moved files.
//
// If an archive is opened only for entries that move to another file, that file is opened instead,
// and reads of the directory go to its directory. A game that searches all archives also reads the
// directory of an added one.
std::vector<Event> moved_reads(const Content& content, const Locator& locator,
                               const MovedContent& moved, std::span<const Event> events);

}  // namespace seekless
