// Reads pieces of files into the system's memory, several at a time, for folders on other machines,
// because even a small read waits for a round trip there.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace seekless {

struct FarPiece {
  std::string path;
  uint64_t offset_bytes = 0;
  uint64_t length_bytes = 0;  // 0: only the name is looked up
};

// The number of reads under way depends on how long they take: one more while they take little
// longer than the fastest one, one less when they wait for each other. So the game's own reads
// never wait behind many others. One thread calls these functions.
class FarReads {
 public:
  // `is_done` is called for each piece, from other threads, with the bytes that were read.
  explicit FarReads(std::function<void(uint64_t read_bytes)> is_done);
  // Doesn't wait for reads that a server keeps waiting: their threads are left alone. They no
  // longer call `is_done`.
  ~FarReads();
  FarReads(const FarReads&) = delete;
  FarReads& operator=(const FarReads&) = delete;

  // Begins to read a piece. Waits while too many are under way; returns false if `is_over` says so
  // meanwhile, or if there is no space for a single thread.
  bool begin(const FarPiece& piece, const std::function<bool()>& is_over);

 private:
  bool add_thread();

  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace seekless
