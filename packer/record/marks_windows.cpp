#include <array>
#include <charconv>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <windows.h>

#include "packer/host/files.h"
#include "packer/host/folder_entries.h"
#include "packer/host/own_folder.h"
#include "packer/record/marks.h"
#include "runtime/handle_windows.h"
#include "runtime/names_windows.h"

namespace seekless {
namespace {

constexpr DWORD kPollMs = 100;
constexpr DWORD kAnswerMs = 5'000;

std::wstring pipe_of(uint32_t process) {
  return L"\\\\.\\pipe\\seekless-record-" + std::to_wstring(process);
}

// Returns the folder that holds an empty file for each running recording, named by its process.
// Windows removes the file together with its handle.
std::string folder_of_recordings() {
  const std::string state = state_folder();
  return state.empty() ? "" : state + "/recordings";
}

runtime::Handle sign_up() {
  const std::string folder = folder_of_recordings();
  if (folder.empty() || !make_folders(folder)) return {};
  const std::string file = fmt::format("{}/{}", folder, ::GetCurrentProcessId());
  const auto path = runtime::to_wide_path(file);
  if (!path) return {};
  return runtime::Handle(::CreateFileW(path->c_str(), GENERIC_WRITE | DELETE,
                                       FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                                       nullptr, CREATE_ALWAYS, FILE_FLAG_DELETE_ON_CLOSE, nullptr));
}

// Returns false if the call doesn't complete before the listener must stop.
bool has_happened(HANDLE pipe, OVERLAPPED& call, BOOL begun, const std::stop_token& stop) {
  if (begun != 0) return true;
  const DWORD error = ::GetLastError();
  if (error == ERROR_PIPE_CONNECTED) return true;
  if (error != ERROR_IO_PENDING) return false;
  while (::WaitForSingleObject(call.hEvent, kPollMs) == WAIT_TIMEOUT)
    if (stop.stop_requested()) {
      ::CancelIoEx(pipe, &call);
      break;
    }
  DWORD count = 0;
  return ::GetOverlappedResult(pipe, &call, &count, TRUE) != 0;
}

}  // namespace

struct MarkListener::Endpoint {
  runtime::Handle pipe;
  runtime::Handle event;
  runtime::Handle sign;
};

// Makes the pipe. Its default rights let only this user write to it.
Result<MarkListener> MarkListener::create(const std::string& file, Handler handler) {
  auto endpoint = std::make_shared<Endpoint>();
  constexpr DWORD kSize = kMaxMarkMessageBytes;
  endpoint->pipe = runtime::Handle(::CreateNamedPipeW(
      pipe_of(::GetCurrentProcessId()).c_str(),
      PIPE_ACCESS_DUPLEX | FILE_FLAG_OVERLAPPED | FILE_FLAG_FIRST_PIPE_INSTANCE,
      PIPE_TYPE_MESSAGE | PIPE_READMODE_MESSAGE | PIPE_WAIT | PIPE_REJECT_REMOTE_CLIENTS, 1, kSize,
      kSize, 0, nullptr));
  endpoint->event = runtime::Handle(::CreateEventW(nullptr, TRUE, FALSE, nullptr));
  endpoint->sign = sign_up();
  if (!endpoint->pipe || !endpoint->event || !endpoint->sign)
    return failed({.file = file,
                   .found = fmt::format("that no pipe for marks can be made ({})",
                                        runtime::text_of_error(::GetLastError()))});
  return MarkListener(std::move(endpoint), canonical_path(file), std::move(handler));
}

void MarkListener::listen_on(Endpoint& endpoint, const std::string& file, const Handler& handler,
                             const std::stop_token& stop) {
  const HANDLE pipe = endpoint.pipe.get();
  std::string message(kMaxMarkMessageBytes, '\0');
  while (!stop.stop_requested()) {
    OVERLAPPED call = {};
    call.hEvent = endpoint.event.get();
    if (!has_happened(pipe, call, ::ConnectNamedPipe(pipe, &call), stop)) {
      // The caller has left already, or the listener must stop.
      ::DisconnectNamedPipe(pipe);
      ::Sleep(1);
      continue;
    }
    const BOOL begun =
        ::ReadFile(pipe, message.data(), static_cast<DWORD>(message.size()), nullptr, &call);
    DWORD got = 0;
    if (has_happened(pipe, call, begun, stop) &&
        ::GetOverlappedResult(pipe, &call, &got, FALSE) != 0) {
      const std::string answer = answer_to(message.substr(0, got), file, handler);
      const BOOL sent =
          ::WriteFile(pipe, answer.data(), static_cast<DWORD>(answer.size()), nullptr, &call);
      has_happened(pipe, call, sent, stop);
      ::FlushFileBuffers(pipe);  // waits until the caller has read the answer
    }
    ::DisconnectNamedPipe(pipe);
  }
}

Result<std::string> ask_recording(uint32_t process, const std::string& message) {
  std::string answer(kMaxMarkMessageBytes, '\0');
  std::string asked = message;
  DWORD got = 0;
  const bool has_answered =
      ::CallNamedPipeW(pipe_of(process).c_str(), asked.data(), static_cast<DWORD>(asked.size()),
                       answer.data(), static_cast<DWORD>(answer.size()), &got, kAnswerMs) != 0;
  answer.resize(got);
  return understood_answer(name_of_recording(process),
                           has_answered ? std::optional(answer) : std::nullopt);
}

Result<std::vector<uint32_t>> recording_processes() {
  std::vector<uint32_t> processes;
  const std::string folder = folder_of_recordings();
  if (folder.empty() || kind_of_path(folder) != PathKind::folder) return processes;
  SKL_TRY(const auto entries, find_entries(folder));
  for (const FolderEntry& entry : entries) {
    uint32_t process = 0;
    const char* end = entry.name.data() + entry.name.size();
    if (std::from_chars(entry.name.data(), end, process).ptr == end) processes.push_back(process);
  }
  return processes;
}

}  // namespace seekless
