// Requests parts of assets from many threads: through queues, or one after the other in the order
// of arrival.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include <seekless.hpp>

namespace seekless {

struct WantedRead {
  std::string path;
  uint64_t offset_bytes = 0;
  uint64_t length_bytes = 0;  // 0: to the end
};

struct RequestSettings {
  unsigned threads = 1;  // each takes every nth request
  uint32_t ahead = 64;   // requests that a thread keeps waiting
  uint32_t gap_us =
      0;  // between requests of a thread, on average; 0: as fast as the queue takes them
  int32_t priority = SKL_PRIORITY_NORMAL;
  uint32_t deadline_us = 0;
  // Once it is true, no more requests are made; null: all requests are made.
  const std::atomic<bool>* ends = nullptr;
  bool in_order = false;  // no queue: each request is read in its turn
};

struct AnsweredRequests {
  uint64_t done = 0;
  uint64_t bytes = 0;
  uint64_t missed_deadlines = 0;
  double seconds = 0;
  std::vector<std::string> arrived;   // paths
  std::vector<std::string> failures;  // "PATH: result: what the reader said"
  std::vector<uint64_t> latencies_us;
};

AnsweredRequests request_all(skl::Context& context, const std::vector<WantedRead>& wanted,
                             const RequestSettings& settings);

}  // namespace seekless
