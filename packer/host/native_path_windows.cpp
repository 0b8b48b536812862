#include "packer/host/errors_windows.h"
#include "packer/host/native_path.h"
#include "runtime/names_windows.h"

namespace seekless {

// What isn't UTF-8 becomes a name that nothing has.
std::filesystem::path to_native(const std::string& path) {
  return runtime::to_wide_path(path).value_or(L"<");
}

std::filesystem::path path_of_text(const std::string& path) {
  return runtime::to_wide(path).value_or(L"<");
}

std::string from_native(const std::filesystem::path& path) {
  std::wstring text = path.generic_wstring();
  if (text.starts_with(L"//?/UNC/"))
    text.erase(2, 6);
  else if (text.starts_with(L"//?/"))
    text.erase(0, 4);
  return runtime::to_utf8(text);
}

bool has_windows_names() {
  return true;
}

int os_error_of(const std::error_code& error) {
  return error.category() == std::system_category() ? errno_of(static_cast<uint32_t>(error.value()))
                                                    : error.value();
}

}  // namespace seekless
