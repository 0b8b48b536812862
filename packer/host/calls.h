// Wraps system calls on open files, in POSIX' form on all systems. On failure they return -1 (or
// false) and leave the reason in errno. Paths are UTF-8. Calls that change names work in an open
// folder (fence.h). They are implemented in calls_posix.cpp and calls_windows.cpp; each build uses
// one of the two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace seekless {
class OpenFolder;  // see fence.h
}

namespace seekless::calls {

enum class Kind : uint8_t { file, folder, link, pipe, socket, device };

struct Status {
  Kind kind = Kind::file;
  uint64_t size_bytes = 0;
};

// Open files are numbers from 0 on; the first ones are the standard streams.
int open_to_read(const std::string& path, bool waits_for_writers);
// Opens a file for writing, and keeps its content. If it doesn't exist, it is created with the
// rights that the user's mask allows.
int open_to_write(const OpenFolder& folder, const std::string& name);
// Creates a file for reading and writing. Gives EEXIST if the name exists. If it is private, only
// this user can open it.
int create_new(const OpenFolder& folder, const std::string& name, bool is_private);
// Opens an existing file for reading and writing. Doesn't follow a link.
int open_there(const OpenFolder& folder, const std::string& name);
// Opens an existing file for reading. Doesn't follow a link.
int open_there_to_read(const OpenFolder& folder, const std::string& name);
// Opens a file without a name for reading and writing; it disappears when it is closed.
int open_nameless();
// Opens the file a second time under its name, to write past the system's cache in multiples of 4
// KiB. Fails if the file system can't bypass the cache, or if the name now belongs to a file other
// than `file`.
int open_past_cache(const OpenFolder& folder, const std::string& name, int file);
int close(int file) noexcept;

bool look_at(int file, Status& status);
// Returns true if the name exists, even if it is a link that leads nowhere.
bool is_there(const OpenFolder& folder, const std::string& name) noexcept;
bool is_there(const std::string& path) noexcept;

// Returns the number of bytes, which may be fewer than asked for.
int64_t read(int file, void* bytes, size_t count);
int64_t read_at(int file, void* bytes, size_t count, uint64_t offset_bytes);
int64_t write(int file, const void* bytes, size_t count);
int64_t write_at(int file, const void* bytes, size_t count, uint64_t offset_bytes);

// Reserves space before writing. Returns 0, or the error.
int reserve(int file, uint64_t size_bytes);
int resize(int file, uint64_t size_bytes);
int flush(int file);
// Locks the file against other programs until it is closed. Gives EWOULDBLOCK if another program
// has the lock.
int lock(int file) noexcept;

// Renames a file; replaces an existing one.
int rename(const OpenFolder& from_folder, const std::string& from, const OpenFolder& to_folder,
           const std::string& to);
int remove_file(const OpenFolder& folder, const std::string& name);
int remove_folder(const OpenFolder& folder, const std::string& name);
int flush_folder(const OpenFolder& folder);
int flush_file_system(const OpenFolder& folder);

// Each of these classifies an error for which systems have different codes. This one means a full
// disk, a full quota, or a file that has reached its size limit.
bool is_no_room(int os_error);
bool is_lost_connection(int os_error);  // the connection to a network file system was lost

// Fills `bytes` with unpredictable random bytes.
bool random_bytes(void* bytes, size_t count);

}  // namespace seekless::calls
