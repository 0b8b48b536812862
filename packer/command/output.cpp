#include <atomic>
#include <cstdio>
#include <mutex>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "packer/command/internal/answer.h"
#include "packer/command/internal/command.h"
#include "packer/command/progress.h"
#include "packer/host/files.h"
#include "packer/host/native_path.h"
#include "packer/host/pending_file.h"
#include "packer/host/standard_streams.h"
#include "packer/host/terminal.h"
#include "packer/words/one_line.h"
#include "packer/words/shell_words.h"

namespace seekless {
namespace {

// The answer being collected; null while answers go to the standard streams.
std::atomic<Answer*> taker = nullptr;

std::mutex& taker_mutex() {
  static std::mutex of_process;
  return of_process;
}

}  // namespace

TakenAnswer::TakenAnswer(Answer& into) {
  taker = &into;
}

TakenAnswer::~TakenAnswer() {
  taker = nullptr;
}

std::string Output::next_line(const std::vector<std::string>& words) const {
  next_ = "seekless " + shell_line(words, shell_kind_here());
  return "next: " + next_;
}

void Output::next(const std::vector<std::string>& words) const {
  if (words.empty()) return;
  // A wrapped line couldn't be copied as a command.
  put("\n" + next_line(words), false);
}

bool Output::wants_json() const {
  return !json_path_.empty() || taker != nullptr;
}

void Output::add_option(const Command& command) {
  command.option({.name = "--json",
                  .takes = "FILE",
                  .help = "Write the result as JSON to this file; '-' is stdout"},
                 json_path_);
}

void Output::add_verbose(const Command& command) {
  command.option({.name = "--verbose",
                  .help = "Also show the assumptions, the reasons for the result, and which files "
                          "aren't content"},
                 is_verbose_);
}

Output Output::collecting(std::vector<std::string>& warnings) {
  Output output;
  output.warnings_ = &warnings;
  return output;
}

void Output::line(std::string_view text) const {
  put(text, true);
}

void Output::put(std::string_view text, bool breaks_lines) const {
  if (warnings_ != nullptr) return;
  if (Answer* answer = taker) {
    const std::lock_guard lock(taker_mutex());
    answer->text.append(text) += '\n';
    return;
  }
  if (json_path_ == "-") return;
  const auto hidden = hide_progress();
  std::string safe = printable(text) + "\n";
  if (breaks_lines && is_terminal(StandardStream::output)) safe = fit_lines(safe, terminal_width());
  // If this fails, the stream keeps its error flag until main checks it.
  (void)std::fwrite(safe.data(), 1, safe.size(), stdout);
}

void Output::detail(std::string_view text) const {
  if (is_verbose_) line(text);
}

void Output::warn(std::string_view text) const {
  if (warnings_ != nullptr) {
    warnings_->emplace_back(text);
    return;
  }
  if (Answer* answer = taker) {
    const std::lock_guard lock(taker_mutex());
    answer->warnings.emplace_back(text);
    return;
  }
  say_to_person(fmt::format("seekless: warning: {}\n", printable(in_one_line(std::string(text)))));
}

Result<void> Output::result(const Json& of_command) const {
  Json json = of_command;
  if (!next_.empty()) json["next"] = valid_utf8(next_);
  // File names may have bytes that aren't UTF-8, which JSON can't hold.
  if (Answer* answer = taker)
    answer->json = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (json_path_.empty()) return {};
  const auto hidden = hide_progress();
  return write_text(json_path_, json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

Result<void> Output::try_result() const {
  if (json_path_.empty() || json_path_ == "-") return {};
  SKL_TRY_DROP(PendingFile::create(json_path_));
  return {};
}

void say_to_person(std::string_view text) {
  const auto hidden = hide_progress();
  if (!is_terminal(StandardStream::error)) return say(text);
  say(fit_lines(text, terminal_width()));
}

}  // namespace seekless
