// Fetches what is foreseen, on a thread of its own: originals into the system's memory, in the
// order of the disk, or sections of the shadow, each chunk checked. Reads of what is on its way
// wait for it; what they have waited for too long comes first.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "packer/foresee/fetch_order.h"
#include "packer/host/descriptor.h"
#include "packer/serve/internal/few_open.h"
#include "packer/serve/internal/mapped_pages.h"

namespace seekless {

struct SweptBytes {
  uint64_t fetched_bytes = 0;
  uint64_t cached_bytes = 0;  // that were in memory already
  uint64_t damaged_chunks = 0;
};

class Sweeper {
 public:
  // `files`: paths in the folder, by number. `shadow` may be empty. Fetches no more than
  // `most_bytes`.
  Sweeper(std::string folder, std::vector<std::string> files, const std::string& shadow,
          uint64_t most_bytes);
  ~Sweeper();
  Sweeper(const Sweeper&) = delete;
  Sweeper& operator=(const Sweeper&) = delete;

  void add(FetchPlan plan);
  // Nothing more of what was added is fetched, and nobody waits for it.
  void give_up();
  bool is_busy() const { return is_busy_.load(std::memory_order_relaxed); }

  // Whether names are being looked up in the order of the disk.
  bool is_naming() const { return is_naming_.load(std::memory_order_relaxed); }
  // Until that is over, but only for so long.
  void wait_for_names(std::chrono::milliseconds most);
  // Waits until the sweep has passed all of these pages, if it is on its way there, but only for so
  // long: then the sweep fetches their chunks at once, for which it has `hurry` more. A directory
  // at an archive's end is so read in a few long pieces. Pages right behind such a chunk come at
  // once.
  void wait_for(std::span<const PageKey> pages, std::chrono::milliseconds most,
                std::chrono::milliseconds hurry);
  // Whether a sweep has brought the page. Unlike the system, it tells that of anyone's files.
  bool has_brought(PageKey page) const;
  // Whether it is on its way.
  bool will_bring(PageKey page);
  // While a read of something else is under way, and for a moment after it if the disk was needed,
  // the sweep stands: who reads on there would otherwise send the disk to and fro for each piece.
  void other_read_begins();
  void other_read_ends(bool needed_disk);
  // Fills `into` with the pages' copies, in this order, if all of them were fetched and found good.
  bool copy(std::span<const PageKey> pages, std::span<std::byte> into);

  // What was swept stays mapped until now, or the end.
  void let_go() { mapped_.let_go(); }

  SweptBytes swept() const;
  // Whether the shadow is there, and none of what was fetched of it was damaged.
  bool is_shadow_good() const;

 private:
  struct Sweep {
    explicit Sweep(FetchPlan of)
        : plan(std::move(of)),
          order(plan.chunks),
          is_good(plan.chunks.size()),
          was_cached(plan.chunks.size()) {}
    Sweep(const Sweep&) = delete;
    Sweep& operator=(const Sweep&) = delete;

    const FetchPlan plan;
    FetchOrder order;
    std::vector<bool> is_good;  // by chunk, as the last
    bool has_names = false;
    bool is_over = false;
    // Of the sweeping thread alone: once a chunk was asked for ahead, whether it was in memory.
    std::vector<std::optional<bool>> was_cached;
  };
  void run(const std::stop_token& stop);
  // While others read, unless it lasts too long.
  void stand_aside(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);
  void finish(Sweep& sweep, uint32_t chunk, bool is_good);
  void fetch_names_of(const Sweep& sweep);
  bool fetch(const FetchChunk& chunk, bool was_cached);
  int descriptor_of(uint32_t file);
  void ask_ahead(Sweep& sweep, uint32_t chunk);
  // The chunk of the first of the pages that is still on its way.
  std::optional<std::pair<Sweep*, uint32_t>> awaited(std::span<const PageKey> pages);

  std::string folder_;
  std::vector<std::string> files_;
  FewOpen<Descriptor> opened_;
  Descriptor shadow_;
  uint64_t left_bytes_;
  std::vector<std::byte> buffer_;
  MappedPages mapped_;

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Sweep> sweeps_;
  SweptBytes swept_;
  int others_reading_ = 0;                             // reads that the sweep gives way to
  std::chrono::steady_clock::time_point others_read_;  // and until when after the last of them
  std::atomic<bool> is_busy_ = false;
  std::atomic<bool> is_naming_ = false;
  std::jthread sweeping_;
};

}  // namespace seekless
