// What was fetched stays mapped until it was asked for: some systems page out early what files have
// in memory that no process maps (Linux with DAMON), and each piece of it would be a seek.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

namespace seekless {

// Nothing is read through the mappings, so a file that is cut off, or a disk that fails, can't hurt
// the process. Any thread may call.
class MappedPages {
 public:
  MappedPages() = default;
  ~MappedPages() { let_go(); }
  MappedPages(const MappedPages&) = delete;
  MappedPages& operator=(const MappedPages&) = delete;

  // Not where the process's address space is limited.
  static bool can_keep();

  // A piece of an open file that is in memory. Where it can't be, or there are many such pieces, it
  // isn't kept.
  void keep(int file, uint64_t offset_bytes, uint64_t length_bytes);
  // All of it.
  void let_go();

 private:
  std::mutex mutex_;
  std::vector<std::span<std::byte>> mapped_;
};

}  // namespace seekless
