// Fetches what is foreseen, on a separate thread: originals into the system's memory, in the
// order of the disk, or sections of the shadow, checking each chunk. Reads wait for data that is on
// its way; data that they have waited for too long is fetched first.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
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
#include "packer/serve/internal/drive_activity.h"
#include "packer/serve/internal/far_reads.h"
#include "packer/serve/internal/few_open.h"
#include "packer/serve/internal/mapped_pages.h"

namespace seekless {

struct SweptBytes {
  uint64_t fetched_bytes = 0;
  uint64_t cached_bytes = 0;  // bytes that were in memory already
  uint64_t damaged_chunks = 0;
};

// Tells a sweep how to give way to others.
struct SweepManners {
  // The sweep pauses this long after another program's read from the disk: programs continue
  // reading within a few milliseconds, and a seek there and back takes twenty.
  std::chrono::milliseconds after_others = std::chrono::milliseconds(5);
  // After a pause, the sweep continues for this long before it pauses again, so that the disk reads
  // many small pieces in one pass.
  std::chrono::milliseconds turn = std::chrono::milliseconds(0);
  // Number of chunks that are requested from the system at once. While nobody waits for the sweep,
  // other programs read in between: the disk then reads all of these chunks before it serves the
  // next read of another program.
  size_t chunks_asked_for = 2;
  // Before its content, the sweep looks up all files' names in the order of the disk. Where opening
  // a file takes long, as on Windows, that would only delay it.
  bool looks_names_up = true;
  // The files are another machine's. There are no seeks, but each read takes a round trip: several
  // are under way at once, and nothing waits for the sweep, since it would only add to that.
  bool is_far = false;
  // Called before the sweep opens its first file, and after it has closed all. May be empty.
  std::function<void(bool)> holds_files = {};
  // Returns true once after each time that someone wanted a file which the sweep may hold open; the
  // sweep then closes all. May be empty.
  std::function<bool()> must_let_go = {};
  // Called by the sweeping thread before it reads a chunk. May be empty.
  std::function<void(const FetchChunk&)> fetches = {};
};

class Sweeper {
 public:
  // Others' reads are watched on the drives of the paths `drives_of`; empty: the folder's drive.
  // `files` are paths in the folder, indexed by number, and so are `names`. `shadow` may be empty.
  // Fetches at most `most_bytes`.
  Sweeper(std::string folder, std::vector<std::string> files, const std::string& shadow,
          uint64_t most_bytes, std::vector<LearnedName> names = {},
          const std::vector<std::string>& drives_of = {}, SweepManners manners = {});
  ~Sweeper();
  Sweeper(const Sweeper&) = delete;
  Sweeper& operator=(const Sweeper&) = delete;

  void add(FetchPlan plan);
  // Drops everything that was added and not fetched yet, and wakes those who wait for it.
  void give_up();
  bool is_busy() const { return is_busy_.load(std::memory_order_relaxed); }

  // Returns true if names are being looked up in the order of the disk.
  bool is_naming() const { return is_naming_.load(std::memory_order_relaxed); }
  // Waits until the names have been looked up, but at most this long, and in all waits together for
  // two seconds.
  void wait_for_names(std::chrono::milliseconds most);
  // If a sweep is on its way to these pages, waits until it has passed all of them, for at most
  // `most`. After that their chunks are fetched at once, for which it waits `hurry` more. Thus an
  // archive's directory at its end is read in a few long pieces. Pages right behind such a chunk
  // are fetched at once.
  void wait_for(std::span<const PageKey> pages, std::chrono::milliseconds most,
                std::chrono::milliseconds hurry);
  // Returns true if a sweep has fetched the page. This works for files of any owner, unlike asking
  // the system.
  bool has_brought(PageKey page) const;
  // Returns true if a sweep is on its way to the page.
  bool will_bring(PageKey page);
  // The sweep pauses while another read is under way, and for a moment after it if that read needed
  // the disk: a program that reads on there would otherwise make the disk seek back and forth for
  // each piece.
  void other_read_begins();
  void other_read_ends(bool needed_disk);
  // Says the same of a read that is over already.
  void other_read_was();
  // Fills `into` with the pages' copies, in this order, if all of them were fetched and found
  // intact.
  bool copy(std::span<const PageKey> pages, std::span<std::byte> into);

  // Unmaps what was swept, which otherwise stays mapped until the end.
  void let_go() { mapped_.let_go(); }

  SweptBytes swept() const;
  // Returns true if the shadow is there, and no fetched part of it was damaged.
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
    std::vector<bool> is_good;  // one for each chunk
    bool has_names = false;
    bool is_over = false;
    // Used by the sweeping thread only: once a chunk was asked for ahead, tells whether it was in
    // memory.
    std::vector<std::optional<bool>> was_cached;
  };
  void run(const std::stop_token& stop);
  // Waits while others read, unless that takes too long.
  void stand_aside(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);
  // Has the sweep pause after reads that don't pass through this process, such as those of other
  // folders. Needs no lock.
  void look_for_unseen_reads();
  void finish(Sweep& sweep, uint32_t chunk, bool is_good);
  void fetch_names_of(const Sweep& sweep, const std::stop_token& stop);
  bool fetch(const FetchChunk& chunk, bool was_cached);
  bool is_far(const Sweep& sweep) const { return manners_.is_far && !sweep.plan.is_shadow; }
  // Begins to fetch the next chunk of files on another machine. `lock` is released meanwhile.
  void begin_far(Sweep& sweep, std::unique_lock<std::mutex>& lock, const std::stop_token& stop);
  void begin_far_names(const Sweep& sweep, const std::stop_token& stop);
  bool is_dropped(const Sweep& sweep, const std::stop_token& stop);
  int descriptor_of(uint32_t file);
  void close_files();
  bool must_let_go();
  void close_wanted_files();
  void ask_ahead(Sweep& sweep, uint32_t chunk);
  // Returns the chunk of the first page that is still on its way.
  std::optional<std::pair<Sweep*, uint32_t>> awaited(std::span<const PageKey> pages);

  std::string folder_;
  std::vector<std::string> files_;
  std::vector<LearnedName> names_;
  FewOpen<Descriptor> opened_;
  Descriptor shadow_;
  uint64_t left_bytes_;
  std::vector<std::byte> buffer_;
  SweepManners manners_;
  bool holds_files_ = false;  // used by the sweeping thread only, like the next one
  bool must_let_go_ = false;  // true if files were wanted and haven't been closed since
  MappedPages mapped_;
  // Used by the sweeping thread only.
  OthersReads unseen_reads_;
  std::chrono::steady_clock::time_point looked_for_unseen_;
  std::chrono::steady_clock::time_point turn_ends_;

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Sweep> sweeps_;
  SweptBytes swept_;
  int others_reading_ = 0;  // number of reads that the sweep gives way to
  // The sweep also pauses until this time after the last of them.
  std::chrono::steady_clock::time_point others_read_;
  std::atomic<bool> is_busy_ = false;
  std::atomic<bool> is_naming_ = false;
  std::chrono::nanoseconds left_to_wait_for_names_ = std::chrono::seconds(2);
  FarReads far_;
  std::jthread sweeping_;
};

}  // namespace seekless
