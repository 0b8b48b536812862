#include "packer/window/internal/request_check.h"

#include <gtest/gtest.h>

namespace seekless {
namespace {

const std::string kToken = "0123456789abcdef0123456789abcdef";

WindowRequest own_request(const std::string& method = "GET") {
  return {.method = method,
          .path = "/" + kToken + "/games",
          .host = "127.0.0.1:4000",
          .origin = method == "POST" ? "http://127.0.0.1:4000" : "",
          .fetch_site = "same-origin",
          .peer = "127.0.0.1"};
}

bool is_allowed(const WindowRequest& request) {
  return RequestCheck(4000, kToken).allows(request);
}

TEST(RequestCheck, allows_the_own_page) {
  EXPECT_TRUE(is_allowed(own_request()));
  EXPECT_TRUE(is_allowed(own_request("POST")));
  EXPECT_EQ(RequestCheck(4000, kToken).below_token("/" + kToken + "/"), "");
  EXPECT_EQ(RequestCheck(4000, kToken).address(), "http://127.0.0.1:4000/" + kToken + "/");
}

TEST(RequestCheck, refuses_other_hosts) {
  for (const char* host : {"", "evil.example", "evil.example:4000", "127.0.0.1", "127.0.0.1:4001",
                           "127.0.0.1:4000.evil.example", "0.0.0.0:4000", "[::1]:4000"}) {
    WindowRequest request = own_request();
    request.host = host;
    EXPECT_FALSE(is_allowed(request)) << host;
  }
  WindowRequest of_other_user = own_request();
  of_other_user.is_of_other_user = true;
  EXPECT_FALSE(is_allowed(of_other_user));
  WindowRequest twice = own_request();
  twice.has_several_hosts = true;
  EXPECT_FALSE(is_allowed(twice));
}

TEST(RequestCheck, refuses_other_origins_and_sites) {
  for (const char* origin : {"null", "http://evil.example", "https://127.0.0.1:4000",
                             "http://127.0.0.1:4001", "http://127.0.0.1:4000.evil.example"}) {
    WindowRequest request = own_request("POST");
    request.origin = origin;
    EXPECT_FALSE(is_allowed(request)) << origin;
  }
  WindowRequest request = own_request("POST");
  request.origin = "";
  EXPECT_FALSE(is_allowed(request)) << "a change without an Origin";
  for (const char* site : {"cross-site", "same-site", "odd"}) {
    request = own_request();
    request.fetch_site = site;
    EXPECT_FALSE(is_allowed(request)) << site;
  }
}

TEST(RequestCheck, refuses_wrong_tokens_methods_and_peers) {
  for (const std::string& path :
       {std::string("/"), std::string(), "/" + kToken, "/" + kToken.substr(1) + "/",
        "//" + kToken + "/", "/0" + kToken.substr(1, 31) + "0/", kToken + "/games",
        "/x/../" + kToken + "/"}) {
    WindowRequest request = own_request();
    request.path = path;
    EXPECT_FALSE(is_allowed(request)) << path;
  }
  for (const char* method : {"PUT", "DELETE", "OPTIONS", "HEAD", ""})
    EXPECT_FALSE(is_allowed(own_request(method))) << method;
  WindowRequest request = own_request();
  request.peer = "192.168.0.2";
  EXPECT_FALSE(is_allowed(request));
  EXPECT_FALSE(RequestCheck(4000, "").allows(own_request()));
}

TEST(RequestCheck, makes_tokens_that_differ) {
  EXPECT_EQ(random_token().size(), 32U);
  EXPECT_NE(random_token(), random_token());
}

}  // namespace
}  // namespace seekless
