// What the runs of a game have taught: which pages each scenario reads, in which order, and how
// often. Pure, but for its file.
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

// A page of a file, as one number: files are numbered by Learned::files.
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
  uint32_t runs = 0;  // of its scenario's, in which it was read

  bool operator==(const SeenPage&) const = default;
};

// A scenario that was loaded after another in the same session.
struct NextScenario {
  uint32_t scenario = 0;
  uint32_t times = 0;

  bool operator==(const NextScenario&) const = default;
};

struct LearnedScenario {
  std::string name;  // no other's
  uint32_t runs = 0;
  bool is_start = false;        // of the game; others are told by pauses
  std::vector<SeenPage> pages;  // each once, in the order of the last run; rarer ones after them
  // How long reads took, all in all: of the run in which it was new, and of the last one.
  double first_waited_s = 0;
  double last_waited_s = 0;
  std::vector<NextScenario> next = {};

  bool operator==(const LearnedScenario&) const = default;
};

// Whether half of the scenario's runs read it, or more.
inline bool is_likely(const SeenPage& seen, const LearnedScenario& scenario) {
  return seen.runs * 2 >= scenario.runs;
}

// Copies of a scenario's pages in the shadow, one after the other.
struct ShadowSection {
  uint32_t scenario = 0;  // kCore: what all of them share
  uint64_t offset_bytes = 0;
  std::vector<PageKey> pages;
  std::vector<uint64_t> hashes;  // XXH3 of each kShadowChunkBytes of it

  bool operator==(const ShadowSection&) const = default;
};
inline constexpr uint32_t kCore = UINT32_MAX;
inline constexpr uint64_t kShadowChunkBytes = uint64_t{1} << 20;

struct Shadow {
  std::string file;                 // its name in the state's folder; empty: there is none
  std::vector<ChangeStamp> stamps;  // by file: what it was like when it was copied
  std::vector<ShadowSection> sections;

  bool operator==(const Shadow&) const = default;
};

struct Learned {
  std::vector<std::string> files;   // relative to the game's folder
  std::vector<FileExtents> places;  // by file, as far as they were found; paths are left empty
  std::vector<LearnedScenario> scenarios;
  Shadow shadow;
};

// A run of some scenario: pages in the order in which they were first read, each once.
struct LearnedRun {
  bool is_start = false;
  std::vector<PageKey> pages;
  double waited_s = 0;   // for reads
  int64_t began_ns = 0;  // by whatever clock the caller has
};

// What a session loaded, and when it began.
struct LearnedLoad {
  uint32_t scenario = 0;
  int64_t began_ns = 0;

  bool operator==(const LearnedLoad&) const = default;
};

// The scenario whose pages are nearly the run's; nothing if there is none.
std::optional<uint32_t> same_scenario(const Learned& learned, const LearnedRun& run);

// Adds it to same_scenario(), or makes a new one. Returns its number. Pages that few runs read are
// dropped.
uint32_t learn(Learned& learned, const LearnedRun& run);

// All runs of a session, in their order, which is learned too. Where a slow machine made a pause
// within a load, its parts are put together again if they are known as one scenario. Returns the
// loads, each with its first part's time.
std::vector<LearnedLoad> learn_session(Learned& learned, std::span<const LearnedRun> runs);

// What is loaded after `scenario` more often than not, if it was so twice at least.
std::optional<uint32_t> usual_next(const Learned& learned, uint32_t scenario);

// What every start of the game reads in most runs; all of it if there is one kind of start.
PageKeys core_of(const Learned& learned);

// In the scenario's order: its pages that most runs read, without those of `without`.
std::vector<PageKey> likely_pages(const LearnedScenario& scenario, const PageKeys& without);

std::string to_text(const Learned& learned);
Result<Learned> parse_learned(std::string_view text, const std::string& file);

}  // namespace seekless
