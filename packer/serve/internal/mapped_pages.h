// Keeps fetched data mapped until the game asks for it. Some systems (Linux with DAMON) soon page
// out file data that no process maps, and reading each piece again would cost a seek.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

namespace seekless {

// Nothing is read through the mappings, so a truncated file or a failing disk can't crash the
// process. Any thread may call this.
class MappedPages {
 public:
  MappedPages() = default;
  ~MappedPages() { let_go(); }
  MappedPages(const MappedPages&) = delete;
  MappedPages& operator=(const MappedPages&) = delete;

  // Returns false if the process's address space is limited.
  static bool can_keep();

  // Maps a piece of an open file that is in memory. If that fails, or there are too many pieces,
  // the piece isn't kept.
  void keep(int file, uint64_t offset_bytes, uint64_t length_bytes);
  // Unmaps everything.
  void let_go();

 private:
  std::mutex mutex_;
  std::vector<std::span<std::byte>> mapped_;
};

}  // namespace seekless
