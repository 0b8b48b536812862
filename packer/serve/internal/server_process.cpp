#include "packer/serve/internal/server_process.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "packer/host/interrupt.h"
#include "packer/host/os_error.h"

namespace seekless {
namespace {

constexpr auto kBeat = std::chrono::milliseconds(200);
constexpr int kStoppedSeconds = 2;  // without a heartbeat, the server is then woken
// The server is given up after so long, because nothing in its heartbeat waits for a disk.
constexpr int kHangingSeconds = 30;
// systemd and Docker kill a process that hasn't ended 10 s after they asked it to.
constexpr int kLongestHurrySeconds = 5;

// A message on the socket is a letter, then text.
constexpr char kReady = 'r';
constexpr char kFailed = 'f';
constexpr char kDone = 'd';

void send_text(int socket, char kind, const std::string& text) {
  const std::string message = kind + text;
  for (size_t sent = 0; sent < message.size();) {
    const ssize_t put = ::send(socket, message.data() + sent, message.size() - sent, MSG_NOSIGNAL);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return;
    sent += static_cast<size_t>(put);
  }
}

// Is sent along with the device of the folder at this index; the last message has no device.
struct DeviceNote {
  size_t folder = 0;
  bool is_root = false;
};

struct DeviceMessage {
  DeviceNote note;
  iovec payload = {&note, sizeof(note)};
  msghdr message = {};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control = {};

  explicit DeviceMessage(const DeviceNote& of) : note(of) {
    message.msg_iov = &payload;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
  }
  DeviceMessage(const DeviceMessage&) = delete;  // it points into itself
  DeviceMessage& operator=(const DeviceMessage&) = delete;
};

bool send_device(int socket, int device, const DeviceNote& note) {
  DeviceMessage of(note);
  if (device < 0) {
    of.message.msg_controllen = 0;
  } else {
    cmsghdr* header = CMSG_FIRSTHDR(&of.message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &device, sizeof(int));
  }
  return ::sendmsg(socket, &of.message, MSG_NOSIGNAL) == sizeof(note);
}

// Returns nothing if the watching process has ended. The device is below 0 in the last message.
std::optional<DeviceNote> receive_device(int socket, int& device) {
  DeviceMessage of({});
  const ssize_t got = ::recvmsg(socket, &of.message, MSG_CMSG_CLOEXEC | MSG_WAITALL);
  if (got != sizeof(DeviceNote)) return std::nullopt;
  device = -1;
  const cmsghdr* header = CMSG_FIRSTHDR(&of.message);
  if (header != nullptr && header->cmsg_type == SCM_RIGHTS)
    std::memcpy(&device, CMSG_DATA(header), sizeof(int));
  return of.note;
}

Result<std::string> serve_received(std::vector<ServedFolder> folders, FolderServer& server,
                                   int socket) {
  SKL_TRY_DO(server.prepare());
  send_text(socket, kReady, "");
  ServedFolders served = {.folders = {}, .is_root = false, .end = socket};
  for (int device = 0; device >= 0;) {
    const auto note = receive_device(socket, device);
    if (!note) return failed({.place = "play", .found = "nothing to serve"});
    served.is_root = note->is_root;
    if (device < 0) break;
    folders[note->folder].device = device;
    served.folders.push_back(std::move(folders[note->folder]));
  }
  return server.serve(served);
}

// Detaches the server from the terminal: Ctrl-C is meant for the game, and the server ends when the
// game's last process has.
void be_alone() {
  ::setsid();
  ::prctl(PR_SET_NAME, "seekless-serve");
  // With SIGXFSZ ignored, the file size limit shows as an ordinary error of the call, which the
  // game gets.
  for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP, SIGPIPE, SIGXFSZ})
    ::signal(signal, SIG_IGN);
}

[[noreturn]] void be_server(const std::vector<ServedFolder>& folders, FolderServer& server,
                            int socket, std::atomic<uint64_t>* beats) {
  be_alone();
  try {
    std::jthread beating([beats](const std::stop_token& stop) {
      while (!stop.stop_requested() && beats != nullptr) {
        beats->fetch_add(1, std::memory_order_relaxed);
        std::this_thread::sleep_for(kBeat);
      }
    });
    const auto told = serve_received(folders, server, socket);
    send_text(socket, told ? kDone : kFailed, told ? *told : told.error().message);
  } catch (const std::exception& exception) {
    send_text(socket, kFailed, to_error(exception).message);
  }
  // A call to another machine may keep this process from ending. So its streams are closed first:
  // then nobody waits for them or for the rest of its answer.
  ::shutdown(socket, SHUT_RDWR);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::close(stream);
  ::_exit(0);
}

}  // namespace

Heartbeat::Heartbeat() {
  void* at =
      ::mmap(nullptr, sizeof(*count), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (at != MAP_FAILED) count = new (at) std::atomic<uint64_t>(0);
}

Heartbeat::~Heartbeat() {
  if (count != nullptr) ::munmap(count, sizeof(*count));
}

ServerProcess::~ServerProcess() {
  if (socket_ >= 0) ::close(socket_);
}

Result<void> ServerProcess::start(const std::vector<ServedFolder>& folders, FolderServer& server) {
  std::array<int, 2> sockets;
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0)
    return failed_call("play", "make a socket", errno);
  process_ = ::fork();
  if (process_ < 0) return failed_call("play", "start a process", errno);
  if (process_ == 0) {
    ::close(sockets[0]);
    be_server(folders, server, sockets[1], heartbeat_.count);
  }
  ::close(sockets[1]);
  socket_ = sockets[0];
  // Wakes up every second, to watch the server even while waiting for it.
  const timeval second = {1, 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof(second));
  char kind = 0;
  if (receive(&kind, 1) == 1 && kind == kReady) return {};
  std::string said = "nothing before its end";
  // The rest is the error's message, which may begin like an answer of hear().
  if (kind == kFailed) said = read_all();
  return failed({.place = "play", .expected = "a process that serves the folder", .found = said});
}

Result<void> ServerProcess::hand_over(size_t folder, const Descriptor& device) {
  if (send_device(socket_, device.get(), {.folder = folder})) return {};
  return failed_call("play", "hand the device to the server", errno);
}

Result<void> ServerProcess::begin(bool is_root) {
  if (send_device(socket_, -1, {.is_root = is_root})) return {};
  return failed_call("play", "have the server begin", errno);
}

void ServerProcess::end() const {
  constexpr char kEnded = 'e';
  [[maybe_unused]] const ssize_t put = ::send(socket_, &kEnded, 1, MSG_NOSIGNAL);
}

void ServerProcess::give_up() {
  if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  if (process_ <= 0 || has_ended_) return;
  // The server isn't at work yet, so it has nothing to lose.
  ::kill(process_, SIGKILL);
  wait_for_end();
  note_ended();
}

ssize_t ServerProcess::receive(char* into, size_t length) {
  for (;;) {
    const ssize_t got = ::recv(socket_, into, length, 0);
    if (got >= 0 || (errno != EINTR && errno != EAGAIN) || was_killed_) return got;
    const bool has_second_passed = errno == EAGAIN;
    if (is_interrupted()) hurry();
    if (!has_second_passed) continue;
    watch();
    hurried_seconds_ += is_hurrying_ ? 1 : 0;
    if (hurried_seconds_ > kLongestHurrySeconds) return -1;
  }
}

void ServerProcess::hurry() {
  if (std::exchange(is_hurrying_, true)) return;
  ::shutdown(socket_, SHUT_WR);
  ::kill(process_, kHurry);
}

std::string ServerProcess::read_all() {
  std::string said;
  std::array<char, 4096> piece;
  for (;;) {
    const ssize_t got = receive(piece.data(), piece.size());
    if (got <= 0) return said;
    said.append(piece.data(), static_cast<size_t>(got));
  }
}

Result<std::string> ServerProcess::hear() {
  const std::string said = read_all();
  if (said.starts_with(kDone)) return said.substr(1);
  if (said.starts_with(kFailed)) return failed({.place = "play", .found = said.substr(1)});
  if (hurried_seconds_ > kLongestHurrySeconds)
    return failed({.place = "play",
                   .expected = "to keep what was learned before the end that was asked for",
                   .found = "a disk that takes longer",
                   .advice = "that process goes on by itself"});
  return said;
}

void ServerProcess::watch() {
  if (has_ended_) return;
  if (seconds_left_ > 0 && --seconds_left_ == 0) kill();
  if (heartbeat_.count == nullptr) return;
  const uint64_t count = heartbeat_.count->load(std::memory_order_relaxed);
  silent_seconds_ = count == last_count_ ? silent_seconds_ + 1 : 0;
  last_count_ = count;
  if (silent_seconds_ >= kStoppedSeconds) ::kill(process_, SIGCONT);
  if (silent_seconds_ >= kHangingSeconds) kill();
}

void ServerProcess::kill() {
  ::kill(process_, SIGKILL);
  was_killed_ = true;
}

void ServerProcess::wait_for_end() const {
  if (hurried_seconds_ > kLongestHurrySeconds) return;
  constexpr int kMostLooks = 200;
  constexpr auto kBetween = std::chrono::milliseconds(10);
  for (int looks = 0; looks < kMostLooks; ++looks) {
    const pid_t ended = ::waitpid(process_, nullptr, WNOHANG);
    if (ended == process_ || (ended < 0 && errno != EINTR)) return;
    std::this_thread::sleep_for(kBetween);
  }
}

}  // namespace seekless
