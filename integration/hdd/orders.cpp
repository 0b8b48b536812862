#include "integration/hdd/orders.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>
#include <string>
#include <system_error>

namespace seekless::hdd {
namespace {

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  if (line.ends_with('\n')) line.remove_suffix(1);
  while (!line.empty()) {
    const size_t end = std::min(line.find(' '), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return words;
}

template <typename Number>
bool read_number(std::string_view word, Number& into) {
  const char* end = word.data() + word.size();
  const auto read = std::from_chars(word.data(), end, into);
  return read.ec == std::errc() && read.ptr == end;
}

bool read_time(std::string_view word, double most, double& into) {
  return read_number(word, into) && std::isfinite(into) && into > 0 && into <= most;
}

bool read_fault(std::span<const std::string_view> words, ReadFault& fault) {
  return read_number(words[0], fault.begin_bytes) && read_number(words[1], fault.length_bytes) &&
         read_number(words[2], fault.times) && read_number(words[3], fault.after_reads) &&
         fault.length_bytes > 0 &&
         fault.length_bytes <= std::numeric_limits<uint64_t>::max() - fault.begin_bytes;
}

}  // namespace

std::optional<Order> parse_order(std::string_view line) {
  const std::vector<std::string_view> words = words_of(line);
  if (words.empty()) return std::nullopt;
  const std::string_view name = words.front();
  const auto rest = std::span(words).subspan(1);
  Order order;
  bool is_right = rest.empty();
  if (name == "reset") {
    order.kind = Order::Kind::reset;
  } else if (name == "none") {
    order.kind = Order::Kind::none;
  } else if (name == "eio") {
    order.kind = Order::Kind::fault;
    is_right = rest.size() == 4 && read_fault(rest, order.fault);
  } else if (name == "slow") {
    order.kind = Order::Kind::fault;
    is_right = rest.size() == 5 && read_fault(rest, order.fault) &&
               read_time(rest[4], kMaxSlowMs, order.fault.slow_ms);
  } else if (name == "stuck") {
    order.kind = Order::Kind::stuck;
    is_right = rest.size() == 1 && read_time(rest[0], kMaxStuckS, order.stuck_s);
  } else {
    is_right = false;
  }
  if (!is_right) return std::nullopt;
  return order;
}

Faults::Strike Faults::on_read(uint64_t begin_bytes, uint64_t length_bytes) {
  Strike strike;
  for (ReadFault& fault : faults_) {
    if (fault.after_reads > 0) {
      --fault.after_reads;
      continue;
    }
    const bool touches = begin_bytes < fault.begin_bytes
                             ? length_bytes > fault.begin_bytes - begin_bytes
                             : begin_bytes - fault.begin_bytes < fault.length_bytes;
    if (!touches) continue;
    strike.fails = strike.fails || fault.slow_ms == 0;
    strike.slow_ms += fault.slow_ms;
    if (fault.times > 0 && --fault.times == 0) fault.length_bytes = 0;
  }
  std::erase_if(faults_, [](const ReadFault& fault) { return fault.length_bytes == 0; });
  if (strike.fails) ++counters_.failed_reads;
  if (strike.slow_ms > 0) ++counters_.slow_reads;
  return strike;
}

}  // namespace seekless::hdd
