// Tests that a lease notices everybody who has a file open, and ends once somebody opens it.
#include "packer/place/internal/lease.h"

#include <cerrno>
#include <optional>
#include <string>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include "packer/host/descriptor.h"
#include "tests/content/test_folder.h"
#include "tests/place/trusted_file_system.h"

namespace seekless {
namespace {

constexpr size_t kPage = 4096;

class LeaseTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!tells_who_has_files_open(folder_.path())) GTEST_SKIP() << kUntold;
    path_ = folder_.write("file", std::string(kPage, 'x'));
    file_.emplace(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  }
  int open(int access) const { return ::open(path_.c_str(), access | O_CLOEXEC); }
  bool is_given(Lease::Against whom) const { return Lease::take(file_->get(), whom).has_value(); }

  TestFolder folder_;
  std::string path_;
  std::optional<Descriptor> file_;
};

TEST_F(LeaseTest, is_given_where_nobody_has_the_file_open) {
  EXPECT_TRUE(is_given(Lease::Against::writers));
  EXPECT_TRUE(is_given(Lease::Against::everybody));
}

TEST_F(LeaseTest, against_everybody_is_refused_where_somebody_reads) {
  const Descriptor reader(open(O_RDONLY));
  EXPECT_TRUE(is_given(Lease::Against::writers));
  EXPECT_FALSE(is_given(Lease::Against::everybody));
}

TEST_F(LeaseTest, is_refused_where_somebody_writes) {
  const Descriptor writer(open(O_WRONLY | O_APPEND));
  EXPECT_FALSE(is_given(Lease::Against::writers));
  EXPECT_FALSE(is_given(Lease::Against::everybody));
}

// A store to mapped memory is a write, too.
TEST_F(LeaseTest, is_refused_where_it_is_mapped_and_closed) {
  void* memory = MAP_FAILED;
  {
    const Descriptor writer(open(O_RDWR));
    memory = ::mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED, writer.get(), 0);
    ASSERT_NE(memory, MAP_FAILED);
  }
  EXPECT_FALSE(is_given(Lease::Against::writers));
  EXPECT_FALSE(is_given(Lease::Against::everybody));
  ::munmap(memory, kPage);
  EXPECT_TRUE(is_given(Lease::Against::everybody));
}

TEST_F(LeaseTest, holds_until_somebody_opens_the_file_who_waits_for_its_end) {
  auto lease = Lease::take(file_->get(), Lease::Against::everybody);
  ASSERT_TRUE(lease);
  EXPECT_TRUE(lease->holds());
  EXPECT_EQ(::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC), -1);
  EXPECT_EQ(errno, EWOULDBLOCK);
  EXPECT_FALSE(lease->holds());
  int opened = -1;
  std::thread other([&] { opened = open(O_WRONLY); });
  { const Lease ended = *std::move(lease); }
  other.join();
  EXPECT_GE(opened, 0);
  const Descriptor closed(opened);
}

}  // namespace
}  // namespace seekless
