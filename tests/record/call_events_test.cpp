#include "packer/record/internal/call_events.h"

#include <algorithm>
#include <cerrno>
#include <map>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/close_range.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

namespace seekless {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Answers from tables instead of /proc.
class MadeUpTracee final : public Tracee {
 public:
  std::map<int32_t, std::string> files;
  std::map<int32_t, uint64_t> positions;
  std::map<uint64_t, std::string> strings;
  std::map<uint64_t, uint64_t> numbers;
  std::string folder = "/home";

  std::optional<std::string> file_of(uint32_t, int32_t descriptor) override {
    return found(files, descriptor);
  }
  std::optional<std::string> folder_of(uint32_t, int32_t descriptor) override {
    return found(files, descriptor);
  }
  std::optional<std::string> working_folder(uint32_t) override { return folder; }
  uint64_t position_of(uint32_t, int32_t descriptor) override { return positions[descriptor]; }
  std::vector<int32_t> descriptors(uint32_t) override { return {}; }
  std::optional<uint64_t> read_number(uint32_t, uint64_t address) override {
    return found(numbers, address);
  }
  std::optional<std::string> read_string(uint32_t, uint64_t address) override {
    return found(strings, address);
  }

 private:
  template <typename Key, typename Value>
  static std::optional<Value> found(const std::map<Key, Value>& in, Key key) {
    const auto at = in.find(key);
    return at == in.end() ? std::nullopt : std::optional(at->second);
  }
};

constexpr uint64_t kNoFile = static_cast<uint64_t>(-1);

class Calls : public testing::Test {
 protected:
  Calls() {
    thread_.id = thread_.process = 7;
    thread_.files = std::make_shared<DescriptorTable>(total_);
  }

  // Returns true if the end of the call is waited for.
  bool begin(CallKind kind, std::array<uint64_t, 6> arguments) {
    EXPECT_TRUE(events_.begin(thread_, {kind, arguments}, ++now_ns_));
    return thread_.running.has_value();
  }
  void call(CallKind kind, std::array<uint64_t, 6> arguments, int64_t result) {
    if (!begin(kind, arguments)) return;
    EXPECT_TRUE(events_.end(thread_, result, ++now_ns_));
  }
  void open(int32_t descriptor, const std::string& path) {
    tracee_.files[descriptor] = path;
    call(CallKind::openat, {static_cast<uint64_t>(AT_FDCWD), 0, O_RDONLY}, descriptor);
  }
  // Returns the offset and length of each read.
  std::vector<std::pair<uint64_t, uint64_t>> reads() const {
    std::vector<std::pair<uint64_t, uint64_t>> found;
    for (const Event& event : trace_.events)
      if (event.kind == EventKind::read) found.emplace_back(event.offset_bytes, event.length_bytes);
    return found;
  }

  size_t total_ = 0;
  Trace trace_;
  EventWindow window_{trace_};
  MadeUpTracee tracee_;
  CallEvents events_{trace_, window_, tracee_};
  TracedThread thread_;
  int64_t now_ns_ = 0;
};

TEST_F(Calls, reads_begin_where_the_file_stands) {
  open(3, "/a");
  call(CallKind::read, {3}, 10);
  call(CallKind::pread, {3, 0, 0, 500}, 20);
  call(CallKind::preadv2, {3, 0, 0, kNoFile}, 30);
  call(CallKind::read, {3}, 0);
  call(CallKind::read, {3}, -EIO);
  EXPECT_THAT(trace_.paths, ElementsAre("/a"));
  EXPECT_THAT(reads(), ElementsAre(std::pair(0, 10), std::pair(500, 20), std::pair(10, 30)));
}

TEST_F(Calls, seeks_are_waited_for_only_where_their_end_must_tell) {
  open(3, "/a");
  EXPECT_FALSE(begin(CallKind::lseek, {3, 100, SEEK_SET}));
  call(CallKind::read, {3}, 1);
  EXPECT_FALSE(begin(CallKind::lseek, {3, static_cast<uint64_t>(-50), SEEK_CUR}));
  call(CallKind::read, {3}, 2);
  EXPECT_TRUE(begin(CallKind::lseek, {3, 0, SEEK_END}));
  ASSERT_TRUE(events_.end(thread_, 9000, now_ns_));
  call(CallKind::read, {3}, 3);
  EXPECT_TRUE(begin(CallKind::lseek, {3, static_cast<uint64_t>(-9999), SEEK_CUR})) << "fails";
  ASSERT_TRUE(events_.end(thread_, -EINVAL, now_ns_));
  EXPECT_TRUE(begin(CallKind::lseek, {3, static_cast<uint64_t>(INT64_MAX), SEEK_CUR}));
  ASSERT_TRUE(events_.end(thread_, -EOVERFLOW, now_ns_));
  call(CallKind::read, {3}, 4);
  EXPECT_THAT(reads(), ElementsAre(std::pair(100, 1), std::pair(51, 2), std::pair(9000, 3),
                                   std::pair(9003, 4)));
}

TEST_F(Calls, what_is_no_file_is_let_run_at_once) {
  EXPECT_FALSE(begin(CallKind::read, {5}));
  EXPECT_FALSE(begin(CallKind::lseek, {5, 0, SEEK_END}));
  EXPECT_FALSE(begin(CallKind::mmap, {0, 4096, PROT_READ, MAP_PRIVATE, 5, 0}));
  tracee_.files[5] = "/late";
  EXPECT_FALSE(begin(CallKind::read, {5})) << "it is known to be none until it is closed";
  call(CallKind::close, {5}, 0);
  EXPECT_TRUE(begin(CallKind::read, {5}));
  EXPECT_FALSE(begin(CallKind::read, {kNoFile}));
}

TEST_F(Calls, files_from_before_go_on_where_they_stand) {
  tracee_.files[0] = "/in";
  tracee_.positions[0] = 4000;
  call(CallKind::read, {0}, 5);
  call(CallKind::read, {0}, 6);
  EXPECT_THAT(reads(), ElementsAre(std::pair(4000, 5), std::pair(4005, 6)));
}

TEST_F(Calls, duplicates_share_the_position) {
  open(3, "/a");
  call(CallKind::dup, {3}, 4);
  call(CallKind::dup2, {4, 9}, 9);
  call(CallKind::fcntl, {9, F_DUPFD, 20}, 20);
  call(CallKind::dup, {3}, -EMFILE);
  for (const uint64_t descriptor : {3, 4, 9, 20}) call(CallKind::read, {descriptor}, 10);
  EXPECT_THAT(reads(), ElementsAre(std::pair(0, 10), std::pair(10, 10), std::pair(20, 10),
                                   std::pair(30, 10)));
}

TEST_F(Calls, a_number_is_free_when_close_begins) {
  open(3, "/a");
  call(CallKind::read, {3}, 10);
  call(CallKind::close, {3}, -EINTR);
  open(3, "/b");
  call(CallKind::read, {3}, 10);
  EXPECT_EQ(trace_.paths[trace_.events.back().path], "/b");
  open(4, "/a");
  call(CallKind::close_range, {3, UINT32_MAX, CLOSE_RANGE_CLOEXEC}, 0);
  EXPECT_TRUE(thread_.files->knows(4));
  call(CallKind::close_range, {3, UINT32_MAX, 0}, 0);
  EXPECT_FALSE(thread_.files->knows(3));
  EXPECT_FALSE(thread_.files->knows(4));
}

TEST_F(Calls, a_read_keeps_its_file_when_another_thread_closes_it) {
  open(3, "/a");
  ASSERT_TRUE(begin(CallKind::read, {3}));
  thread_.files->close(3);
  ASSERT_TRUE(events_.end(thread_, 10, ++now_ns_));
  EXPECT_THAT(reads(), ElementsAre(std::pair(0, 10)));
}

TEST_F(Calls, copies_read_where_their_argument_says) {
  open(3, "/a");
  tracee_.numbers[0x1000] = 700;
  call(CallKind::sendfile, {8, 3, 0x1000, 50}, 50);
  call(CallKind::sendfile, {8, 3, 0, 60}, 60);
  call(CallKind::copy_file, {3, 0x1000, 8, 0, 70, 0}, 70);
  call(CallKind::copy_file, {3, 0, 8, 0, 80, 0}, 80);
  EXPECT_THAT(reads(), ElementsAre(std::pair(700, 50), std::pair(0, 60), std::pair(700, 70),
                                   std::pair(60, 80)));
}

TEST_F(Calls, maps_count_when_they_succeed) {
  open(3, "/a");
  call(CallKind::mmap, {0, 8192, PROT_READ, MAP_PRIVATE, 3, 4096}, 0x7fff00000000);
  call(CallKind::mmap, {0, 8192, PROT_READ, MAP_PRIVATE, 3, 0}, -EACCES);
  ASSERT_EQ(trace_.events.size(), 2U);
  EXPECT_EQ(trace_.events[1].kind, EventKind::map);
  EXPECT_EQ(trace_.events[1].offset_bytes, 4096U);
  EXPECT_EQ(trace_.events[1].length_bytes, 8192U);
}

TEST_F(Calls, failed_opens_have_the_path_that_was_asked_for) {
  tracee_.strings[0x10] = "../etc/./x";
  tracee_.strings[0x20] = "y";
  tracee_.files[6] = "/folder";
  call(CallKind::openat, {static_cast<uint64_t>(AT_FDCWD), 0x10, O_RDONLY}, -ENOENT);
  call(CallKind::openat, {6, 0x20, O_RDONLY}, -EACCES);
  call(CallKind::open, {0x20, O_WRONLY}, -ENOENT);
  call(CallKind::open, {0x20, O_RDONLY}, -512);
  call(CallKind::open, {0x30, O_RDONLY}, -EFAULT);
  EXPECT_THAT(trace_.paths, ElementsAre("/etc/x", "/folder/y"));
  ASSERT_EQ(trace_.events.size(), 2U);
  EXPECT_EQ(trace_.events[0].os_error, ENOENT);
  EXPECT_EQ(trace_.events[1].os_error, EACCES);
}

TEST_F(Calls, a_file_opened_for_writing_is_no_event_until_it_is_read) {
  tracee_.files[3] = "/log";
  call(CallKind::creat, {0x10}, 3);
  EXPECT_THAT(trace_.events, IsEmpty());
  call(CallKind::read, {3}, 5);
  EXPECT_THAT(reads(), ElementsAre(std::pair(0, 5)));
}

TEST_F(Calls, unshared_tables_part) {
  open(3, "/a");
  const auto shared = thread_.files;
  call(CallKind::unshare, {CLONE_FS}, 0);
  EXPECT_EQ(thread_.files, shared);
  call(CallKind::unshare, {CLONE_FILES}, 0);
  EXPECT_NE(thread_.files, shared);
  call(CallKind::close, {3}, 0);
  EXPECT_TRUE(shared->knows(3));
}

TEST_F(Calls, places_beyond_any_file_are_no_events) {
  open(3, "/a");
  call(CallKind::pread, {3, 0, 0, UINT64_MAX - 5}, 10);
  call(CallKind::mmap, {0, UINT64_MAX, PROT_READ, MAP_PRIVATE, 3, 0}, 0x1000);
  EXPECT_EQ(trace_.events.size(), 1U) << "the open";
}

TEST_F(Calls, begin_in_the_order_of_their_start) {
  open(3, "/a");
  TracedThread other = thread_;
  other.id = 8;
  ASSERT_TRUE(begin(CallKind::pread, {3, 0, 0, 100}));
  ASSERT_TRUE(events_.begin(other, {CallKind::pread, {3, 0, 0, 200}}, ++now_ns_));
  ASSERT_TRUE(events_.end(other, 10, ++now_ns_));
  EXPECT_THAT(reads(), IsEmpty()) << "the other call began before";
  ASSERT_TRUE(events_.end(thread_, 10, ++now_ns_));
  EXPECT_THAT(reads(), ElementsAre(std::pair(100, 10), std::pair(200, 10)));
}

TEST_F(Calls, a_call_that_takes_long_holds_up_no_others) {
  open(3, "/a");
  TracedThread other = thread_;
  other.id = 8;
  ASSERT_TRUE(begin(CallKind::pread, {3, 0, 0, 100}));
  const int64_t later_ns = now_ns_ + 1;
  ASSERT_TRUE(events_.begin(other, {CallKind::pread, {3, 0, 0, 200}}, ++now_ns_));
  ASSERT_TRUE(events_.end(other, 10, ++now_ns_));
  ASSERT_TRUE(window_.stop_waiting_before(later_ns));
  EXPECT_THAT(reads(), ElementsAre(std::pair(200, 10)));
  ASSERT_TRUE(events_.end(thread_, 10, ++now_ns_));
  EXPECT_THAT(reads(), ElementsAre(std::pair(200, 10), std::pair(100, 10)));
}

}  // namespace
}  // namespace seekless
