#include "packer/serve/internal/server_process.h"

#include <array>
#include <chrono>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

namespace seekless {
namespace {

// Leaves behind a process that keeps the server's descriptors open until `until` is closed. A
// server does the same if it can't end because one of its calls waits for another machine.
class HeldServer final : public FolderServer {
 public:
  explicit HeldServer(std::array<int, 2> until) : until_(until) {}
  Result<void> prepare() override {
    if (::fork() != 0) return {};
    ::close(until_[1]);
    char none = 0;
    [[maybe_unused]] const ssize_t got = ::read(until_[0], &none, 1);
    ::_exit(0);
  }
  Result<std::string> serve(const ServedFolders&) override {
    ::pause();
    return "";
  }

 private:
  std::array<int, 2> until_;
};

TEST(ServerProcess, hears_no_longer_once_it_has_killed) {
  std::array<int, 2> until;
  ASSERT_EQ(::pipe(until.data()), 0);
  HeldServer held(until);
  ServerProcess serving;
  ASSERT_TRUE(serving.start({}, held));
  ASSERT_TRUE(serving.begin(false));
  serving.kill();
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(serving.hear(), "");
  // Without a heartbeat, the server would be given up after 30 s.
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(20));
  serving.wait_for_end();
  ::close(until[1]);
  ::close(until[0]);
}

class FailingServer final : public FolderServer {
 public:
  Result<void> prepare() override { return failed({.found = "files of another machine"}); }
  Result<std::string> serve(const ServedFolders&) override { return ""; }
};

// The message begins like an answer of hear() that means something else.
TEST(ServerProcess, tells_why_it_could_not_prepare_whatever_the_message_begins_with) {
  FailingServer failing;
  ServerProcess serving;
  const auto started = serving.start({}, failing);
  ASSERT_FALSE(started);
  EXPECT_NE(started.error().message.find("files of another machine"), std::string::npos);
  serving.give_up();
}

}  // namespace
}  // namespace seekless
