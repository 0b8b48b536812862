// Linux refuses the ring's use after it was made, by a filter or because the ring is closed. Reads
// continue, and those that the kernel has taken are waited for.
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/runtime/io_engines.h"

namespace seekless::runtime {
namespace {

// From now on the calling thread, and threads that it starts, get this error for the call.
bool refuse(int call, int os_error) {
  std::array<sock_filter, 4> steps = {
      sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(call), 0, 1),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<uint32_t>(os_error)),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog filter = {steps.size(), steps.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0;
}

// A file whose bytes come only when a test gives them, so that a read stays with the kernel.
class GivenLater final : public File {
 public:
  GivenLater() { EXPECT_EQ(::pipe2(ends_.data(), O_CLOEXEC), 0); }
  ~GivenLater() override {
    for (const int end : ends_) ::close(end);
  }
  GivenLater(const GivenLater&) = delete;
  GivenLater& operator=(const GivenLater&) = delete;

  void give(std::string_view bytes) const {
    EXPECT_EQ(::write(ends_[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }

  const std::string& name() const override { return name_; }
  uint64_t size_bytes() const override { return UINT64_MAX; }
  Result<void> read_at(uint64_t offset, std::span<std::byte> into) const override {
    if (::read(ends_[0], into.data(), into.size()) == static_cast<ssize_t>(into.size())) return {};
    return std::unexpected(read_error(*this, offset, into.size(), errno));
  }
  void will_need(uint64_t, uint64_t) const override {}
  intptr_t descriptor() const override { return ends_[0]; }

 private:
  std::string name_ = "given later";
  std::array<int, 2> ends_ = {-1, -1};
};

std::set<int> open_numbers() {
  std::set<int> numbers;
  for (int number = 0; number < 1024; ++number)
    if (::fcntl(number, F_GETFD) != -1) numbers.insert(number);
  return numbers;
}

// Closes the engine's descriptors and gives their numbers to a file, like a game that closes
// everything it doesn't know and then opens its own files.
class NumbersTaken {
 public:
  NumbersTaken(const std::set<int>& before, const std::set<int>& after, const std::string& path) {
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    for (const int number : after)
      if (!before.contains(number)) {
        EXPECT_EQ(::dup2(file, number), number);
        numbers_.insert(number);
      }
    ::close(file);
  }
  NumbersTaken(const NumbersTaken&) = delete;
  NumbersTaken& operator=(const NumbersTaken&) = delete;
  ~NumbersTaken() {
    for (const int number : numbers_) ::close(number);
  }

  size_t count() const { return numbers_.size(); }
  void expect_untouched() const {
    for (const int number : numbers_) {
      struct stat status = {};
      EXPECT_EQ(::fstat(number, &status), 0) << "somebody closed it";
      EXPECT_EQ(status.st_size, 0) << "somebody wrote to it";
    }
  }

 private:
  std::set<int> numbers_;
};

class RefusedRing : public testing::Test {
 protected:
  // A filter lasts as long as its thread, so each test has its own thread.
  template <typename Work>
  void with_engine(Work work) {
    std::thread([&] {
      const std::set<int> before = open_numbers();
      engine = make_system_engine(4);
      own_numbers_before = before;
      own_numbers_after = open_numbers();
      if (engine != nullptr)
        work();
      else
        is_skipped = true;
      engine.reset();
    }).join();
    if (is_skipped) GTEST_SKIP() << "the system or the build has no ring, or no filters";
  }
  void refuse_ring(int os_error) {
    if (!refuse(SYS_io_uring_enter, os_error)) is_skipped = true;
  }

  struct OneRead {
    OneRead(const File& file, uint64_t offset, size_t size_bytes)
        : bytes(size_bytes), pieces{std::span(bytes)} {
      read.file = &file;
      read.offset_bytes = offset;
      read.pieces = pieces;
    }
    OneRead(const OneRead&) = delete;
    OneRead& operator=(const OneRead&) = delete;
    Bytes bytes;
    std::array<std::span<std::byte>, 1> pieces;
    IoRead read;
  };

  IoRead* reap_one() {
    IoRead* done = nullptr;
    for (int i = 0; i < 1000; ++i)
      if (engine->reap(std::span(&done, 1), 10) == 1) return done;
    return nullptr;
  }

  std::unique_ptr<File> file_of(const std::string& content) {
    return std::move(*make_system_file_io()->open(folder.write("f", content)));
  }

  // There are more reads than can run at once.
  void expect_reads(const File& file, const std::string& content) {
    constexpr size_t kReads = 20;
    std::vector<std::unique_ptr<OneRead>> reads;
    for (size_t i = 0; i < kReads; ++i) {
      reads.push_back(std::make_unique<OneRead>(file, i * 100, 100));
      engine->submit(reads.back()->read);
    }
    for (size_t i = 0; i < kReads; ++i) ASSERT_NE(reap_one(), nullptr);
    for (size_t i = 0; i < kReads; ++i) {
      EXPECT_FALSE(reads[i]->read.failure);
      EXPECT_TRUE(text_of(reads[i]->bytes) == content.substr(i * 100, 100));
    }
  }

  TestFolder folder;
  std::unique_ptr<IoEngine> engine;
  std::set<int> own_numbers_before;
  std::set<int> own_numbers_after;
  std::atomic<bool> is_skipped = false;
};

TEST_F(RefusedRing, is_not_made_where_its_use_is_refused) {
  for (const int os_error : {EPERM, ENOSYS, EAGAIN})
    std::thread([&] {
      if (!refuse(SYS_io_uring_enter, os_error)) return;
      EXPECT_EQ(make_system_engine(4), nullptr) << os_error;
    }).join();
}

TEST_F(RefusedRing, leaves_its_reads_to_threads) {
  const std::string content = noise(10000, 1);
  const auto file = file_of(content);
  for (const int os_error : {EPERM, ENOSYS, EINVAL, EBADF, EAGAIN, EINTR, 0})
    with_engine([&] {
      expect_reads(*file, content);
      refuse_ring(os_error);
      expect_reads(*file, content);
      expect_reads(*file, content);
    });
}

TEST_F(RefusedRing, still_has_what_the_kernel_took) {
  const std::string content = noise(10000, 2);
  const auto file = file_of(content);
  for (const int os_error : {EPERM, EAGAIN})
    with_engine([&] {
      const GivenLater later;
      OneRead taken(later, 0, 5);
      engine->submit(taken.read);
      refuse_ring(os_error);
      expect_reads(*file, content);
      later.give("given");
      EXPECT_EQ(reap_one(), &taken.read);
      EXPECT_FALSE(taken.read.failure);
      EXPECT_EQ(text_of(taken.bytes), "given");
    });
}

TEST_F(RefusedRing, ends_after_what_the_kernel_took) {
  with_engine([&] {
    const GivenLater later;
    OneRead taken(later, 0, 5);
    engine->submit(taken.read);
    refuse_ring(EPERM);
    std::atomic<bool> is_given = false;
    const std::jthread giver([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      is_given = true;
      later.give("given");
    });
    engine.reset();
    EXPECT_TRUE(is_given) << "its memory may be written to after it is gone";
    EXPECT_EQ(text_of(taken.bytes), "given");
  });
}

TEST_F(RefusedRing, is_woken_as_before) {
  with_engine([&] {
    refuse_ring(EPERM);
    const auto file = file_of("abc");
    OneRead one(*file, 0, 3);
    engine->submit(one.read);
    EXPECT_EQ(reap_one(), &one.read);
    IoRead* none = nullptr;
    engine->wake();
    EXPECT_EQ(engine->reap(std::span(&none, 1), IoEngine::kForEver), 0U);
    const std::jthread other([this] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      engine->wake();
    });
    EXPECT_EQ(engine->reap(std::span(&none, 1), IoEngine::kForEver), 0U);
  });
}

TEST_F(RefusedRing, closed_by_others_leaves_their_files_alone) {
  const std::string content = noise(10000, 3);
  const auto file = file_of(content);
  with_engine([&] {
    expect_reads(*file, content);
    const GivenLater later;
    OneRead taken(later, 0, 5);
    engine->submit(taken.read);
    const NumbersTaken theirs(own_numbers_before, own_numbers_after, folder.path("theirs"));
    EXPECT_EQ(theirs.count(), 2U) << "the ring and its event";
    engine->wake();
    expect_reads(*file, content);
    later.give("given");
    EXPECT_EQ(reap_one(), &taken.read);
    EXPECT_EQ(text_of(taken.bytes), "given");
    engine.reset();
    theirs.expect_untouched();
  });
}

TEST_F(RefusedRing, is_woken_though_it_was_closed_while_it_slept) {
  with_engine([&] {
    std::atomic<bool> is_woken = false;
    std::thread sleeper([&] {
      IoRead* none = nullptr;
      engine->reap(std::span(&none, 1), IoEngine::kForEver);
      is_woken = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const NumbersTaken theirs(own_numbers_before, own_numbers_after, folder.path("theirs"));
    EXPECT_FALSE(is_woken);
    engine->wake();
    sleeper.join();
    engine.reset();
    theirs.expect_untouched();
  });
}

}  // namespace
}  // namespace seekless::runtime
