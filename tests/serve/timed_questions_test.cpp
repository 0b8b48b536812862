#include "packer/serve/internal/timed_questions.h"

#include <chrono>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace seekless {
namespace {

using std::chrono::milliseconds;

TEST(TimedQuestions, returns_what_each_question_returns) {
  TimedQuestions asked;
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(asked.ask([i] { return i * 2; }), i * 2);
  EXPECT_EQ(asked.ask([] { return std::string("text"); }), "text");
  EXPECT_TRUE(asked.are_answered());
}

TEST(TimedQuestions, asks_nothing_after_a_question_without_an_answer) {
  const auto answer = std::make_shared<std::promise<void>>();
  const auto has_ended = std::make_shared<std::promise<int>>();
  auto ended = has_ended->get_future();
  {
    TimedQuestions asked(milliseconds(20));
    const auto waits = [answer, has_ended] {
      answer->get_future().wait();
      has_ended->set_value(7);
      return 7;
    };
    EXPECT_EQ(asked.ask(waits), std::nullopt);
    EXPECT_FALSE(asked.are_answered());
    bool was_asked = false;
    EXPECT_EQ(asked.ask([&was_asked] { return was_asked = true; }), std::nullopt);
    EXPECT_FALSE(was_asked);
  }
  // The abandoned question goes on, though nobody listens.
  answer->set_value();
  EXPECT_EQ(ended.get(), 7);
}

TEST(TimedQuestions, hands_on_an_exception) {
  TimedQuestions asked;
  EXPECT_THROW(asked.ask([]() -> int { throw std::runtime_error("no memory"); }),
               std::runtime_error);
  EXPECT_EQ(asked.ask([] { return 3; }), 3);
}

}  // namespace
}  // namespace seekless
