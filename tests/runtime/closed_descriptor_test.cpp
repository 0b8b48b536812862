// Other code closes the reader's descriptors, and one of its own files gets their numbers. Nothing
// may write to that file, read it or close it, and nothing may wait for ever.
#include <cerrno>
#include <fstream>
#include <memory>
#include <span>
#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/descriptor_posix.h"
#include "runtime/file_io.h"
#include "runtime/folder_watch.h"
#include "runtime/wait_handle.h"
#include "tests/content/test_folder.h"

namespace seekless::runtime {
namespace {

// Puts another file in place of the one that the number stood for.
class Theirs {
 public:
  Theirs(int number, const std::string& path) : number_(number) {
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    EXPECT_EQ(::write(file, "theirs", 6), 6);
    ::lseek(file, 0, SEEK_SET);
    EXPECT_EQ(::dup2(file, number), number);
    if (file != number) ::close(file);
  }
  ~Theirs() {
    struct stat status = {};
    EXPECT_EQ(::fstat(number_, &status), 0) << "somebody closed it";
    EXPECT_EQ(status.st_size, 6) << "somebody wrote to it";
    EXPECT_EQ(::lseek(number_, 0, SEEK_CUR), 0) << "somebody read it";
    ::close(number_);
  }
  Theirs(const Theirs&) = delete;
  Theirs& operator=(const Theirs&) = delete;

 private:
  const int number_;
};

// Returns the number that the next file gets.
int next_number() {
  const int number = ::dup(STDERR_FILENO);
  ::close(number);
  return number;
}

TEST(ClosedDescriptor, is_known) {
  const TestFolder folder;
  Descriptor opened(::open(folder.write("a", "abc").c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_TRUE(opened.is_own());
  ::close(opened.number());
  EXPECT_FALSE(opened.is_own());
  const Theirs theirs(opened.number(), folder.path("theirs"));
  EXPECT_FALSE(opened.is_own());
  { const Descriptor ends(std::move(opened)); }
}

TEST(ClosedDescriptor, of_a_file_that_is_read_is_left_alone) {
  const TestFolder folder;
  const std::string path = folder.write("a", "abc");
  const auto io = make_system_file_io();
  const int number = next_number();
  auto file = *io->open(path);
  ASSERT_EQ(file->descriptor(), number);
  ::close(number);
  std::byte byte = {};
  const auto read = file->read_at(0, std::span(&byte, 1));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().os_error, EBADF);
  const Theirs theirs(number, folder.path("theirs"));
  file.reset();
}

TEST(ClosedDescriptor, of_a_file_that_is_written_is_left_alone) {
  const TestFolder folder;
  const auto io = make_system_file_io();
  const int number = next_number();
  auto output = *io->create(folder.path("out"));
  const Theirs theirs(number, folder.path("theirs"));
  const auto appended = output->append(std::as_bytes(std::span("more")));
  ASSERT_FALSE(appended);
  EXPECT_EQ(appended.error().os_error, EBADF);
  output.reset();
}

TEST(ClosedDescriptor, of_an_event_is_left_alone) {
  const TestFolder folder;
  auto event = *WaitHandle::make();
  const Theirs theirs(static_cast<int>(event->get()), folder.path("theirs"));
  event->signal();
  event->clear();
  EXPECT_FALSE(event->is_own());
  event.reset();
}

TEST(ClosedDescriptor, of_a_watch_is_left_alone_and_told) {
  const TestFolder folder;
  const TestFolder elsewhere;
  const int number = next_number();
  auto watch = watch_folder(folder.path(""));
  ASSERT_TRUE(watch);
  const Theirs event(number, elsewhere.path("a"));
  const Theirs queue(number + 1, elsewhere.path("b"));
  const auto touched = (*watch)->wait(UINT32_MAX);
  ASSERT_FALSE(touched);
  EXPECT_EQ(touched.error().os_error, EBADF);
  watch->reset();
}

}  // namespace
}  // namespace seekless::runtime
