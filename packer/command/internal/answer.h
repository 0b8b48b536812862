// Collects a command's answer as values, for a program that runs commands inside itself.
#pragma once

#include <mutex>
#include <string>
#include <vector>

namespace seekless {

struct Answer {
  std::string json;                   // empty if the command gave none
  std::string text;                   // the text that a person would read on standard output
  std::vector<std::string> warnings;  // one line for each warning
};

// While an object exists, commands answer into `into` instead of the standard streams. Only one may
// exist at a time.
class TakenAnswer {
 public:
  explicit TakenAnswer(Answer& into);
  ~TakenAnswer();
  TakenAnswer(const TakenAnswer&) = delete;
  TakenAnswer& operator=(const TakenAnswer&) = delete;
};

}  // namespace seekless
