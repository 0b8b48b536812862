// Holds what recorded traces show about reading, as plain values. TraceAnalyser and ColdReplay fill
// them in; they are turned into text, JSON and sentences. If absurd figures in a trace would
// overflow a sum, it stays at its maximum. Paths and names are as recorded: clean them before
// printing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "packer/drive/load_cost.h"

namespace seekless {

// Reads below this size count as small. Linux reads ahead by this much by default (read_ahead_kb =
// 128), so for them the system decides what the disk reads, not the program.
inline constexpr uint64_t kSmallReadBytes = uint64_t{128} * 1024;
// A read of this size, with a seek before it, streams at 90 % of a hard disk's rate.
inline constexpr uint64_t kLongReadBytes = uint64_t{2} * 1024 * 1024;

struct SizeClass {
  uint64_t from_bytes = 0;  // a power of two; the class ends below twice that
  uint64_t reads = 0;
  uint64_t bytes = 0;
};

// Holds figures on the use of one file or one entry of an archive.
struct FileFigures {
  std::string path;     // for an entry, its asset's path
  std::string archive;  // the file that holds the entry; empty for a file
  // Number of reads that returned bytes; the next figures count only these.
  uint64_t reads = 0;
  uint64_t bytes = 0;
  uint64_t needed_bytes = 0;  // distinct bytes
  uint64_t opens = 0;         // successful ones; 0 for an entry
  uint64_t read_ns = 0;       // summed over threads, where durations are known

  uint64_t repeated_bytes() const { return bytes - needed_bytes; }
};

// Describes a chain: small reads of one thread, each beginning where the thread's previous read of
// that file ended.
struct Chain {
  std::string path;
  uint64_t offset_bytes = 0;
  uint64_t bytes = 0;
  uint64_t reads = 0;
  uint32_t process = 0;
  uint32_t thread = 0;
  uint64_t times = 1;  // how often this chain was read
  std::string entry;   // entry where the chain begins, if the content is known

  // Returns how many reads of kLongReadBytes would do instead.
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

// Describes in which order places were read, over all threads.
struct OrderFigures {
  uint64_t file_changes = 0;  // reads whose previous read was of another file
  // The longest sequences of reads of one file without a read of another file in between.
  uint64_t longest_stretch_reads = 0;
  uint64_t longest_stretch_bytes = 0;
  // Counts reads that don't begin where the previous read of their file ended.
  uint64_t forward_jumps = 0;
  uint64_t backward_jumps = 0;
  uint64_t median_jump_bytes = 0;
  uint64_t jumped_bytes = 0;  // sum of the jumps' distances
};

struct TimeFigures {
  // The time between marks; without marks, from the first event to the end of the last.
  uint64_t span_ns = 0;
  uint64_t timed_reads = 0;  // reads with a known duration
  uint64_t read_ns = 0;      // time during which at least one of them was under way
  uint64_t summed_ns = 0;    // sum of the reads' durations over all threads
  uint64_t waits = 0;        // reads that waited for a drive: waited_for_drive
  uint64_t wait_ns = 0;
  uint64_t most_at_once = 0;
  uint64_t late_events = 0;  // events that came long after others with a later start
};

// Tells which parts of the content the bytes belong to.
struct ContentFigures {
  uint64_t data_bytes = 0;
  uint64_t header_bytes = 0;     // local headers
  uint64_t directory_bytes = 0;  // central directories
  uint64_t hidden_bytes = 0;     // data of entries that others hide
  uint64_t other_bytes = 0;      // bytes outside of entries
  uint64_t outside_bytes = 0;    // bytes of other files
  uint64_t outside_reads = 0;
  uint64_t needed_bytes = 0;  // distinct bytes of the content's files
  uint64_t entries = 0;       // entries that were read, wholly or in part
  std::vector<FileFigures> top_entries;
  std::vector<FileFigures> top_repeated;  // entries and central directories
  std::vector<FileFigures> top_outside;   // files
};

// Holds what the model predicts for these reads on a drive, with an empty page cache.
struct ColdFigures {
  LoadCost cost;              // cost with the files side by side at the drive's start
  LoadCost scattered;         // cost if the files lie all over the drive, each in one piece
  uint64_t travel_bytes = 0;  // distance on the drive from the end of each read to the next one
  // The time to sweep the needed bytes in the order of their places. No order is faster.
  double bound_seconds = 0;
  double scattered_bound_seconds = 0;
};

// One recording of one scenario.
struct RunFigures {
  std::string trace;
  std::string scenario;
  uint64_t reads = 0;        // reads that returned bytes
  uint64_t empty_reads = 0;  // reads at the end of a file
  uint64_t whole_files = 0;  // reads for which the trace only has the file
  uint64_t bytes = 0;
  uint64_t needed_bytes = 0;   // distinct bytes
  uint64_t useless_reads = 0;  // reads in which every byte had been read before
  uint64_t files = 0;          // files with reads
  uint64_t opens = 0;          // successful ones
  uint64_t maps = 0;
  uint64_t mapped_bytes = 0;  // lengths of mappings; which of their pages were touched isn't known
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
  std::optional<ContentFigures> content;  // set if content was given
  std::optional<ColdFigures> cold;

  // These lists hold the most important ones, best first.
  std::vector<FileFigures> top_files;     // sorted by bytes
  std::vector<FileFigures> top_repeated;  // sorted by bytes read again
  std::vector<Chain> top_chains;          // sorted by reads saved
  std::vector<ThreadFigures> top_threads;
  std::vector<FailedPath> top_failed;
  std::vector<FailedProcess> top_failed_processes;

  uint64_t repeated_bytes() const { return bytes - needed_bytes; }
};

// Sums all runs, each loaded once. Unknown figures of a run count as 0.
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
  std::vector<std::string> assumptions;  // whole sentences
  std::vector<std::string> warnings;
};

}  // namespace seekless
