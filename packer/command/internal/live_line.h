// Draws a line on standard error, and redraws it in the same place. It prints nothing if standard
// error isn't a terminal.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace seekless {

// Draws a line whenever the caller has news. The destructor erases the line.
class TerminalLine {
 public:
  TerminalLine();
  ~TerminalLine() { wipe(); }
  TerminalLine(const TerminalLine&) = delete;
  TerminalLine& operator=(const TerminalLine&) = delete;

  // Draws any text, and shortens one that is too long in the middle.
  void draw(std::string_view text);
  void wipe();
  bool is_shown() const { return is_shown_; }

 private:
  const bool is_shown_;
  bool is_drawn_ = false;
};

// Draws a line from a separate thread at each interval, beginning after one second.
class LiveLine {
 public:
  // That thread calls `text`.
  LiveLine(std::chrono::milliseconds interval, std::function<std::string()> text);
  ~LiveLine();
  LiveLine(const LiveLine&) = delete;
  LiveLine& operator=(const LiveLine&) = delete;

  // Removes the line before anything else goes to the terminal. It isn't drawn again while the lock
  // is held.
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
