#include "packer/host/registry_windows.h"

#include <array>

#include <windows.h>

#include "runtime/names_windows.h"

namespace seekless {
namespace {

constexpr DWORD kMostKeys = 20'000;
constexpr DWORD kMostKeyLetters = 256;      // limit of the registry, with its end
constexpr DWORD kMostValueBytes = 1 << 16;  // longer than any path

HKEY handle_of(RegistryRoot root) {
  return root == RegistryRoot::user ? HKEY_CURRENT_USER : HKEY_LOCAL_MACHINE;
}

}  // namespace

std::string registry_text(RegistryRoot root, const std::string& key, const std::string& name) {
  const auto wide_key = runtime::to_wide(key);
  const auto wide_name = runtime::to_wide(name);
  if (!wide_key || !wide_name) return {};
  std::wstring value(kMostValueBytes / sizeof(wchar_t), L'\0');
  DWORD bytes = kMostValueBytes;
  // The call ends the text with a NUL, and expands %VARIABLES%.
  if (::RegGetValueW(handle_of(root), wide_key->c_str(), wide_name->c_str(), RRF_RT_REG_SZ, nullptr,
                     value.data(), &bytes) != ERROR_SUCCESS)
    return {};
  value.resize(value.find(L'\0'));
  return runtime::to_utf8(value);
}

std::vector<std::string> registry_keys(RegistryRoot root, const std::string& key) {
  std::vector<std::string> names;
  const auto wide_key = runtime::to_wide(key);
  HKEY opened = nullptr;
  if (!wide_key ||
      ::RegOpenKeyExW(handle_of(root), wide_key->c_str(), 0, KEY_READ, &opened) != ERROR_SUCCESS)
    return names;
  for (DWORD number = 0; number < kMostKeys; ++number) {
    std::array<wchar_t, kMostKeyLetters> name;
    DWORD letters = kMostKeyLetters;
    if (::RegEnumKeyExW(opened, number, name.data(), &letters, nullptr, nullptr, nullptr,
                        nullptr) != ERROR_SUCCESS)
      break;
    names.push_back(runtime::to_utf8({name.data(), letters}));
  }
  ::RegCloseKey(opened);
  return names;
}

}  // namespace seekless
