#include "packer/serve/cache_watch.h"

#include <chrono>
#include <string>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "packer/host/descriptor.h"
#include "packer/warm/system_cache.h"
#include "tests/content/test_folder.h"

namespace seekless {
namespace {

// A file that two starts have read, and that isn't in memory. The time of their reads was too short
// to measure.
TEST(CacheWatch, fetches_a_start_that_is_known_even_if_it_has_never_waited) {
  constexpr uint64_t kBytes = 100 * kSeenPageBytes;
  const TestFolder folder;
  const Descriptor file(::open(folder.write("data", std::string(kBytes, 'x')).c_str(), O_RDONLY));
  ::fsync(file.get());
  ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED);
  if (is_cached(file.get(), 0, kBytes)) GTEST_SKIP() << "the file can't be dropped from memory";
  Learned known;
  known.files = {"data"};
  known.scenarios.push_back({.name = "start", .runs = 2, .is_start = true, .pages = {}});
  for (uint64_t page = 0; page < 100; ++page)
    known.scenarios.front().pages.push_back({.page = page_key(0, page), .runs = 2});
  CacheWatch watch(folder.path(), {folder.path()});
  watch.begin(known, {.folder = folder.path(), .most_bytes = kBytes});
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!is_cached(file.get(), 0, kBytes) && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(is_cached(file.get(), 0, kBytes));
}

}  // namespace
}  // namespace seekless
