// Captures a command's answer instead of printing it, for a program that runs commands in its own
// process.
#pragma once

#include <mutex>
#include <string>
#include <vector>

namespace seekless {

struct Answer {
  std::string json;                   // empty: the command gave none
  std::string text;                   // what a person would read on standard output
  std::vector<std::string> warnings;  // one line each
};

// While there is one, commands answer into `into` and not on the standard streams. One at a time.
class TakenAnswer {
 public:
  explicit TakenAnswer(Answer& into);
  ~TakenAnswer();
  TakenAnswer(const TakenAnswer&) = delete;
  TakenAnswer& operator=(const TakenAnswer&) = delete;
};

}  // namespace seekless
