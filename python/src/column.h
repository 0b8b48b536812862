// A column of numbers that Python accesses as a memoryview, without a copy.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

namespace seekless::python {

template <typename T>
nanobind::object to_column(std::vector<T>&& values) {
  auto* kept = new std::vector<T>(std::move(values));
  kept->reserve(1);  // gives even an empty column an address
  const nanobind::capsule owner(kept,
                                [](void* of) noexcept { delete static_cast<std::vector<T>*>(of); });
  return nanobind::cast(nanobind::ndarray<nanobind::memview, T, nanobind::ndim<1>>(
      kept->data(), {kept->size()}, owner));
}

// Marks the rows of a column that have a value, as Arrow does: one bit per row, the lowest first.
class ValidRows {
 public:
  void add(bool is_valid) {
    if (rows_ % 8 == 0) bits_.push_back(0);
    if (is_valid) bits_.back() = static_cast<uint8_t>(bits_.back() | 1U << rows_ % 8);
    ++rows_;
  }
  std::vector<uint8_t> take() { return std::move(bits_); }

 private:
  std::vector<uint8_t> bits_;
  size_t rows_ = 0;
};

}  // namespace seekless::python
