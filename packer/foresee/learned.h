// Holds what a game's runs have shown: which pages each scenario reads, in which order, and how
// often. Pure, except for its file.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "packer/base/error.h"
#include "packer/host/extents.h"
#include "packer/host/file_stamp.h"

namespace seekless {

inline constexpr uint64_t kSeenPageBytes = 4096;

// A page of a file, as one number. Learned::files numbers the files.
using PageKey = uint64_t;
inline constexpr unsigned kPageBits = 40;
inline PageKey page_key(uint32_t file, uint64_t page) {
  return uint64_t{file} << kPageBits | page;
}
inline uint32_t file_of_page(PageKey key) {
  return static_cast<uint32_t>(key >> kPageBits);
}
inline uint64_t number_of_page(PageKey key) {
  return key & ((uint64_t{1} << kPageBits) - 1);
}
using PageKeys = std::unordered_set<PageKey>;

struct SeenPage {
  PageKey page = 0;
  uint32_t runs = 0;  // number of the scenario's runs that read the page
  // True if a read of the last run began with this page. The pages that follow it in the order and
  // in the file belong to the same read, up to the next page that begins another one.
  bool begins_read = false;

  bool operator==(const SeenPage&) const = default;
};

// Describes a scenario that was loaded after another one in the same session.
struct NextScenario {
  uint32_t scenario = 0;
  uint32_t times = 0;

  bool operator==(const NextScenario&) const = default;
};

// A name that was looked up or listed; `page` is its number in Learned::names.
using SeenName = SeenPage;

// A file or folder whose name was looked up. If it ends in '/', it stands for a folder's list of
// names, which the disk reads to find any of them, or to find that one is missing.
struct LearnedName {
  std::string path;          // relative to the game's folder; '/' is that folder's own list
  uint64_t place_bytes = 0;  // place of the list on the disk; 0: unknown

  bool operator==(const LearnedName&) const = default;
};

struct LearnedScenario {
  std::string name;  // unique
  uint32_t runs = 0;
  bool is_start = false;  // true for the game's start; other scenarios are separated by pauses
  std::vector<SeenPage> pages;  // each once, in the order of the last run; rare pages come last
  // The time that all reads took together: in the first run, and in the last one.
  double first_waited_s = 0;
  double last_waited_s = 0;
  std::vector<NextScenario> next = {};
  std::vector<SeenName> names = {};  // as `pages`
  uint64_t last_pages = 0;           // how many of the first `pages` the last run read; 0: unknown

  bool operator==(const LearnedScenario&) const = default;
};

// Returns true if at least half of the scenario's runs read it.
inline bool is_likely(const SeenPage& seen, const LearnedScenario& scenario) {
  return seen.runs * 2 >= scenario.runs;
}

// Describes the copies of a scenario's pages in the shadow, which lie one after the other.
struct ShadowSection {
  uint32_t scenario = 0;  // kCore: the pages that all starts share
  uint64_t offset_bytes = 0;
  std::vector<PageKey> pages;
  std::vector<uint64_t> hashes;  // XXH3 of each kShadowChunkBytes of the section

  bool operator==(const ShadowSection&) const = default;
};
inline constexpr uint32_t kCore = UINT32_MAX;
inline constexpr uint64_t kShadowChunkBytes = uint64_t{1} << 20;

struct Shadow {
  std::string file;                 // file name in the state's folder; empty if there is no shadow
  std::vector<ChangeStamp> stamps;  // indexed by file: the file's stamp when it was copied
  std::vector<ShadowSection> sections;

  bool operator==(const Shadow&) const = default;
};

struct Learned {
  std::vector<std::string> files;  // relative to the game's folder
  // Indexed by file; empty for files that weren't found. Their paths stay empty.
  std::vector<FileExtents> places;
  // Indexed by file; empty if all places are known. The number under which the file system keeps a
  // file is mostly its order on the disk. 0: unknown, or not needed.
  std::vector<uint64_t> numbers = {};
  std::vector<LearnedName> names;
  std::vector<LearnedScenario> scenarios;
  Shadow shadow;
  // Hashes of the commands that started the game, the last one at the end. Another command may
  // start something that no run has read yet. The hashes are too short to confirm a guessed
  // password.
  std::vector<uint16_t> commands = {};
};

bool knows_command(const Learned& learned, std::span<const std::string> words);
// Forgets the oldest commands.
void note_command(Learned& learned, std::span<const std::string> words);

// Describes a run of some scenario: its pages in the order of their first reads, each once.
struct LearnedRun {
  bool is_start = false;
  std::vector<PageKey> pages;
  double waited_s = 0;               // time spent waiting for reads
  int64_t began_ns = 0;              // on the caller's clock
  std::vector<uint64_t> names = {};  // numbers in Learned::names, each once
  PageKeys read_begins = {};         // the pages with which reads begin; empty if that isn't known
};

// Describes a load of a session, and when it began.
struct LearnedLoad {
  uint32_t scenario = 0;
  int64_t began_ns = 0;

  bool operator==(const LearnedLoad&) const = default;
};

// Returns the scenario whose pages are nearly the same as the run's; nothing if there is none.
std::optional<uint32_t> same_scenario(const Learned& learned, const LearnedRun& run);

// Adds the run to same_scenario(), or makes a new scenario. Returns its number. Pages that few runs
// read are dropped.
uint32_t learn(Learned& learned, const LearnedRun& run);

// Learns all runs of a session, and their order. A slow machine may pause within a load; the load's
// parts are joined if together they are a known scenario. Returns the loads, each with its first
// part's time.
std::vector<LearnedLoad> learn_session(Learned& learned, std::span<const LearnedRun> runs);

// Returns the scenario that usually follows `scenario`: in more than half of the cases, and at
// least twice.
std::optional<uint32_t> usual_next(const Learned& learned, uint32_t scenario);

// Returns the pages that every kind of start of the game reads in most runs; all of a start's pages
// if there is only one kind.
PageKeys core_of(const Learned& learned);

// Returns the pages that most of the scenario's runs read, in its order, except those in `without`.
std::vector<PageKey> likely_pages(const LearnedScenario& scenario, const PageKeys& without);

// Returns the numbers of the names that most runs of every kind of start look up; for other
// scenarios, the names that most of their runs look up, except the starts' names.
std::vector<uint32_t> likely_names(const Learned& learned, uint32_t scenario);

std::string to_text(const Learned& learned);
Result<Learned> parse_learned(std::string_view text, const std::string& file);

}  // namespace seekless
