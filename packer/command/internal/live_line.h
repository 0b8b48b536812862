// A line on standard error that is drawn over itself, for people who wait. Where standard error is
// no terminal there is nothing at all.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace seekless {

// Drawn by whoever has news. Gone when it is destroyed.
class TerminalLine {
 public:
  TerminalLine();
  ~TerminalLine() { wipe(); }
  TerminalLine(const TerminalLine&) = delete;
  TerminalLine& operator=(const TerminalLine&) = delete;

  // Any text; what is too long loses its middle.
  void draw(std::string_view text);
  void wipe();
  bool is_shown() const { return is_shown_; }

 private:
  const bool is_shown_;
  bool is_drawn_ = false;
};

// Drawn by a thread of its own at each interval, once a second is over.
class LiveLine {
 public:
  // `text` is called by that thread.
  LiveLine(std::chrono::milliseconds interval, std::function<std::string()> text);
  ~LiveLine();
  LiveLine(const LiveLine&) = delete;
  LiveLine& operator=(const LiveLine&) = delete;

  // Takes the line away before anything else goes to the terminal. It isn't drawn again while the
  // lock is held.
  [[nodiscard]] std::unique_lock<std::mutex> hide();

 private:
  void draw(const std::stop_token& stop);

  const std::chrono::milliseconds interval_;
  const std::function<std::string()> text_;
  std::mutex mutex_;
  std::condition_variable_any stopping_;
  TerminalLine line_;
  std::jthread drawing_;
};

}  // namespace seekless
