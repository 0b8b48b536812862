// Recorded reads as they would be if archives' entries lay elsewhere: each piece of a read goes
// where its entry will be, or the directory. One read of header and data stays one read. From a
// plan, before anything is written. Pure.
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

// Where an entry will lie. Fewer or more bytes of data than before: it is stored where it was
// deflated, or the other way round; reads are scaled.
struct MovedEntry {
  uint64_t header_offset_bytes = 0;
  uint64_t data_offset_bytes = 0;
  uint64_t stored_bytes = 0;
  uint32_t file = kSameFile;  // or a number in MovedContent
};

struct MovedArchive {
  std::vector<MovedEntry> entries;  // by number in the central directory; empty: nothing moves
  uint64_t directory_offset_bytes = 0;
  uint64_t size_bytes = 0;
  // Of an archive that is added: what it is called; and of one that a run may have been recorded
  // without, with which other one a game that looks for archives finds it, a number in
  // Content::sources.
  std::string added_path = {};
  uint32_t found_after = kSameFile;

  bool is_moved() const { return !entries.empty() || size_bytes > 0; }
};

// By source of the content; after those come archives that are added.
using MovedContent = std::vector<MovedArchive>;

uint64_t moved_size_bytes(const Content& content, const MovedContent& moved, uint32_t source);

// `events` are of one run, in its order, on sources of the content (Event::path), and end within
// them. What reads spill into entries that they aren't meant for (ReadCoverage) isn't moved: it
// won't lie there any more. The result ends within the moved files.
//
// Where an archive is opened only for entries that move to another file, that one is opened in its
// place, and what the opening reads of the directory is read of the other's. A game that looks
// through all archives reads the directory of an added one, too.
std::vector<Event> moved_reads(const Content& content, const Locator& locator,
                               const MovedContent& moved, std::span<const Event> events);

}  // namespace seekless
