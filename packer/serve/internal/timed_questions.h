// Asks the system about files, some of which may be on another machine that never answers. One
// thread asks all questions, and is abandoned once a question takes too long.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace seekless {

// One thread calls these functions.
class TimedQuestions {
 public:
  // A disk that has to start up answers within some ten seconds.
  static constexpr std::chrono::milliseconds kLongestAnswer = std::chrono::seconds(12);

  explicit TimedQuestions(std::chrono::milliseconds longest = kLongestAnswer);
  // Doesn't wait for a question that isn't answered.
  ~TimedQuestions();
  TimedQuestions(const TimedQuestions&) = delete;
  TimedQuestions& operator=(const TimedQuestions&) = delete;

  // Returns what `question` returns. If that takes too long, returns nothing, now and for all later
  // questions, which aren't asked. `question` holds copies of all that it uses, since it may
  // outlive this object. Without a thread, the caller's asks it, however long that takes.
  template <typename Question>
  auto ask(Question question) -> std::optional<std::invoke_result_t<Question>> {
    const auto answer = std::make_shared<std::optional<std::invoke_result_t<Question>>>();
    if (!does([answer, question = std::move(question)] { answer->emplace(question()); })) return {};
    return std::move(*answer);
  }
  // Returns true if all questions so far were answered in time.
  bool are_answered() const { return are_answered_; }

 private:
  bool does(std::function<void()> work);

  struct Shared;
  std::shared_ptr<Shared> shared_;
  std::chrono::milliseconds longest_;
  bool are_answered_ = true;
};

}  // namespace seekless
