#include "packer/command/command_line.h"

#include <cerrno>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "packer/command/internal/asked_command.h"
#include "packer/command/progress.h"
#include "packer/host/os_error.h"
#include "packer/host/standard_streams.h"
#include "packer/host/unseen.h"
#include "packer/words/one_line.h"

namespace seekless {
namespace {

using namespace std::string_view_literals;

int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
      return 2;
    case ErrorKind::damaged:
      return 3;
    case ErrorKind::failed:
      break;
  }
  return 1;
}

// Flushes the printed text. A full disk may cause an error only now.
Result<void> flush_output() {
  const bool failed_before = std::ferror(stdout) != 0;
  if (std::fflush(stdout) != 0) return failed_call("standard output", "write", errno);
  if (!failed_before) return {};
  return failed({.file = "standard output",
                 .expected = "to write the whole answer",
                 .found = "that part of it couldn't be written",
                 .advice = "see whether its disk is full"});
}

// Prints an error. This works even if there is no memory left to format a line.
void tell(std::string_view message) noexcept {
  try {
    say_to_person(
        fmt::format("seekless: error: {}\n", printable(in_one_line(std::string(message)))));
  } catch (const std::exception&) {
    for (const std::string_view part : {"seekless: error: "sv, message, "\n"sv}) say(part);
  }
}

Result<void> with_unseen_told(Result<void> done) {
  auto seen = check_unseen();
  if (seen) return done;
  // Other errors may follow from this one.
  if (!done) seen.error().message += "; and so " + done.error().message;
  return seen;
}

Result<void> run(int argc, char** argv) {
  SKL_TRY(const auto asked, parse_words({argv, argv + argc}));
  if (asked.name.empty()) {
    const std::string help = printable(asked.help);
    (void)std::fwrite(help.data(), 1, help.size(), stdout);
    return flush_output();
  }
  std::optional<ProgressLine> progress;
  if (asked.shows_progress) progress.emplace(asked.name);
  auto done = asked.run();
  progress.reset();
  if (auto flushed = flush_output(); done && !flushed) done = std::move(flushed);
  return with_unseen_told(std::move(done));
}

// Returns the message of an exception that nobody has caught.
std::string what_was_thrown(const std::exception& exception) {
  const auto* error = dynamic_cast<const std::system_error*>(&exception);
  if (error == nullptr) return exception.what();
  const bool is_of_threads = error->code() == std::errc::resource_unavailable_try_again;
  const std::string advice = advice_for_os_error(error->code().value());
  return fmt::format("{}{}{}{}", is_of_threads ? "cannot start a thread: found " : "",
                     error->what(), advice.empty() ? "" : "; ", advice);
}

}  // namespace

int run_command_line(int argc, char** argv) {
  try {
    const auto done = run(argc, argv);
    if (done) return 0;
    tell(done.error().message);
    return exit_code(done.error().kind);
  } catch (const std::bad_alloc&) {
    say("seekless: error: out of memory\n");
  } catch (const std::exception& error) {
    tell(what_was_thrown(error));
  }
  return 1;
}

Answered run_command(const std::vector<std::string>& words) {
  Answered answered;
  std::vector<const char*> argv = {"seekless"};
  for (const std::string& word : words) argv.push_back(word.c_str());
  forget_unseen();
  const TakenAnswer taken(answered.answer);
  try {
    const auto asked = parse_words(std::move(argv));
    if (!asked)
      answered.done = std::unexpected(asked.error());
    else if (asked->name.empty())
      answered.answer.text = asked->help;
    else
      answered.done = with_unseen_told(asked->run());
  } catch (const std::bad_alloc&) {
    answered.done = std::unexpected(Error{ErrorKind::failed, "out of memory"});
  } catch (const std::exception& error) {
    answered.done = std::unexpected(Error{ErrorKind::failed, what_was_thrown(error)});
  }
  return answered;
}

}  // namespace seekless
