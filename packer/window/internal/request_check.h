// Decides which requests the window's server answers: only those of the page that this user's
// browser opened. Pure.
#pragma once

#include <string>
#include <string_view>

namespace seekless {

struct WindowRequest {
  std::string method;
  std::string path;        // decoded, without the query
  std::string host;        // the header Host
  std::string origin;      // empty if there is no such header
  std::string fetch_site;  // the header Sec-Fetch-Site, or empty
  std::string peer;        // the address that the request comes from
  bool has_several_hosts = false;
  bool is_of_other_user =
      false;  // the program at the other end of the connection isn't this user's
};

class RequestCheck {
 public:
  RequestCheck(int port, std::string token);

  // Returns true if the request may be answered. A page of another site can't know the token, can't
  // send this Host (browsers send the site's own name, even if it resolves to this address), and
  // can't hide its Origin.
  bool allows(const WindowRequest& request) const;
  // Returns the part of an allowed path after the token: "games", or "" for the page itself.
  std::string_view below_token(std::string_view path) const;

  std::string address() const;  // the URL for the browser

 private:
  bool is_own_host(std::string_view host) const;
  bool has_token(std::string_view path) const;

  std::string port_;
  std::string token_;
};

// Returns 128 random bits as letters and digits; empty if the system has none.
std::string random_token();

}  // namespace seekless
