// Tests reads that the system refuses, or ends early.
#include <array>
#include <cerrno>
#include <span>
#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/runtime/io_engines.h"

namespace seekless::runtime {
namespace {

// The process's own memory as a file. Reads end early where the memory ends, and then fail with
// EIO, which never happens with files on a sound disk.
class OwnMemory final : public File {
 public:
  ~OwnMemory() override { ::close(descriptor_); }
  const std::string& name() const override { return name_; }
  uint64_t size_bytes() const override { return UINT64_MAX; }
  Result<void> read_at(uint64_t offset, std::span<std::byte> into) const override {
    while (!into.empty()) {
      const ssize_t got =
          ::pread(descriptor_, into.data(), into.size(), static_cast<off_t>(offset));
      if (got <= 0)
        return std::unexpected(read_error(*this, offset, into.size(), got < 0 ? errno : 0));
      offset += static_cast<uint64_t>(got);
      into = into.subspan(static_cast<size_t>(got));
    }
    return {};
  }
  void will_need(uint64_t, uint64_t) const override {}
  intptr_t descriptor() const override { return descriptor_; }

 private:
  std::string name_ = "own memory";
  int descriptor_ = ::open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
};

class IoEnginesOnMemory : public IoEngineTest {};

TEST_P(IoEnginesOnMemory, errors_of_the_system_are_handed_up) {
  const OwnMemory memory;
  Bytes bytes(100);
  const std::array<std::span<std::byte>, 1> pieces = {bytes};
  IoRead read = {.file = &memory, .offset_bytes = 0, .pieces = pieces};  // nothing is mapped at 0
  engine->submit(read);
  ASSERT_EQ(reap_one(), &read);
  ASSERT_TRUE(read.failure);
  EXPECT_EQ(read.failure->result, SKL_IO);
  EXPECT_EQ(read.failure->os_error, EIO);
}

TEST_P(IoEnginesOnMemory, reads_that_come_short_are_carried_on) {
  // Maps a page of a file, and one past the file's end, which can't be read.
  const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  const int descriptor = ::open(folder.write("m", std::string(page, 'x')).c_str(), O_RDONLY);
  void* memory = ::mmap(nullptr, 2 * page, PROT_READ, MAP_PRIVATE, descriptor, 0);
  ::close(descriptor);
  ASSERT_NE(memory, MAP_FAILED);
  const OwnMemory own;
  Bytes bytes(2 * page);
  const std::array<std::span<std::byte>, 1> pieces = {bytes};
  const uint64_t start = reinterpret_cast<uintptr_t>(memory);
  IoRead read = {.file = &own, .offset_bytes = start, .pieces = pieces};
  engine->submit(read);
  ASSERT_EQ(reap_one(), &read);
  ASSERT_TRUE(read.failure);
  EXPECT_EQ(read.failure->os_error, EIO);
  EXPECT_EQ(read.failure->offset_bytes, start + page) << "the error is after what came";
  EXPECT_EQ(text_of(bytes).substr(0, page), std::string(page, 'x'));
  ::munmap(memory, 2 * page);
}

INSTANTIATE_TEST_SUITE_P(Io, IoEnginesOnMemory, testing::Values("threads", "system"),
                         [](const auto& of) { return std::string(of.param); });

}  // namespace
}  // namespace seekless::runtime
