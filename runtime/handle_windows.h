// Owns an open file, folder, event or port of Windows.
#pragma once

#include <utility>

#include <windows.h>

namespace seekless::runtime {

class Handle {
 public:
  Handle() = default;
  // Windows has two values that mean "no handle"; both are accepted.
  explicit Handle(HANDLE value) : value_(value == INVALID_HANDLE_VALUE ? nullptr : value) {}
  Handle(Handle&& other) noexcept : value_(std::exchange(other.value_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Handle() {
    if (value_ != nullptr) ::CloseHandle(value_);
  }
  explicit operator bool() const { return value_ != nullptr; }
  HANDLE get() const { return value_; }
  HANDLE release() { return std::exchange(value_, nullptr); }

 private:
  HANDLE value_ = nullptr;
};

}  // namespace seekless::runtime
