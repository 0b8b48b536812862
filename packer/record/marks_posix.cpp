#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "packer/host/files.h"
#include "packer/host/os_error.h"
#include "packer/record/marks.h"

namespace seekless {
namespace {

constexpr int kPollMs = 100;
constexpr int kAnswerSeconds = 5;

std::string front_of_names() {
  return fmt::format("seekless/record/{}/", ::geteuid());
}

struct Address {
  sockaddr_un address = {};
  socklen_t size = 0;
};

// Returns the socket's address. The name begins with a zero byte, so it isn't a file's, and
// disappears with its last socket.
Address address_of(uint32_t process) {
  Address of;
  of.address.sun_family = AF_UNIX;
  const std::string name = fmt::format("{}{}", front_of_names(), process);
  std::memcpy(of.address.sun_path + 1, name.data(), name.size());
  of.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return of;
}

const sockaddr* generic(const Address& address) {
  return reinterpret_cast<const sockaddr*>(&address.address);
}

bool is_own_user(int socket) {
  ucred other = {};
  socklen_t size = sizeof(other);
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &other, &size) == 0 &&
         (other.uid == ::geteuid() || other.uid == 0);
}

void limit_waiting(int socket) {
  const timeval limit = {kAnswerSeconds, 0};
  ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
}

std::optional<std::string> receive(int socket) {
  std::string message(kMaxMarkMessageBytes, '\0');
  const ssize_t got = ::recv(socket, message.data(), message.size(), 0);
  if (got <= 0) return std::nullopt;
  message.resize(static_cast<size_t>(got));
  return message;
}

bool send(int socket, std::string_view message) {
  return ::send(socket, message.data(), message.size(), MSG_NOSIGNAL) ==
         static_cast<ssize_t>(message.size());
}

}  // namespace

struct MarkListener::Endpoint {
  explicit Endpoint(int of) : socket(of) {}
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;
  ~Endpoint() { ::close(socket); }
  int socket;
};

Result<MarkListener> MarkListener::create(const std::string& file, Handler handler) {
  const int socket = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (socket < 0) return failed_call(file, "make a socket for marks", errno);
  const Address address = address_of(static_cast<uint32_t>(::getpid()));
  if (::bind(socket, generic(address), address.size) != 0 || ::listen(socket, SOMAXCONN) != 0) {
    const int os_error = errno;
    ::close(socket);
    return failed_call(file, "listen for marks", os_error);
  }
  return MarkListener(std::make_shared<Endpoint>(socket), canonical_path(file), std::move(handler));
}

void MarkListener::listen_on(Endpoint& endpoint, const std::string& file, const Handler& handler,
                             const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    pollfd waiting = {endpoint.socket, POLLIN, 0};
    if (::poll(&waiting, 1, kPollMs) <= 0) continue;
    const int other = ::accept4(endpoint.socket, nullptr, nullptr, SOCK_CLOEXEC);
    if (other < 0) continue;
    limit_waiting(other);
    const auto message = is_own_user(other) ? receive(other) : std::nullopt;
    if (message) send(other, answer_to(*message, file, handler));
    ::close(other);
  }
}

Result<std::string> ask_recording(uint32_t process, const std::string& message) {
  const std::string name = name_of_recording(process);
  const int socket = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (socket < 0) return failed_call(name, "make a socket", errno);
  limit_waiting(socket);
  const Address address = address_of(process);
  std::optional<std::string> answered;
  if (::connect(socket, generic(address), address.size) == 0 && is_own_user(socket) &&
      send(socket, message))
    answered = receive(socket);
  ::close(socket);
  return understood_answer(name, answered);
}

Result<std::vector<uint32_t>> recording_processes() {
  SKL_TRY(auto stream, open_stream("/proc/net/unix"));
  std::string text;
  std::array<std::byte, 65536> buffer;
  for (;;) {
    SKL_TRY(const auto got, stream->read(buffer));
    if (got == 0) break;
    text.append(reinterpret_cast<const char*>(buffer.data()), got);
  }
  const std::string front = " @" + front_of_names();
  std::vector<uint32_t> processes;
  for (size_t at = text.find(front); at != std::string::npos; at = text.find(front, at + 1)) {
    uint32_t process = 0;
    const char* number = text.data() + at + front.size();
    std::from_chars(number, text.data() + text.size(), process);
    processes.push_back(process);
  }
  return processes;
}

}  // namespace seekless
