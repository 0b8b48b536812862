#include "packer/serve/internal/helper_mount.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "packer/host/os_error.h"

namespace seekless {
namespace {

constexpr const char* kHelper = "fusermount3";
constexpr const char* kConnections = "/sys/fs/fuse/connections/";

// Runs in a child of this process; doesn't return.
[[noreturn]] void become_helper(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const int nowhere = ::open("/dev/null", O_RDWR);
  for (const int stream : {0, 1, 2}) ::dup2(nowhere, stream);
  ::execvp(arguments[0], arguments.data());
  ::_exit(1);
}

// Waits for the child to end; returns true if it ended well.
bool has_done(pid_t child) {
  int status = 1;
  if (child > 0)
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
  return child > 0 && status == 0;
}

// fusermount3 finds its end of the socket by a variable.
bool run_helper(const std::vector<std::string>& words, int socket) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::setenv("_FUSE_COMMFD", std::to_string(::fcntl(socket, F_DUPFD, 3)).c_str(), 1);
    become_helper(words);
  }
  return has_done(child);
}

std::vector<std::string> unmounting(const std::string& folder) {
  return {kHelper, "-u", "-z", "-q", "--", folder};
}

// Returns a value below 0 if the helper ended without mounting.
int received_device(int socket) {
  char ignored = 0;
  iovec payload = {&ignored, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control = {};
  msghdr message = {};
  message.msg_iov = &payload;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  ssize_t got = 0;
  do got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  const cmsghdr* header = got == 1 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (header == nullptr || header->cmsg_type != SCM_RIGHTS) return -1;
  int device = -1;
  std::memcpy(&device, CMSG_DATA(header), sizeof(int));
  return device;
}

std::string mounts_of_system() {
  std::ifstream file("/proc/self/mountinfo");
  return {std::istreambuf_iterator<char>(file), {}};
}

// Replaces the octal escapes of spaces and the like, as the system writes them.
std::string unescaped(const std::string& text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size()) {
      plain += static_cast<char>(std::strtol(text.substr(i + 1, 3).c_str(), nullptr, 8));
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

std::unexpected<Error> no_helper(const std::string& folder, const std::string& found) {
  return failed({.file = folder,
                 .expected = "that fusermount3 mounts there",
                 .found = found,
                 .advice = "install it (Debian: fuse3); the folder must be yours"});
}

}  // namespace

std::optional<std::string> served_mount(const std::string& mounts, const std::string& folder) {
  std::optional<std::string> found;
  std::istringstream lines(mounts);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string id, parent, device, root, place;
    words >> id >> parent >> device >> root >> place;
    if (unescaped(place) != folder) continue;
    found.reset();
    if (line.contains(" - fuse.seekless ")) found = device;
  }
  return found;
}

Result<HelperMount> HelperMount::over(const std::string& folder) {
  if (served_mount(mounts_of_system(), folder))
    return no_helper(folder, "a folder that another run of a game is served");
  std::array<int, 2> sockets;
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0)
    return failed_call("play", "make a socket", errno);
  const Descriptor helper(sockets[0]);
  const bool has_started = run_helper(
      {kHelper, "-o", "fsname=seekless,subtype=seekless,nosuid,nodev", "--", folder}, sockets[1]);
  ::close(sockets[1]);
  Descriptor device(has_started ? received_device(helper.get()) : -1);
  if (device.get() < 0) return no_helper(folder, "a refusal");
  HelperMount mount(folder, std::move(device),
                    served_mount(mounts_of_system(), folder).value_or("0:0"));
  const bool can_be_cut_off = ::access(mount.abort_file().c_str(), W_OK) == 0;
  if (can_be_cut_off && mount.start_guard()) return mount;
  mount.unmount();
  return no_helper(folder, can_be_cut_off ? "no process to guard the mount"
                                          : fmt::format("no {} that you may write", kConnections));
}

// Forks twice, so that the guard is no child of this process, which waits for all of its children.
bool HelperMount::start_guard() {
  std::array<int, 2> pipe;
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return false;
  guard_ = Descriptor(pipe[1]);
  const pid_t child = ::fork();
  if (child == 0) {
    const pid_t guard = ::fork();
    if (guard != 0) ::_exit(guard < 0 ? 1 : 0);
    ::setsid();
    ::prctl(PR_SET_NAME, "seekless-guard");
    for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP}) ::signal(signal, SIG_IGN);
    ::dup2(pipe[0], 0);
    ::close_range(1, ~0U, 0);
    char none = 0;
    while (::read(0, &none, 1) < 0 && errno == EINTR) {
    }
    if (served_mount(mounts_of_system(), folder_) == number_) become_helper(unmounting(folder_));
    ::_exit(0);
  }
  ::close(pipe[0]);
  return has_done(child);
}

std::string HelperMount::abort_file() const {
  return kConnections + number_.substr(number_.find(':') + 1) + "/abort";
}

void HelperMount::unmount() const {
  const pid_t child = ::fork();
  if (child == 0) become_helper(unmounting(folder_));
  has_done(child);
}

void HelperMount::cut_off() const {
  const Descriptor file(::open(abort_file().c_str(), O_WRONLY | O_CLOEXEC));
  if (file.get() >= 0) static_cast<void>(!::write(file.get(), "1", 1));
}

}  // namespace seekless
