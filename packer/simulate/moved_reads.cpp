#include "packer/simulate/moved_reads.h"

#include <algorithm>
#include <optional>

#include "packer/base/none.h"
#include "packer/content/page_reads.h"
#include "packer/content/read_coverage.h"
#include "packer/simulate/internal/searching_events.h"

namespace seekless {
namespace {

bool is_of_asset(const Touch& touch) {
  return touch.part == TouchedPart::data || touch.part == TouchedPart::header;
}

// Scales an offset in old data to new data of another size.
uint64_t scaled(uint64_t offset_bytes, uint64_t old_bytes, uint64_t new_bytes) {
  if (old_bytes == new_bytes) return offset_bytes;
  if (offset_bytes >= old_bytes) return new_bytes;
  return static_cast<uint64_t>(static_cast<double>(offset_bytes) / static_cast<double>(old_bytes) *
                               static_cast<double>(new_bytes));
}

class ReadMover {
 public:
  ReadMover(const Content& content, const Locator& locator, const MovedContent& moved,
            std::span<const Event> events)
      : content_(content),
        locator_(locator),
        moved_(moved),
        events_(events),
        is_search_(searching_events(content, events)),
        coverage_(content.assets.size()),
        is_led_into_(content.assets.size(), false),
        is_reached_(content.assets.size(), false),
        last_end_(content.sources.size(), UINT64_MAX),
        last_asset_(content.sources.size(), kNone),
        opening_(content.sources.size(), 0),
        found_(archive_to_find()),
        has_other_file_(std::ranges::any_of(
            moved_, [](const MovedArchive& of) { return of.found_after != kSameFile; })) {}

  std::vector<Event> run() {
    for (size_t number = 0; number < events_.size(); ++number)
      if (!is_search_[number]) cover(events_[number]);
    find_wanted();
    find_openings();
    opening_.assign(opening_.size(), 0);
    result_.reserve(events_.size());
    for (size_t number = 0; number < events_.size(); ++number) {
      const Event& event = events_[number];
      note_search(event);
      if (event.kind == EventKind::open) {
        begin_opening(number);
        result_.push_back(event);
        result_.back().path = file_of_opening(event.path);
      } else if (!has_moved(event.path)) {
        result_.push_back(event);
      } else {
        move(event, wanted_[number]);
      }
    }
    end_search();
    return std::move(result_);
  }

 private:
  // Returns the added archive that a search for archives will find, if these events don't already
  // read it.
  uint32_t archive_to_find() const {
    const auto found = std::ranges::find_if(
        moved_, [](const MovedArchive& of) { return of.found_after != kSameFile; });
    const auto number = static_cast<uint32_t>(found - moved_.begin());
    const bool is_read = std::ranges::find(events_, number, &Event::path) != events_.end();
    return found == moved_.end() || is_read ? kSameFile : number;
  }

  bool has_moved(uint32_t source) const {
    return source < moved_.size() && !moved_[source].entries.empty();
  }

  void touch(const Event& event) {
    touches_.clear();
    locator_.touched(event.path, event.offset_bytes, event.length_bytes,
                     [this](const Touch& touch) { touches_.push_back(touch); });
  }

  // Finds the asset that each event is meant for.
  void find_wanted() {
    wanted_.assign(events_.size(), kNone);
    for (size_t number = 0; number < events_.size(); ++number) {
      const Event& event = events_[number];
      if (event.kind == EventKind::open) {
        last_end_[event.path] = UINT64_MAX;
      } else if (has_moved(event.path)) {
        touch(event);
        wanted_[number] = is_search_[number] ? kNone : wanted_asset(event);
        if (is_beside_directory(wanted_[number]) || is_read_ahead(wanted_[number]))
          wanted_[number] = kNone;
        last_end_[event.path] = event.offset_bytes + event.length_bytes;
        last_asset_[event.path] = wanted_[number];
      }
    }
  }

  // Returns true if the read is meant for the directory, although it touches the last entry, which
  // stays in its place and shares a page with the directory.
  bool is_beside_directory(uint32_t asset) const {
    if (!has_other_file_ || asset == kNone) return false;
    const bool is_of_directory = std::ranges::any_of(
        touches_, [](const Touch& touch) { return touch.part == TouchedPart::directory; });
    return is_of_directory && place_of(content_.assets[asset].place).file == kSameFile;
  }

  // Finds for each event that opens an archive the one file that holds all entries read until it is
  // opened again.
  void find_openings() {
    file_of_event_.assign(events_.size(), kSameFile);
    std::vector<bool> is_first(events_.size(), true);
    std::vector<bool> was_opened(content_.sources.size(), false);
    for (size_t number = 0; number < events_.size(); ++number) {
      const Event& event = events_[number];
      if (event.kind == EventKind::open) {
        begin_opening(number);
        // At the first opening, a game reads the archive's directory.
        is_first[number] = was_opened[event.path];
        was_opened[event.path] = true;
      }
      if (wanted_[number] == kNone || opening_[event.path] == 0) continue;
      const size_t opening = opening_[event.path] - 1;
      const uint32_t file = place_of(content_.assets[wanted_[number]].place).file;
      if (is_first[opening]) file_of_event_[opening] = file;
      if (file_of_event_[opening] != file) file_of_event_[opening] = kSameFile;
      is_first[opening] = false;
    }
  }

  void begin_opening(size_t number) { opening_[events_[number].path] = number + 1; }

  uint32_t file_of_opening(uint32_t source) const {
    const uint32_t file = opening_[source] == 0 ? kSameFile : file_of_event_[opening_[source] - 1];
    return file == kSameFile ? source : file;
  }

  // Notes whether a game searches for archives. The search lasts as long as it reads the directory
  // of the archive after which the added one is found.
  void note_search(const Event& event) {
    const bool is_of_directory =
        event.kind != EventKind::open && event.path < content_.sources.size() &&
        content_.sources[event.path].is_archive() &&
        event.offset_bytes >= content_.sources[event.path].directory_offset_bytes &&
        file_of_opening(event.path) == event.path;
    if (searching_ && (!is_of_directory || !is_found_after(event.path))) end_search();
    if (is_of_directory && is_found_after(event.path)) searching_ = event;
  }

  bool is_found_after(uint32_t source) const {
    return found_ != kSameFile && moved_[found_].found_after == source;
  }

  void end_search() {
    if (!searching_) return;
    Event event = *searching_;
    searching_.reset();
    event.path = found_;
    event.kind = EventKind::open;
    event.offset_bytes = event.length_bytes = 0;
    result_.push_back(event);
    const MovedArchive& archive = moved_[found_];
    event.kind = EventKind::read;
    event.offset_bytes = archive.directory_offset_bytes;
    event.length_bytes = archive.size_bytes - archive.directory_offset_bytes;
    result_.push_back(event);
  }

  // Returns true if only the system's read-ahead, in whole pages, touched the asset.
  bool is_read_ahead(uint32_t asset) const {
    return asset != kNone && pages_.are_all() &&
           is_only_read_ahead(is_led_into_[asset], coverage_[asset]);
  }

  void cover(const Event& event) {
    if (event.kind == EventKind::open) return;
    const ArchiveRead read = {event.offset_bytes, event.length_bytes};
    const uint64_t chain_begin =
        pages_.add(event.path, read, content_.sources[event.path].size_bytes);
    if (event.kind == EventKind::map) pages_.add_other();
    locator_.touched(event.path, event.offset_bytes, event.length_bytes, [&](const Touch& touch) {
      if (!is_of_asset(touch)) return;
      const Place& place = content_.assets[touch.index].place;
      if (touch.part == TouchedPart::header && place.size_bytes != 0) return;
      coverage_[touch.index].add(place, read, {touch.offset_bytes, touch.length_bytes});
      if (leads_into(place, read, chain_begin)) is_led_into_[touch.index] = true;
    });
  }

  void move(const Event& event, uint32_t asset) {
    touch(event);
    join_parts();
    for (const Touch& touch : touches_) {
      if (is_of_asset(touch)) {
        if (event.kind == EventKind::map || touch.index == asset) add_entry(event, touch);
      } else if (touch.part == TouchedPart::shadowed) {
        add_piece(event, place_of(content_.shadowed[touch.index].place), touch.offset_bytes,
                  touch.length_bytes, content_.shadowed[touch.index].place);
      } else if (touch.part == TouchedPart::directory) {
        add_directory(event, touch);
      }
    }
  }

  // Joins an entry's header and data into one piece if they were read together.
  void join_parts() {
    size_t kept = 0;
    for (const Touch& touch : touches_) {
      if (kept > 0 && is_of_asset(touch) && is_of_asset(touches_[kept - 1]) &&
          touches_[kept - 1].index == touch.index)
        touches_[kept - 1].length_bytes += touch.length_bytes;
      else
        touches_[kept++] = touch;
    }
    touches_.resize(kept);
  }

  // Returns the entry that a read is meant for. If the read touches several entries, it is meant
  // for the first of these that exists:
  // - the entry that the previous read was meant for, if this read continues it;
  // - the first entry beginning here that no read was meant for yet;
  // - the first entry that some read was meant for.
  uint32_t wanted_asset(const Event& event) {
    const uint32_t last =
        last_end_[event.path] == event.offset_bytes ? last_asset_[event.path] : kNone;
    if (has_other_file_)
      if (const uint32_t moved = first_wanted(last, true); moved != kNone) return moved;
    return first_wanted(last, false);
  }

  // With `only_other_files`, only assets that have moved to another file count. The read only
  // touched their neighbours, which stay.
  uint32_t first_wanted(uint32_t last, bool only_other_files) {
    uint32_t begins = kNone;
    uint32_t reached = kNone;
    uint32_t other = kNone;
    for (const Touch& touch : touches_) {
      if (!is_of_asset(touch)) continue;
      if (only_other_files && place_of(content_.assets[touch.index].place).file == kSameFile)
        continue;
      if (touch.index == last) return last;
      if (!coverage_[touch.index].is_meant() && touches_.size() > 2) continue;
      uint32_t& kind = is_reached_[touch.index] ? reached : begins_in(touch) ? begins : other;
      if (kind == kNone) kind = touch.index;
    }
    const uint32_t wanted = begins != kNone ? begins : reached != kNone ? reached : other;
    if (wanted != kNone) is_reached_[wanted] = true;
    return wanted;
  }

  bool begins_in(const Touch& touch) const {
    return touch.part == TouchedPart::header ||
           touch.offset_bytes <= data_begin_bytes(content_.assets[touch.index].place);
  }

  const MovedEntry& place_of(const Place& place) const {
    return moved_[place.source].entries[place.entry];
  }

  void add_entry(const Event& event, const Touch& touch) {
    const Place& place = content_.assets[touch.index].place;
    add_piece(event, place_of(place), touch.offset_bytes, touch.length_bytes, place);
  }

  // Adds the moved piece, which may lie in the header, in the data, or in both. A piece in both is
  // read as one in the new place, too, with the space between header and data.
  void add_piece(const Event& event, const MovedEntry& to, uint64_t offset_bytes,
                 uint64_t length_bytes, const Place& from) {
    const uint64_t begin = moved_byte(to, from, offset_bytes, false);
    const uint64_t end = moved_byte(to, from, offset_bytes + length_bytes, true);
    if (begin < end) add(event, to.file == kSameFile ? event.path : to.file, begin, end - begin);
  }

  // Returns the new place of an entry's byte. Header and data meet at one offset. A piece that ends
  // there belongs to the header, and one that begins there to the data.
  static uint64_t moved_byte(const MovedEntry& to, const Place& from, uint64_t at_bytes,
                             bool ends_there) {
    const uint64_t data = data_begin_bytes(from);
    if (at_bytes > data || (at_bytes == data && !ends_there))
      return to.data_offset_bytes + scaled(at_bytes - data, from.stored_bytes, to.stored_bytes);
    return to.header_offset_bytes + std::min(at_bytes - from.header_offset_bytes,
                                             to.data_offset_bytes - to.header_offset_bytes);
  }

  void add_directory(const Event& event, const Touch& touch) {
    const Source& from = content_.sources[event.path];
    const uint32_t file = file_of_opening(event.path);
    const MovedArchive& archive = moved_[file];
    const uint64_t from_bytes = from.size_bytes - from.directory_offset_bytes;
    const uint64_t to_bytes = archive.size_bytes - archive.directory_offset_bytes;
    uint64_t at = touch.offset_bytes - from.directory_offset_bytes;
    // A read at a file's end becomes a read at the other file's end; all others are scaled.
    if (file != event.path && at + touch.length_bytes == from_bytes)
      at = to_bytes - std::min(to_bytes, touch.length_bytes);
    else if (file != event.path)
      at = scaled(at, from_bytes, to_bytes);
    if (at >= to_bytes) return;
    add(event, file, archive.directory_offset_bytes + at,
        std::min(touch.length_bytes, to_bytes - at));
  }

  void add(const Event& event, uint32_t file, uint64_t offset_bytes, uint64_t length_bytes) {
    if (length_bytes == 0) return;
    Event& added = result_.emplace_back(event);
    added.path = file;
    added.offset_bytes = offset_bytes;
    added.length_bytes = length_bytes;
  }

  const Content& content_;
  const Locator& locator_;
  const MovedContent& moved_;
  const std::span<const Event> events_;
  const std::vector<bool> is_search_;   // indexed by event
  std::vector<ReadCoverage> coverage_;  // indexed by asset, over the whole run
  PageReads pages_;                     // all reads but searches
  std::vector<bool> is_led_into_;       // indexed by asset: reads of whole pages lead into it
  std::vector<bool> is_reached_;        // indexed by asset: some read was meant for it
  std::vector<uint64_t> last_end_;  // indexed by source: end of the latest read since it was opened
  std::vector<uint32_t> last_asset_;
  std::vector<uint32_t> wanted_;         // indexed by event
  std::vector<uint32_t> file_of_event_;  // indexed by event that opens a file
  std::vector<size_t> opening_;          // indexed by source: the event that opened it last, plus 1
  const uint32_t found_;
  const bool has_other_file_;  // true if some archive is read in place of others
  std::optional<Event> searching_;
  std::vector<Touch> touches_;
  std::vector<Event> result_;
};

}  // namespace

uint64_t moved_size_bytes(const Content& content, const MovedContent& moved, uint32_t source) {
  const bool is_moved = source < moved.size() && moved[source].is_moved();
  return is_moved ? moved[source].size_bytes : content.sources[source].size_bytes;
}

std::vector<Event> moved_reads(const Content& content, const Locator& locator,
                               const MovedContent& moved, std::span<const Event> events) {
  return ReadMover(content, locator, moved, events).run();
}

}  // namespace seekless
