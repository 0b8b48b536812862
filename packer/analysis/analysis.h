// What recorded traces show about reading, as plain values: made by TraceAnalyser and ColdReplay,
// turned into text, JSON and sentences. Sums that a trace's absurd figures would overflow stay at
// their greatest value. Paths and names are as recorded: make them clean before printing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "packer/drive/load_cost.h"

namespace seekless {

// A read below this is small: less than what Linux reads ahead at a time by default (read_ahead_kb
// = 128), so that the system decides what the disk reads, not the program.
inline constexpr uint64_t kSmallReadBytes = uint64_t{128} * 1024;
// A read of this size streams at 90 % of a hard disk's rate with a seek before each.
inline constexpr uint64_t kLongReadBytes = uint64_t{2} * 1024 * 1024;

struct SizeClass {
  uint64_t from_bytes = 0;  // to twice that, less one; a power of two
  uint64_t reads = 0;
  uint64_t bytes = 0;
};

// What was done to one file or one entry of an archive.
struct FileFigures {
  std::string path;     // an asset's for an entry
  std::string archive;  // the file that the entry lies in; empty for a file
  uint64_t reads = 0;   // that delivered something, as all below
  uint64_t bytes = 0;
  uint64_t needed_bytes = 0;  // different ones
  uint64_t opens = 0;         // successful; 0 for an entry
  uint64_t read_ns = 0;       // summed over threads, where durations are known

  uint64_t repeated_bytes() const { return bytes - needed_bytes; }
};

// Small reads of one thread, each beginning where the one before it in that file ended.
struct Chain {
  std::string path;
  uint64_t offset_bytes = 0;
  uint64_t bytes = 0;
  uint64_t reads = 0;
  uint32_t process = 0;
  uint32_t thread = 0;
  uint64_t times = 1;  // that the same place was read so
  std::string entry;   // where the chain begins, if the content is known

  // With reads of kLongReadBytes.
  uint64_t reads_needed() const { return bytes / kLongReadBytes + (bytes % kLongReadBytes != 0); }
  uint64_t reads_saved() const { return reads - reads_needed(); }
};

struct ChainTotal {
  uint64_t chains = 0;
  uint64_t reads = 0;
  uint64_t bytes = 0;
  uint64_t reads_saved = 0;
};

struct ThreadFigures {
  uint32_t process = 0;
  uint32_t thread = 0;
  uint64_t reads = 0;
  uint64_t bytes = 0;
  uint64_t read_ns = 0;
};

struct FailedPath {
  std::string path;
  uint64_t opens = 0;
  uint64_t ns = 0;
};

struct FailedProcess {
  uint32_t process = 0;
  uint64_t opens = 0;
  uint64_t ns = 0;
};

// In which order the places were read, over all threads.
struct OrderFigures {
  uint64_t file_changes = 0;  // reads of another file than the one before
  // The most reads, and the most bytes, of one file without a read of another in between.
  uint64_t longest_stretch_reads = 0;
  uint64_t longest_stretch_bytes = 0;
  // Reads that don't begin where the last one of their file ended.
  uint64_t forward_jumps = 0;
  uint64_t backward_jumps = 0;
  uint64_t median_jump_bytes = 0;
  uint64_t jumped_bytes = 0;  // the sum of their distances
};

struct TimeFigures {
  uint64_t span_ns = 0;      // from mark to mark, else from the first event to the end of the last
  uint64_t timed_reads = 0;  // whose duration is known
  uint64_t read_ns = 0;      // at least one of them was under way
  uint64_t summed_ns = 0;    // their durations, summed over threads
  uint64_t waits = 0;        // of reads, for a drive: waited_for_drive
  uint64_t wait_ns = 0;
  uint64_t most_at_once = 0;
  uint64_t late_events = 0;  // that begin before others that came long before them
};

// Which parts of the content the bytes belong to.
struct ContentFigures {
  uint64_t data_bytes = 0;
  uint64_t header_bytes = 0;     // local headers
  uint64_t directory_bytes = 0;  // central directories
  uint64_t hidden_bytes = 0;     // of entries that others hide
  uint64_t other_bytes = 0;      // of no entry
  uint64_t outside_bytes = 0;    // of other files
  uint64_t outside_reads = 0;
  uint64_t needed_bytes = 0;  // different ones of the content's files
  uint64_t entries = 0;       // of which something was read
  std::vector<FileFigures> top_entries;
  std::vector<FileFigures> top_repeated;  // entries and central directories
  std::vector<FileFigures> top_outside;   // files
};

// What the model says of these reads on a drive that has nothing in memory.
struct ColdFigures {
  LoadCost cost;              // the files lie side by side at the drive's start
  LoadCost scattered;         // they lie in one piece each, all over the drive
  uint64_t travel_bytes = 0;  // distance on the drive from the end of each read to the next one
  // The needed bytes of each file in one sweep where it lies: no order is faster.
  double bound_seconds = 0;
  double scattered_bound_seconds = 0;
};

// One recording of one scenario.
struct RunFigures {
  std::string trace;
  std::string scenario;
  uint64_t reads = 0;        // that delivered something
  uint64_t empty_reads = 0;  // that found the file's end
  uint64_t whole_files = 0;  // of the reads: those of which the trace knows the file alone
  uint64_t bytes = 0;
  uint64_t needed_bytes = 0;   // different ones
  uint64_t useless_reads = 0;  // without one byte that hadn't been read before
  uint64_t files = 0;          // with reads
  uint64_t opens = 0;          // successful
  uint64_t maps = 0;
  uint64_t mapped_bytes = 0;  // lengths of what was mapped; which pages were touched isn't known
  uint64_t failed_opens = 0;
  uint64_t failed_ns = 0;
  uint64_t small_reads = 0;  // below kSmallReadBytes
  uint64_t small_bytes = 0;
  uint64_t median_bytes = 0;
  uint64_t median_by_bytes = 0;  // half of the bytes come in reads of at most this size
  std::vector<SizeClass> sizes;
  ChainTotal chains;
  OrderFigures order;
  TimeFigures time;
  uint64_t threads = 0;
  std::optional<ContentFigures> content;  // where it was given
  std::optional<ColdFigures> cold;

  // The most important ones, best first.
  std::vector<FileFigures> top_files;     // by bytes
  std::vector<FileFigures> top_repeated;  // by bytes read again
  std::vector<Chain> top_chains;          // by reads saved
  std::vector<ThreadFigures> top_threads;
  std::vector<FailedPath> top_failed;
  std::vector<FailedProcess> top_failed_processes;

  uint64_t repeated_bytes() const { return bytes - needed_bytes; }
};

// All runs, each loaded once. What isn't known of a run counts as 0.
struct RunTotal {
  uint64_t reads = 0;
  uint64_t bytes = 0;
  uint64_t needed_bytes = 0;
  uint64_t span_ns = 0;
  uint64_t read_ns = 0;
  double cold_seconds = 0;
  double bound_seconds = 0;
};
RunTotal total_of(const std::vector<RunFigures>& runs);

struct Analysis {
  std::string drive;
  std::vector<RunFigures> runs;
  std::vector<std::string> assumptions;  // sentences
  std::vector<std::string> warnings;
};

}  // namespace seekless
