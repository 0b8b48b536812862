#include "packer/window/internal/request_check.h"

#include <array>
#include <utility>

#include "packer/host/calls.h"

namespace seekless {
namespace {

constexpr std::string_view kLoopback = "127.0.0.1";

// Compares in constant time, so that nobody can guess the token bit by bit.
bool is_same_secret(std::string_view one, std::string_view other) {
  if (one.size() != other.size()) return false;
  unsigned differing = 0;
  for (size_t i = 0; i < one.size(); ++i)
    differing |= static_cast<unsigned>(static_cast<unsigned char>(one[i] ^ other[i]));
  return differing == 0;
}

}  // namespace

RequestCheck::RequestCheck(int port, std::string token)
    : port_(std::to_string(port)), token_(std::move(token)) {}

bool RequestCheck::is_own_host(std::string_view host) const {
  return host == std::string(kLoopback) + ":" + port_ || host == "localhost:" + port_;
}

bool RequestCheck::has_token(std::string_view path) const {
  return !token_.empty() && path.size() > token_.size() + 1 && path[0] == '/' &&
         path[token_.size() + 1] == '/' && is_same_secret(path.substr(1, token_.size()), token_);
}

bool RequestCheck::allows(const WindowRequest& request) const {
  // Another user can read the address, with its token, in the browser's command line.
  if (request.peer != kLoopback || request.is_of_other_user) return false;
  if (request.has_several_hosts || !is_own_host(request.host)) return false;
  if (!has_token(request.path)) return false;
  if (!request.fetch_site.empty() && request.fetch_site != "same-origin" &&
      request.fetch_site != "none")
    return false;
  // Browsers send an Origin with each request that may change something.
  if (request.origin.empty()) return request.method == "GET";
  return request.origin.starts_with("http://") && is_own_host(request.origin.substr(7)) &&
         (request.method == "GET" || request.method == "POST");
}

std::string_view RequestCheck::below_token(std::string_view path) const {
  return path.substr(token_.size() + 2);
}

std::string RequestCheck::address() const {
  return "http://" + std::string(kLoopback) + ":" + port_ + "/" + token_ + "/";
}

std::string random_token() {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::array<unsigned char, 16> bytes;
  if (!calls::random_bytes(bytes.data(), bytes.size())) return {};
  std::string token;
  for (const unsigned char byte : bytes) {
    token += kDigits[byte >> 4];
    token += kDigits[byte & 15];
  }
  return token;
}

}  // namespace seekless
