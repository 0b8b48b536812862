#include "packer/window/window.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include <httplib.h>

#include "packer/host/child_process.h"
#include "packer/host/interrupt.h"
#include "packer/host/own_connection.h"
#include "packer/window/internal/jobs.h"
#include "packer/window/internal/own_socket.h"
#include "packer/window/internal/request_check.h"
#include "packer/window/internal/window_games.h"
#include "packer/window/internal/window_parts.h"

namespace seekless {
namespace {

using WindowClock = std::chrono::steady_clock;

constexpr size_t kServingThreads = 8;
constexpr int kMostConnections = 64;  // further ones wait to be accepted
constexpr int kMostWaiting = 512;
constexpr size_t kMostBodyBytes = 4096;
constexpr time_t kSlowestS = 5;  // a client that sends nothing for this long is dropped
constexpr auto kStartEvery = std::chrono::milliseconds(5);
constexpr auto kLookEvery = std::chrono::milliseconds(200);
constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'";
// The pictures show names from recordings. Their page has its own policy for scripts. This policy
// moves the page out of the window's origin, so that scripts in it can't send requests to the
// server.
constexpr const char* kPicturesPolicy = "sandbox allow-scripts; frame-ancestors 'none'";

// Limits how many connections are accepted and not yet answered.
class LimitedTasks final : public httplib::TaskQueue {
 public:
  LimitedTasks() : pool_(kServingThreads) {}

  // Some versions of the library return a bool.
  using Enqueued = decltype(std::declval<httplib::ThreadPool&>().enqueue({}));
  Enqueued enqueue(std::function<void()> task) override {
    take_room();
    return pool_.enqueue([this, task = std::move(task)] {
      task();
      give_room();
    });
  }
  void shutdown() override { pool_.shutdown(); }

 private:
  // Uses a condition variable, because libstdc++'s semaphore may miss a wake-up on Windows.
  void take_room() {
    std::unique_lock lock(mutex_);
    has_room_.wait(lock, [this] { return room_ > 0; });
    --room_;
  }
  void give_room() {
    const std::lock_guard lock(mutex_);
    ++room_;
    has_room_.notify_one();
  }

  std::mutex mutex_;
  std::condition_variable has_room_;
  int room_ = kMostConnections;
  httplib::ThreadPool pool_;
};

WindowRequest request_of(const httplib::Request& request, int port) {
  return {.method = request.method,
          .path = request.path,
          .host = request.get_header_value("Host"),
          .origin = request.get_header_value("Origin"),
          .fetch_site = request.get_header_value("Sec-Fetch-Site"),
          .peer = request.remote_addr,
          .has_several_hosts = request.get_header_value_count("Host") != 1,
          .is_of_other_user = !is_own_connection(request.remote_port, port)};
}

void answer_json(httplib::Response& response, const nlohmann::ordered_json& json) {
  response.set_content(json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace),
                       "application/json");
}

void answer_done(httplib::Response& response, const Result<void>& done) {
  if (!done) response.status = 409;
  answer_json(response, {{"error", done ? "" : done.error().message}});
}

class WindowServer {
 public:
  WindowServer(const WindowSettings& settings, std::string program)
      : settings_(settings), games_(settings, jobs_, std::move(program)) {}

  Result<void> run() {
    note_interrupts();
    ignore_broken_connections();
    const std::string token = random_token();
    int socket = -1;
    server_.set_socket_options([&socket](auto made) { socket = static_cast<int>(made); });
    const int port = token.empty() ? -1 : server_.bind_to_any_port("127.0.0.1");
    if (port <= 0) return failed({.file = "127.0.0.1", .expected = "a free port", .found = "none"});
    listen_alone(socket, kMostWaiting);  // the library asks for fewer
    check_.emplace(port, token);
    port_ = port;
    set_up();
    std::atomic<bool> has_failed = false;
    std::thread serving([&] { has_failed = !server_.listen_after_bind(); });
    while (!server_.is_running() && !has_failed) std::this_thread::sleep_for(kStartEvery);
    std::thread looking([this] { games_.look(); });
    settings_.ready(check_->address());
    wait_for_end();
    server_.stop();
    serving.join();
    looking.join();
    // A recording is complete only when the game ends.
    if (jobs_.is_any_running()) settings_.waits_for_game();
    jobs_.end();
    return {};
  }

 private:
  void set_up() {
    server_.new_task_queue = [] { return new LimitedTasks(); };
    server_.set_keep_alive_max_count(1);
    server_.set_read_timeout(kSlowestS);
    server_.set_write_timeout(kSlowestS);
    server_.set_payload_max_length(kMostBodyBytes);
    server_.set_pre_routing_handler([this](const auto& request, auto& response) {
      response.set_header("Cache-Control", "no-store");
      response.set_header("X-Content-Type-Options", "nosniff");
      response.set_header("Referrer-Policy", "no-referrer");
      response.set_header("Cross-Origin-Resource-Policy", "same-origin");
      if (check_->allows(request_of(request, port_))) {
        last_seen_ = WindowClock::now().time_since_epoch().count();
        return httplib::Server::HandlerResponse::Unhandled;
      }
      response.status = 403;
      response.set_content("Open the address that seekless has printed.\n", "text/plain");
      return httplib::Server::HandlerResponse::Handled;
    });
    server_.Get(".*", [this](const auto& request, auto& response) { get(request, response); });
    server_.Post(".*", [this](const auto& request, auto& response) { post(request, response); });
  }

  void answer_part(httplib::Response& response, std::string_view part, const char* type) const {
    response.set_header("Content-Security-Policy", kPolicy);
    response.set_content(part.data(), part.size(), type);
  }

  void get(const httplib::Request& request, httplib::Response& response) {
    const std::string_view path = check_->below_token(request.path);
    if (path.empty()) return answer_part(response, window_page(), "text/html; charset=utf-8");
    if (path == "window.css") return answer_part(response, window_style(), "text/css");
    if (path == "window.js") return answer_part(response, window_script(), "text/javascript");
    if (path == "games") return answer_json(response, games_.games_json());
    if (path == "jobs") return answer_json(response, games_.jobs_json());
    if (path == "pictures") {
      if (auto page = games_.pictures(request.get_param_value("game"))) {
        response.set_header("Content-Security-Policy", kPicturesPolicy);
        response.set_content(std::move(*page), "text/html; charset=utf-8");
        return;
      }
    }
    response.status = 404;
    response.set_content("There is no such page.\n", "text/plain");
  }

  void post(const httplib::Request& request, httplib::Response& response) {
    const std::string_view path = check_->below_token(request.path);
    if (path == "do")
      return answer_done(
          response, games_.act(request.get_param_value("game"), request.get_param_value("what")));
    if (path == "look") {
      games_.look();
      return answer_done(response, {});
    }
    if (path == "end") {
      is_told_to_end_ = true;
      return answer_done(response, {});
    }
    response.status = 404;
    response.set_content("There is no such page.\n", "text/plain");
  }

  bool is_idle() const {
    const WindowClock::duration since =
        WindowClock::now().time_since_epoch() - WindowClock::duration(last_seen_.load());
    return since > std::chrono::minutes(settings_.idle_minutes) && !jobs_.is_any_running();
  }

  void wait_for_end() {
    last_seen_ = WindowClock::now().time_since_epoch().count();
    while (!is_told_to_end_ && !is_interrupted() && !is_idle())
      std::this_thread::sleep_for(kLookEvery);
  }

  const WindowSettings& settings_;
  Jobs jobs_;
  WindowGames games_;
  httplib::Server server_;
  std::optional<RequestCheck> check_;
  int port_ = 0;
  std::atomic<bool> is_told_to_end_ = false;
  std::atomic<WindowClock::rep> last_seen_ = 0;
};

}  // namespace

Result<void> run_window(const WindowSettings& settings) {
  std::string program = own_program();
  if (program.empty())
    return failed({.file = "seekless", .expected = "this program's file", .found = "none"});
  return WindowServer(settings, std::move(program)).run();
}

}  // namespace seekless
