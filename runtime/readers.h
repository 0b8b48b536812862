// Lets readers use a shared, immutable object without a lock while others replace it. A replaced
// object is freed when the last reader that may still use it has left. It works like sleepable RCU:
// readers increment one of many counters, and freeing waits for two rounds of counts.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "runtime/thread.h"

namespace seekless::runtime {

class Readers {
 public:
  // An object that waits to be freed.
  class Retired {
   public:
    Retired() = default;
    Retired(const Retired&) = delete;
    Retired& operator=(const Retired&) = delete;
    virtual ~Retired() = default;

   private:
    friend class Readers;
    Retired* next_ = nullptr;
  };

  // While a Guard exists, no object is freed that was published when it was made, or later. Its
  // thread may sleep, read files, or retire objects. Load the published object after making the
  // Guard, with the default memory order. The last Guard to leave frees retired objects.
  class Guard {
   public:
    explicit Guard(const Readers& readers) : readers_(readers), inside_(readers.enter()) {}
    ~Guard() { readers_.leave(inside_); }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    const Readers& readers_;
    std::atomic<uint32_t>& inside_;
  };

  Readers() = default;
  Readers(const Readers&) = delete;
  Readers& operator=(const Readers&) = delete;
  // No Guard may exist.
  ~Readers();

  // `thing` must no longer be published. Doesn't wait.
  void retire(std::unique_ptr<Retired> thing) const;
  // Returns how many objects wait to be freed.
  size_t waiting() const { return waiting_.load(); }

 private:
  // If there are more threads, they share counters.
  static constexpr size_t kPlaces = 64;
  struct alignas(kUnsharedBytes) Counts {
    std::array<std::atomic<uint32_t>, 2> inside = {};
  };

  std::atomic<uint32_t>& enter() const;
  void leave(std::atomic<uint32_t>& inside) const;
  void reclaim() const;
  void advance() const;
  bool is_empty(uint32_t round) const;

  mutable std::array<Counts, kPlaces> counts_;
  // Tells which of the two counts new readers use.
  alignas(kUnsharedBytes) mutable std::atomic<uint32_t> round_ = 0;
  mutable std::atomic<size_t> waiting_ = 0;
  mutable std::atomic<Retired*> arrived_ = nullptr;
  mutable std::atomic<uint32_t> calls_ = 0;
  mutable std::atomic<bool> is_reclaiming_ = false;
  // The objects that the current rounds will free; used only by the reclaiming thread.
  mutable Retired* batch_ = nullptr;
  mutable bool has_turned_ = false;  // the second round has begun
};

}  // namespace seekless::runtime
