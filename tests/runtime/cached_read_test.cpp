// Where the system doesn't tell what its cache holds, nothing is read from it alone.
#include "runtime/cached_read.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/content/test_folder.h"
#include "tests/runtime/memory_files.h"

namespace seekless::runtime {
namespace {

TEST(CachedRead, gives_the_right_bytes_or_none) {
  const TestFolder folder;
  const std::string content(10'000, 'x');
  const auto io = make_system_file_io();
  const auto file = io->open(folder.write("file", content));
  ASSERT_TRUE(file);
  std::string into(5000, '?');
  const bool is_read = read_cached(**file, 4000, std::as_writable_bytes(std::span(into)));
  EXPECT_TRUE(!is_read || into == content.substr(4000, 5000));
}

TEST(CachedRead, reads_nothing_beyond_the_end) {
  const TestFolder folder;
  const auto io = make_system_file_io();
  const auto file = io->open(folder.write("file", "short"));
  ASSERT_TRUE(file);
  std::string into(6, '?');
  EXPECT_FALSE(read_cached(**file, 0, std::as_writable_bytes(std::span(into))));
  EXPECT_FALSE(read_cached(**file, 1 << 20, std::as_writable_bytes(std::span(into))));
  EXPECT_FALSE(read_cached(**file, 0, {}));
}

TEST(CachedRead, leaves_files_without_a_descriptor_alone) {
  MemoryFiles files;
  files.files["file"] = "content";
  const auto file = files.open("file");
  std::string into(7, '?');
  EXPECT_FALSE(read_cached(**file, 0, std::as_writable_bytes(std::span(into))));
  EXPECT_TRUE(files.reads.empty());
}

}  // namespace
}  // namespace seekless::runtime
