#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

// Each header needs the one above it.
// clang-format off
#include <winsock2.h>
#include <windows.h>
#include <iphlpapi.h>
// clang-format on

#include "packer/host/own_connection.h"
#include "runtime/handle_windows.h"

namespace seekless {
namespace {

constexpr DWORD kLoopback = 0x0100007f;  // 127.0.0.1, as the tables hold it
constexpr int kTries = 5;                // the table may grow while it is asked for

struct ConnectionOwner {
  DWORD process;
  bool is_open;  // neither end has closed it
};

// Returns the system's table of connections; empty if it can't be read.
std::vector<std::byte> table_of(ULONG family) {
  std::vector<std::byte> table(1 << 16);
  auto bytes = static_cast<DWORD>(table.size());
  for (int i = 0; i < kTries; ++i) {
    const DWORD error = ::GetExtendedTcpTable(table.data(), &bytes, FALSE, family,
                                              TCP_TABLE_OWNER_PID_CONNECTIONS, 0);
    if (error == NO_ERROR) return table;
    if (error != ERROR_INSUFFICIENT_BUFFER) break;
    table.resize(bytes);
  }
  return {};
}

int port_of(DWORD in_network_order) {
  return std::byteswap(static_cast<uint16_t>(in_network_order));  // Windows is little-endian
}

std::optional<ConnectionOwner> owner_in(const MIB_TCPTABLE_OWNER_PID& table, int from, int to) {
  for (DWORD i = 0; i < table.dwNumEntries; ++i) {
    const MIB_TCPROW_OWNER_PID& row = table.table[i];
    if (row.dwLocalAddr == kLoopback && row.dwRemoteAddr == kLoopback &&
        port_of(row.dwLocalPort) == from && port_of(row.dwRemotePort) == to)
      return ConnectionOwner{row.dwOwningPid, row.dwState == MIB_TCP_STATE_ESTAB};
  }
  return std::nullopt;
}

// An IPv6 socket has the address ::ffff:127.0.0.1.
std::optional<ConnectionOwner> owner_in(const MIB_TCP6TABLE_OWNER_PID& table, int from, int to) {
  constexpr size_t kMappedAt = 12;
  const auto is_loopback = [](const UCHAR* address) {
    return address[kMappedAt] == 127 && address[kMappedAt + 3] == 1;
  };
  for (DWORD i = 0; i < table.dwNumEntries; ++i) {
    const MIB_TCP6ROW_OWNER_PID& row = table.table[i];
    if (is_loopback(row.ucLocalAddr) && port_of(row.dwLocalPort) == from &&
        port_of(row.dwRemotePort) == to)
      return ConnectionOwner{row.dwOwningPid, row.dwState == MIB_TCP_STATE_ESTAB};
  }
  return std::nullopt;
}

// Returns the user's identifier inside the token's description; empty if unknown.
std::vector<std::byte> user_of(HANDLE process) {
  HANDLE opened = nullptr;
  if (::OpenProcessToken(process, TOKEN_QUERY, &opened) == 0) return {};
  const runtime::Handle token(opened);
  DWORD bytes = 0;
  ::GetTokenInformation(token.get(), TokenUser, nullptr, 0, &bytes);
  std::vector<std::byte> user(bytes);
  if (bytes == 0 || ::GetTokenInformation(token.get(), TokenUser, user.data(), bytes, &bytes) == 0)
    return {};
  return user;
}

bool is_of_this_user(DWORD process) {
  const runtime::Handle opened(::OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, process));
  if (!opened) return false;
  const auto theirs = user_of(opened.get());
  const auto own = user_of(::GetCurrentProcess());
  if (theirs.empty() || own.empty()) return false;
  return ::EqualSid(reinterpret_cast<const TOKEN_USER*>(theirs.data())->User.Sid,
                    reinterpret_cast<const TOKEN_USER*>(own.data())->User.Sid) != 0;
}

}  // namespace

bool is_own_connection(int peer_port, int own_port) {
  const auto table = table_of(AF_INET);
  if (table.empty()) return true;
  auto owner =
      owner_in(*reinterpret_cast<const MIB_TCPTABLE_OWNER_PID*>(table.data()), peer_port, own_port);
  if (!owner) {
    const auto other = table_of(AF_INET6);
    if (!other.empty())
      owner = owner_in(*reinterpret_cast<const MIB_TCP6TABLE_OWNER_PID*>(other.data()), peer_port,
                       own_port);
  }
  if (!owner) return false;
  // Wine reports no process for connections of Linux programs. Windows reports one for each open
  // connection.
  if (owner->process == 0) return owner->is_open;
  return is_of_this_user(owner->process);
}

}  // namespace seekless
