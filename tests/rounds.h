// Shortens long random tests under sanitizers to a fifth of their rounds: sanitizers take ten times
// as long, and find in any round what they look for.
#pragma once

namespace seekless::test {

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SKL_IS_SANITIZED true
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SKL_IS_SANITIZED true
#endif

template <typename Count>
constexpr Count rounds(Count all) {
#ifdef SKL_IS_SANITIZED
  return (all + 4) / 5;
#else
  return all;
#endif
}

}  // namespace seekless::test
