// Takes the records of one process from the memory that it shares with the recorder. Nothing in
// that memory is trusted, because the recorded program can write to it.
#pragma once

#include <optional>
#include <string>

#include "packer/record/internal/ring.h"

namespace seekless {

struct FileRecord {
  RecordKind kind = RecordKind::open;
  uint32_t thread = 0;
  uint32_t flags = 0;
  int64_t start_ticks = 0;
  int64_t end_ticks = 0;
  uint64_t handle = 0;
  uint64_t offset = 0;
  uint64_t length = 0;
  uint64_t other = 0;
  std::u16string text = {};
};

class RingReader {
 public:
  // `memory` has kRingBytes, is aligned like a slot, and must outlive this object.
  explicit RingReader(void* memory);

  // Returns the next complete record; nothing if there is none yet.
  std::optional<FileRecord> take();
  // Notes that the process has ended. Records that it began but never finished are skipped from now
  // on.
  void writer_has_ended() { has_writer_ = false; }

  RingHeader& header() { return *header_; }
  // Counts records that were never finished.
  uint64_t lost() const { return lost_; }

 private:
  FileRecord copy_at(uint32_t number, uint32_t text_slots) const;
  void give_back();

  RingHeader* header_;
  RecordSlot* slots_;
  uint32_t next_ = 0;
  uint32_t seen_head_ = 0;  // copied rarely, because every written record changes the original
  uint32_t given_back_ = 0;
  bool has_writer_ = true;
  bool is_passing_over_ = false;
  uint64_t lost_ = 0;
};

}  // namespace seekless
