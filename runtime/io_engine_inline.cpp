// An engine without threads, for games that read in their own loop: the thread that reaps reads.
#include "runtime/io_engine.h"

namespace seekless::runtime {
namespace {

class InlineEngine final : public IoEngine {
 public:
  uint32_t depth() const override { return 1; }

  void submit(IoRead& read) override {
    read.failure.reset();
    waiting_.push(read);
  }

  // Never sleeps, because no other thread could finish a read.
  size_t reap(std::span<IoRead*> done, uint32_t) override {
    if (done_.empty() && !waiting_.empty()) {
      IoRead& read = waiting_.pop();
      const DeviceWait wait;
      read_now(read);
      read.has_waited = wait.has_happened();
      done_.push(read);
    }
    return done_.pop_to(done);
  }

  void wake() override {}

 private:
  IoRow waiting_;
  IoRow done_;
};

}  // namespace

std::unique_ptr<IoEngine> make_inline_engine() {
  return std::make_unique<InlineEngine>();
}

}  // namespace seekless::runtime
