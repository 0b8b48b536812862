#include "packer/simulate/moved_reads.h"

#include <algorithm>

#include "packer/content/read_coverage.h"

namespace seekless {
namespace {

constexpr uint32_t kNoAsset = UINT32_MAX;

bool is_of_asset(const Touch& touch) {
  return touch.part == TouchedPart::data || touch.part == TouchedPart::header;
}

// A part of old data, in terms of new ones.
uint64_t scaled(uint64_t offset_bytes, uint64_t old_bytes, uint64_t new_bytes) {
  if (old_bytes == new_bytes) return offset_bytes;
  if (offset_bytes >= old_bytes) return new_bytes;
  return static_cast<uint64_t>(static_cast<double>(offset_bytes) / static_cast<double>(old_bytes) *
                               static_cast<double>(new_bytes));
}

class Mover {
 public:
  Mover(const Content& content, const Locator& locator, const MovedContent& moved,
        std::span<const Event> events)
      : content_(content),
        locator_(locator),
        moved_(moved),
        events_(events),
        coverage_(content.assets.size()),
        is_reached_(content.assets.size(), false),
        last_end_(content.sources.size(), UINT64_MAX),
        last_asset_(content.sources.size(), kNoAsset) {}

  std::vector<Event> run() {
    for (const Event& event : events_) cover(event);
    for (const Event& event : events_) {
      if (event.kind == EventKind::open) {
        last_end_[event.path] = UINT64_MAX;
        result_.push_back(event);
      } else if (event.path >= moved_.size() || moved_[event.path].entries.empty()) {
        result_.push_back(event);
      } else {
        move(event);
      }
    }
    return std::move(result_);
  }

 private:
  void cover(const Event& event) {
    if (event.kind == EventKind::open) return;
    locator_.touched(event.path, event.offset_bytes, event.length_bytes, [&](const Touch& touch) {
      if (!is_of_asset(touch)) return;
      const Place& place = content_.assets[touch.index].place;
      if (touch.part == TouchedPart::header && place.size_bytes != 0) return;
      coverage_[touch.index].add(place, {event.offset_bytes, event.length_bytes},
                                 {touch.offset_bytes, touch.length_bytes});
    });
  }

  void move(const Event& event) {
    touches_.clear();
    locator_.touched(event.path, event.offset_bytes, event.length_bytes,
                     [this](const Touch& touch) { touches_.push_back(touch); });
    const uint32_t asset = wanted_asset(event);
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
    last_end_[event.path] = event.offset_bytes + event.length_bytes;
    last_asset_[event.path] = asset;
  }

  // An entry's header and its data, read in one go, are one piece.
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

  // One entry is read at a time. Of several in a read that is the one which goes on from the read
  // before; else the first that begins here and that no read was for yet; else the first that some
  // read was for.
  uint32_t wanted_asset(const Event& event) {
    const uint32_t last =
        last_end_[event.path] == event.offset_bytes ? last_asset_[event.path] : kNoAsset;
    uint32_t begins = kNoAsset;
    uint32_t reached = kNoAsset;
    uint32_t other = kNoAsset;
    for (const Touch& touch : touches_) {
      if (!is_of_asset(touch)) continue;
      if (touch.index == last) return last;
      if (!coverage_[touch.index].is_meant() && touches_.size() > 2) continue;
      uint32_t& kind = is_reached_[touch.index] ? reached : begins_in(touch) ? begins : other;
      if (kind == kNoAsset) kind = touch.index;
    }
    const uint32_t wanted = begins != kNoAsset ? begins : reached != kNoAsset ? reached : other;
    if (wanted != kNoAsset) is_reached_[wanted] = true;
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

  // The piece may be of the header, of data, or of both: then it is read in one go there, too, with
  // whatever room there is between them.
  void add_piece(const Event& event, const MovedEntry& to, uint64_t offset_bytes,
                 uint64_t length_bytes, const Place& from) {
    const uint64_t begin = moved_byte(to, from, offset_bytes, false);
    const uint64_t end = moved_byte(to, from, offset_bytes + length_bytes, true);
    if (begin < end) add(event, begin, end - begin);
  }

  // Where a byte of an entry will lie. Where data begin, header and data meet: which of them it is
  // depends on whether a piece begins or ends there.
  static uint64_t moved_byte(const MovedEntry& to, const Place& from, uint64_t at_bytes,
                             bool ends_there) {
    const uint64_t data = data_begin_bytes(from);
    if (at_bytes > data || (at_bytes == data && !ends_there))
      return to.data_offset_bytes + scaled(at_bytes - data, from.stored_bytes, to.stored_bytes);
    return to.header_offset_bytes + std::min(at_bytes - from.header_offset_bytes,
                                             to.data_offset_bytes - to.header_offset_bytes);
  }

  void add_directory(const Event& event, const Touch& touch) {
    const MovedArchive& archive = moved_[event.path];
    const uint64_t begin = archive.directory_offset_bytes + touch.offset_bytes -
                           content_.sources[event.path].directory_offset_bytes;
    if (begin >= archive.size_bytes) return;
    add(event, begin, std::min(touch.length_bytes, archive.size_bytes - begin));
  }

  void add(const Event& event, uint64_t offset_bytes, uint64_t length_bytes) {
    if (length_bytes == 0) return;
    Event& added = result_.emplace_back(event);
    added.offset_bytes = offset_bytes;
    added.length_bytes = length_bytes;
  }

  const Content& content_;
  const Locator& locator_;
  const MovedContent& moved_;
  const std::span<const Event> events_;
  std::vector<ReadCoverage> coverage_;  // by asset, of the whole run
  std::vector<bool> is_reached_;        // by asset: some read was for it
  std::vector<uint64_t> last_end_;      // by source: of the latest read since it was opened
  std::vector<uint32_t> last_asset_;
  std::vector<Touch> touches_;
  std::vector<Event> result_;
};

}  // namespace

uint64_t moved_size_bytes(const Content& content, const MovedContent& moved, uint32_t source) {
  const bool is_moved = source < moved.size() && !moved[source].entries.empty();
  return is_moved ? moved[source].size_bytes : content.sources[source].size_bytes;
}

std::vector<Event> moved_reads(const Content& content, const Locator& locator,
                               const MovedContent& moved, std::span<const Event> events) {
  return Mover(content, locator, moved, events).run();
}

}  // namespace seekless
