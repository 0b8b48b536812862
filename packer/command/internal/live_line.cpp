#include "packer/command/internal/live_line.h"

#include <utility>

#include "packer/base/in_parallel.h"
#include "packer/base/stop_thread.h"
#include "packer/host/standard_streams.h"
#include "packer/host/terminal.h"
#include "packer/words/plain_text.h"

namespace seekless {
namespace {

constexpr auto kPatience = std::chrono::seconds(1);

}  // namespace

TerminalLine::TerminalLine() : is_shown_(is_terminal(StandardStream::error)) {}

void TerminalLine::draw(std::string_view text) {
  if (!is_shown_) return;
  const size_t columns = terminal_width() - 1;
  say("\r" + pad_right(cut_middle(clean_line(text), columns), columns));
  is_drawn_ = true;
}

void TerminalLine::wipe() {
  if (std::exchange(is_drawn_, false)) say("\r" + std::string(terminal_width() - 1, ' ') + "\r");
}

LiveLine::LiveLine(std::chrono::milliseconds interval, std::function<std::string()> text)
    : interval_(interval), text_(std::move(text)) {
  if (line_.is_shown())
    drawing_ = thread_to_do_without([this](const std::stop_token& stop) { draw(stop); });
}

LiveLine::~LiveLine() {
  stop_thread(drawing_, mutex_, stopping_);
}

std::unique_lock<std::mutex> LiveLine::hide() {
  std::unique_lock lock(mutex_);
  line_.wipe();
  return lock;
}

void LiveLine::draw(const std::stop_token& stop) {
  const auto began = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    stopping_.wait_for(lock, interval_, [&] { return stop.stop_requested(); });
    if (stop.stop_requested() || std::chrono::steady_clock::now() - began < kPatience) continue;
    line_.draw(text_());
  }
}

}  // namespace seekless
