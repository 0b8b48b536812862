#include <algorithm>
#include <array>
#include <chrono>
#include <vector>

#include "packer/foresee/fetch_plan.h"
#include "packer/host/calls.h"
#include "packer/host/descriptor.h"
#include "packer/host/kept_elsewhere.h"
#include "packer/serve/in_memory.h"

namespace seekless {
namespace {

// A slower read comes from a disk, which takes a hundred times as long. The first slow read ends
// the check, so the check costs one seek at most.
constexpr auto kSlow = std::chrono::milliseconds(1);
constexpr size_t kMostReads = 200;

bool is_read_at_once(const std::string& path, uint64_t offset_bytes) {
  if (is_kept_elsewhere(path)) return false;  // reading would fetch it
  const auto begun = std::chrono::steady_clock::now();
  const Descriptor file(calls::open_to_read(path, false));
  std::array<std::byte, kSeenPageBytes> page;
  const bool was_read =
      file.get() >= 0 && calls::read_at(file.get(), page.data(), page.size(), offset_bytes) >= 0;
  return was_read && std::chrono::steady_clock::now() - begun < kSlow;
}

}  // namespace

// Windows doesn't tell what its cache holds. So this reads some pages, spread over all likely ones.
// Returns false if nothing is known about the game.
bool is_in_memory(const std::string& folder, const Learned& learned, std::span<const std::string>) {
  std::vector<PageKey> pages;
  for (const LearnedScenario& scenario : learned.scenarios) {
    const std::vector<PageKey> likely = likely_pages(scenario, {});
    pages.insert(pages.end(), likely.begin(), likely.end());
  }
  const size_t reads = std::min(pages.size(), kMostReads);
  for (size_t i = 0; i < reads; ++i) {
    const PageKey page = pages[i * pages.size() / reads];
    if (!is_read_at_once(folder + "/" + learned.files[file_of_page(page)],
                         number_of_page(page) * kSeenPageBytes))
      return false;
  }
  return reads > 0;
}

}  // namespace seekless
