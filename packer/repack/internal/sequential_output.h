// Writes a file from front to back in long writes on its own thread, so that reading and checking
// continue meanwhile. It hashes what it writes.
#pragma once

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

#include "packer/base/error.h"
#include "packer/host/files.h"
#include "packer/host/pending_file.h"

namespace seekless {

class SequentialOutput {
 public:
  // `file` must outlive it.
  explicit SequentialOutput(const PendingFile& file);
  SequentialOutput(const SequentialOutput&) = delete;
  SequentialOutput& operator=(const SequentialOutput&) = delete;
  ~SequentialOutput();

  uint64_t position_bytes() const { return position_bytes_; }
  Result<void> append(std::string_view text);
  // Returns memory for the next bytes, at least one; valid until the next call.
  Result<std::span<std::byte>> room();
  // Takes the first `count` bytes of room() as written.
  void advance(size_t count);
  // Appends `count_bytes` of `source` from `at_bytes` on, and passes each piece of them to `see`.
  template <typename See>
  Result<void> append_from(const ByteSource& source, uint64_t at_bytes, uint64_t count_bytes,
                           See see) {
    while (count_bytes > 0) {
      SKL_TRY(const auto into, room());
      const auto piece = into.first(std::min<uint64_t>(into.size(), count_bytes));
      SKL_TRY_DO(source.read_at(at_bytes, piece));
      see(std::span<const std::byte>(piece));
      advance(piece.size());
      at_bytes += piece.size();
      count_bytes -= piece.size();
    }
    return {};
  }
  // Waits until everything is written; returns the XXH3-64 of the whole file. Must be called last.
  Result<uint64_t> finish();

 private:
  struct Buffer {
    std::vector<std::byte> bytes;
    size_t filled = 0;
    bool is_full = false;  // true while the writer has it
  };

  Result<void> hand_over();
  void write_all(const std::stop_token& stop);
  void fail(Error error);

  const PendingFile& file_;
  std::array<Buffer, 3> buffers_;
  size_t current_ = 0;
  uint64_t position_bytes_ = 0;
  uint64_t hash_ = 0;

  std::mutex mutex_;  // guards is_full of the buffers, and the members below
  std::condition_variable_any changed_;
  std::optional<Error> error_;
  bool is_ended_ = false;
  std::jthread writer_;  // last, because it uses all of the above
};

}  // namespace seekless
