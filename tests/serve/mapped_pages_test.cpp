#include "packer/serve/internal/mapped_pages.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>

#include "packer/host/descriptor.h"
#include "tests/content/test_folder.h"

namespace seekless {
namespace {

constexpr size_t kPage = 4096;

// Returns how many KiB of the file this process has mapped, counting only pages in memory.
uint64_t mapped_kib(const std::string& path) {
  std::ifstream maps("/proc/self/smaps");
  uint64_t kib = 0;
  bool is_of_file = false;
  for (std::string line; std::getline(maps, line);) {
    if (line.find('-') < line.find(' ')) is_of_file = line.ends_with(path);
    if (is_of_file && line.starts_with("Rss:")) kib += std::stoull(line.substr(4));
  }
  return kib;
}

struct Kept {
  TestFolder folder;
  std::string path = folder.write("data", std::string(64 * kPage, 'x'));
  Descriptor file{::open(path.c_str(), O_RDONLY)};
  MappedPages pages;
};

TEST(MappedPages, are_mapped_until_they_are_let_go) {
  if (!MappedPages::can_keep()) GTEST_SKIP() << "the address space is limited";
  Kept kept;
  kept.pages.keep(kept.file.get(), 5 * kPage + 7, 10 * kPage);
  EXPECT_EQ(mapped_kib(kept.path), 11 * kPage / 1024);
  kept.pages.let_go();
  EXPECT_EQ(mapped_kib(kept.path), 0U);
}

TEST(MappedPages, what_isnt_there_any_more_isnt_kept_and_does_no_harm) {
  Kept kept;
  std::filesystem::resize_file(kept.path, kPage);
  kept.pages.keep(kept.file.get(), 2 * kPage, 10 * kPage);
  kept.pages.keep(-1, 0, kPage);
  kept.pages.keep(kept.file.get(), 0, 0);
  EXPECT_EQ(mapped_kib(kept.path), 0U);
}

}  // namespace
}  // namespace seekless
