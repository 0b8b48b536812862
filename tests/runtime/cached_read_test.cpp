// Tests that nothing is read from the cache alone if the system doesn't tell what its cache holds.
#include "runtime/cached_read.h"

#include <string>

#include <gtest/gtest.h>
#ifdef __linux__
#include <cerrno>

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#endif

#include "tests/content/test_folder.h"
#include "tests/pack/set_maker.h"
#include "tests/runtime/memory_files.h"

namespace seekless::runtime {
namespace {

// Returns true if the system says what its cache holds of this file, and can read from it alone.
bool cache_is_told(const std::string& path) {
#ifdef RWF_NOWAIT
  constexpr long kCachestatCall = 451;
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  uint64_t range[2] = {0, 1};
  uint64_t found[5] = {};
  const bool is_told = ::syscall(kCachestatCall, descriptor, range, found, 0U) == 0;
  char byte = 0;
  const iovec one = {&byte, 1};
  const bool is_read = ::preadv2(descriptor, &one, 1, 0, RWF_NOWAIT) == 1 || errno == EAGAIN;
  ::close(descriptor);
  return is_told && is_read;
#else
  return path.empty();
#endif
}

TEST(CachedRead, gives_what_was_just_written) {
  const TestFolder folder;
  const std::string content = noise(10'000, 1);
  const std::string path = folder.write("file", content);
  if (!cache_is_told(path)) GTEST_SKIP() << "the system doesn't tell what its cache holds";
  const auto io = make_system_file_io();
  const auto file = io->open(path);
  ASSERT_TRUE(file);
  std::string into(5000, '?');
  EXPECT_TRUE(read_cached(**file, 4000, std::as_writable_bytes(std::span(into))));
  EXPECT_TRUE(into == content.substr(4000, 5000));
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
