#include "integration/runtime/requesting.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <random>
#include <thread>

namespace seekless {
namespace {

using Clock = std::chrono::steady_clock;

std::string describe(const WantedRead& wanted, skl_result result, const char* message) {
  return wanted.path + ": " + skl_result_name(result) + ": " + message;
}

// One request under way, with the place for its bytes and its error.
struct Slot {
  const WantedRead* wanted = nullptr;
  std::vector<std::byte> bytes;
  skl_error error{sizeof(skl_error), SKL_OK, 0, 0, {}};
};

// The requests of one thread, `ahead` of them at a time.
class Asker {
 public:
  Asker(skl::Context& context, const RequestSettings& settings, unsigned thread)
      : context_(context), settings_(settings), random_(thread), slots_(settings.ahead) {
    for (Slot& slot : slots_) free_.push_back(&slot);
  }

  void run(const std::vector<const WantedRead*>& all) {
    skl::QueueOptions options;
    options.capacity = settings_.ahead;
    auto queue = context_.queue(options);
    if (!queue) return answered.failures.push_back(queue.error().message);
    auto next = Clock::now();
    for (const WantedRead* wanted : all) {
      while (!is_over() && (free_.empty() || Clock::now() < next)) take(*queue, next);
      if (is_over()) break;
      next += gap();
      ask(*queue, *wanted);
    }
    while (free_.size() < slots_.size()) take(*queue, Clock::now() + std::chrono::seconds(1));
  }

  AnsweredRequests answered;

 private:
  bool is_over() const { return settings_.ends != nullptr && settings_.ends->load(); }

  Clock::duration gap() {
    if (settings_.gap_us == 0) return {};
    return std::chrono::microseconds(
        std::uniform_int_distribution<int64_t>(0, 2 * int64_t{settings_.gap_us})(random_));
  }

  void ask(skl::Queue& queue, const WantedRead& wanted) {
    const auto found = context_.find(wanted.path);
    if (!found) return answered.failures.push_back(describe(wanted, SKL_NOT_FOUND, ""));
    Slot& slot = *free_.back();
    slot.wanted = &wanted;
    const uint64_t left = found->size_bytes - std::min(wanted.offset_bytes, found->size_bytes);
    slot.bytes.resize(wanted.length_bytes == 0 ? left : std::min(left, wanted.length_bytes));
    skl::Request request(found->asset, slot.bytes);
    request.offset_bytes = wanted.offset_bytes;
    request.priority = settings_.priority;
    request.deadline_us = settings_.deadline_us;
    request.user = &slot;
    request.error = &slot.error;
    const auto taken = queue.submit(request);
    if (!taken || !*taken)
      return answered.failures.push_back(describe(wanted, SKL_WOULD_BLOCK, "not taken"));
    free_.pop_back();
  }

  // Waits until a completion arrives, at most until `until`.
  void take(skl::Queue& queue, Clock::time_point until) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    if (free_.size() == slots_.size()) return std::this_thread::sleep_until(until);
    std::array<skl::Completion, 32> done;
    const auto patience =
        free_.empty() ? skl::kForever : std::max(left, std::chrono::milliseconds(0));
    for (const skl::Completion& completion : queue.wait(done, patience).completions)
      note(completion);
  }

  void note(const skl::Completion& completion) {
    Slot& slot = *static_cast<Slot*>(completion.user());
    free_.push_back(&slot);
    ++answered.done;
    answered.latencies_us.push_back(static_cast<uint64_t>(completion.latency().count()));
    if (completion.missed_deadline()) ++answered.missed_deadlines;
    if (completion.result() != SKL_OK)
      return answered.failures.push_back(
          describe(*slot.wanted, completion.result(), slot.error.message));
    answered.bytes += completion.read_bytes();
    answered.arrived.push_back(slot.wanted->path);
  }

  skl::Context& context_;
  const RequestSettings& settings_;
  std::mt19937 random_;
  std::vector<Slot> slots_;
  std::vector<Slot*> free_;
};

AnsweredRequests read_in_order(const skl::Context& context, const std::vector<WantedRead>& all) {
  AnsweredRequests answered;
  std::vector<std::byte> bytes;
  for (const WantedRead& wanted : all) {
    ++answered.done;
    const auto found = context.find(wanted.path);
    bytes.resize(!found ? 0 : wanted.length_bytes == 0 ? found->size_bytes : wanted.length_bytes);
    const auto got = context.read(found ? found->asset : 0, wanted.offset_bytes, bytes);
    if (!got) {
      answered.failures.push_back(
          describe(wanted, got.error().result, got.error().message.c_str()));
      continue;
    }
    answered.bytes += *got;
    answered.arrived.push_back(wanted.path);
  }
  return answered;
}

AnsweredRequests ask_by_threads(skl::Context& context, const std::vector<WantedRead>& wanted,
                                const RequestSettings& settings) {
  std::vector<std::vector<const WantedRead*>> shares(settings.threads);
  for (size_t i = 0; i < wanted.size(); ++i) shares[i % settings.threads].push_back(&wanted[i]);
  std::vector<std::unique_ptr<Asker>> askers;
  {
    std::vector<std::jthread> threads;
    for (unsigned thread = 0; thread < settings.threads; ++thread) {
      Asker& asker = *askers.emplace_back(std::make_unique<Asker>(context, settings, thread));
      threads.emplace_back([&asker, &share = shares[thread]] { asker.run(share); });
    }
  }
  AnsweredRequests all;
  for (const auto& asker : askers) {
    const AnsweredRequests& of = asker->answered;
    all.done += of.done;
    all.bytes += of.bytes;
    all.missed_deadlines += of.missed_deadlines;
    all.arrived.insert(all.arrived.end(), of.arrived.begin(), of.arrived.end());
    all.failures.insert(all.failures.end(), of.failures.begin(), of.failures.end());
    all.latencies_us.insert(all.latencies_us.end(), of.latencies_us.begin(), of.latencies_us.end());
  }
  return all;
}

}  // namespace

AnsweredRequests request_all(skl::Context& context, const std::vector<WantedRead>& wanted,
                             const RequestSettings& settings) {
  const auto began = Clock::now();
  AnsweredRequests answered = settings.in_order ? read_in_order(context, wanted)
                                                : ask_by_threads(context, wanted, settings);
  answered.seconds = std::chrono::duration<double>(Clock::now() - began).count();
  std::ranges::sort(answered.latencies_us);
  return answered;
}

}  // namespace seekless
