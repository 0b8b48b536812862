// The parts of C++20 and C++23 that seekless.hpp needs, for C++17 and C++20: expected, unexpected
// and span, with the members named here. seekless.hpp includes this file if the standard library
// has no <expected> or no <span>; games needn't include it.
#ifndef SEEKLESS_BEFORE_CPP23_HPP
#define SEEKLESS_BEFORE_CPP23_HPP

#include <array>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <functional>
#include <type_traits>
#include <utility>
#include <variant>

namespace skl {
namespace before_cpp23 {

template <typename E>
class unexpected {
 public:
  explicit unexpected(const E& error) : error_(error) {}
  explicit unexpected(E&& error) : error_(std::move(error)) {}
  const E& error() const& { return error_; }
  E& error() & { return error_; }
  E&& error() && { return std::move(error_); }

 private:
  E error_;
};
template <typename E>
unexpected(E) -> unexpected<E>;

struct bad_expected_access : std::exception {
  const char* what() const noexcept override { return "there is an error, and no value"; }
};

// Without exceptions, accessing a missing value ends the program.
[[noreturn]] inline void no_value() {
#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
  throw bad_expected_access();
#else
  std::abort();
#endif
}

template <typename T, typename E>
class expected;

template <typename T>
struct is_expected : std::false_type {};
template <typename T, typename E>
struct is_expected<expected<T, E>> : std::true_type {};

// The shared base of an expected with a value and of one without (void).
template <typename Held, typename E>
class expected_base {
 public:
  bool has_value() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return has_value(); }
  const E& error() const& { return *std::get_if<1>(&state_); }
  E& error() & { return *std::get_if<1>(&state_); }
  E&& error() && { return std::move(*std::get_if<1>(&state_)); }

 protected:
  template <typename... Arguments>
  explicit expected_base(std::in_place_index_t<0> held, Arguments&&... arguments)
      : state_(held, std::forward<Arguments>(arguments)...) {}
  template <typename Error>
  expected_base(std::in_place_index_t<1> failed, Error&& error)
      : state_(failed, std::forward<Error>(error)) {}
  Held* held() { return std::get_if<0>(&state_); }
  const Held* held() const { return std::get_if<0>(&state_); }

 private:
  std::variant<Held, E> state_;
};

template <typename T, typename E>
class expected : public expected_base<T, E> {
  using Base = expected_base<T, E>;

 public:
  using value_type = T;
  using error_type = E;
  expected() : Base(std::in_place_index<0>) {}
  template <typename U = T,
            std::enable_if_t<std::is_constructible_v<T, U> && std::is_convertible_v<U, T> &&
                                 !is_expected<std::decay_t<U>>::value,
                             int> = 0>
  expected(U&& value) : Base(std::in_place_index<0>, std::forward<U>(value)) {}
  template <typename G>
  expected(const unexpected<G>& failed) : Base(std::in_place_index<1>, failed.error()) {}
  template <typename G>
  expected(unexpected<G>&& failed) : Base(std::in_place_index<1>, std::move(failed).error()) {}

  const T& operator*() const& { return *this->held(); }
  T& operator*() & { return *this->held(); }
  T&& operator*() && { return std::move(*this->held()); }
  const T* operator->() const { return this->held(); }
  T* operator->() { return this->held(); }
  const T& value() const& {
    if (!this->has_value()) no_value();
    return **this;
  }
  T& value() & {
    if (!this->has_value()) no_value();
    return **this;
  }
  T&& value() && {
    if (!this->has_value()) no_value();
    return std::move(**this);
  }
  template <typename U>
  T value_or(U&& other) const& {
    return this->has_value() ? **this : static_cast<T>(std::forward<U>(other));
  }
  template <typename U>
  T value_or(U&& other) && {
    return this->has_value() ? std::move(**this) : static_cast<T>(std::forward<U>(other));
  }

  // `call` takes the value and returns an expected with the same error type.
  template <typename Call>
  auto and_then(Call call) && -> std::decay_t<std::invoke_result_t<Call, T&&>> {
    if (!this->has_value()) return unexpected<E>(std::move(*this).error());
    return std::invoke(std::move(call), std::move(**this));
  }
  // `call` takes the value and returns another value.
  template <typename Call>
  auto transform(Call call) && -> expected<std::decay_t<std::invoke_result_t<Call, T&&>>, E> {
    if (!this->has_value()) return unexpected<E>(std::move(*this).error());
    return std::invoke(std::move(call), std::move(**this));
  }
  // `call` takes the error and returns an expected with the same value type.
  template <typename Call>
  expected or_else(Call call) && {
    if (this->has_value()) return std::move(*this);
    return std::invoke(std::move(call), std::move(*this).error());
  }
};

template <typename E>
class expected<void, E> : public expected_base<std::monostate, E> {
  using Base = expected_base<std::monostate, E>;

 public:
  using value_type = void;
  using error_type = E;
  expected() : Base(std::in_place_index<0>) {}
  template <typename G>
  expected(const unexpected<G>& failed) : Base(std::in_place_index<1>, failed.error()) {}
  template <typename G>
  expected(unexpected<G>&& failed) : Base(std::in_place_index<1>, std::move(failed).error()) {}

  void operator*() const {}
  void value() const {
    if (!this->has_value()) no_value();
  }
  template <typename Call>
  auto and_then(Call call) && -> std::decay_t<std::invoke_result_t<Call>> {
    if (!this->has_value()) return unexpected<E>(std::move(*this).error());
    return std::invoke(std::move(call));
  }
  template <typename Call>
  expected or_else(Call call) && {
    if (this->has_value()) return std::move(*this);
    return std::invoke(std::move(call), std::move(*this).error());
  }
};

template <typename T>
class span {
  // Accepts a container if its data() points to the same type, or to that type without const.
  template <typename Container>
  using fits = std::enable_if_t<
      std::is_convertible_v<
          std::remove_pointer_t<decltype(std::declval<Container&>().data())> (*)[], T (*)[]> &&
          std::is_convertible_v<decltype(std::declval<Container&>().size()), size_t>,
      int>;

 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
  constexpr span() = default;
  constexpr span(T* data, size_t size) : data_(data), size_(size) {}
  template <size_t size>
  constexpr span(T (&array)[size]) : data_(array), size_(size) {}
  template <typename Container, fits<Container> = 0>
  constexpr span(Container& of) : data_(of.data()), size_(of.size()) {}
  template <typename Container, fits<const Container> = 0>
  constexpr span(const Container& of) : data_(of.data()), size_(of.size()) {}

  constexpr T* data() const { return data_; }
  constexpr size_t size() const { return size_; }
  constexpr size_t size_bytes() const { return size_ * sizeof(T); }
  constexpr bool empty() const { return size_ == 0; }
  constexpr T* begin() const { return data_; }
  constexpr T* end() const { return data_ + size_; }
  constexpr T& operator[](size_t index) const { return data_[index]; }
  constexpr T& front() const { return data_[0]; }
  constexpr T& back() const { return data_[size_ - 1]; }
  constexpr span first(size_t count) const { return {data_, count}; }
  constexpr span last(size_t count) const { return {data_ + (size_ - count), count}; }
  constexpr span subspan(size_t offset) const { return {data_ + offset, size_ - offset}; }
  constexpr span subspan(size_t offset, size_t count) const { return {data_ + offset, count}; }

 private:
  T* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace before_cpp23
}  // namespace skl

#endif
