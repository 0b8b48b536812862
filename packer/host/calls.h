// What the packer asks of the operating system for open files, in one form for all systems: as
// POSIX has it. What fails returns -1 (or false), and leaves the reason in errno. Paths are UTF-8.
// What changes names is done in an open folder (fence.h).
// calls_posix.cpp and calls_windows.cpp hold them; each build has one of the two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace seekless {
class OpenFolder;  // fence.h
}

namespace seekless::calls {

enum class Kind : uint8_t { file, folder, link, pipe, socket, device };

struct Status {
  Kind kind = Kind::file;
  uint64_t size_bytes = 0;
};

// Open files are numbers from 0 on, the standard streams the first of them.
int open_to_read(const std::string& path, bool waits_for_writers);
// To write; made, for all whom the user lets, if there is none. Its content stays.
int open_to_write(const OpenFolder& folder, const std::string& name);
// To read and write. EEXIST if there is something of that name. A private one is the user's alone.
int create_new(const OpenFolder& folder, const std::string& name, bool is_private);
// To read and write what is there. A link isn't followed.
int open_there(const OpenFolder& folder, const std::string& name);
// The same to read alone.
int open_there_to_read(const OpenFolder& folder, const std::string& name);
// To read and write; without a name, and gone when it is closed.
int open_nameless();
// To write the open file, which has that name, past the system's cache, in multiples of 4 KiB;
// refused where there is only the cache, and if another file has the name by now.
int open_past_cache(const OpenFolder& folder, const std::string& name, int file);
int close(int file) noexcept;

bool look_at(int file, Status& status);
// The link itself, if it is one.
bool is_there(const OpenFolder& folder, const std::string& name) noexcept;
bool is_there(const std::string& path) noexcept;

// How many bytes; they may be fewer than asked for.
int64_t read(int file, void* bytes, size_t count);
int64_t read_at(int file, void* bytes, size_t count, uint64_t offset_bytes);
int64_t write(int file, const void* bytes, size_t count);
int64_t write_at(int file, const void* bytes, size_t count, uint64_t offset_bytes);

// Makes room before the writing. 0, or why not.
int reserve(int file, uint64_t size_bytes);
int resize(int file, uint64_t size_bytes);
int flush(int file);
// Keeps others out until the file is closed. EWOULDBLOCK: somebody else does.
int lock(int file) noexcept;

// Puts it in the place of what is there.
int rename(const OpenFolder& from_folder, const std::string& from, const OpenFolder& to_folder,
           const std::string& to);
int remove_file(const OpenFolder& folder, const std::string& name);
int remove_folder(const OpenFolder& folder, const std::string& name);
int flush_folder(const OpenFolder& folder);
int flush_file_system(const OpenFolder& folder);

// What a reason means where systems have reasons of their own.
bool is_no_room(int os_error);          // on the disk, or for this user, or in such a file
bool is_lost_connection(int os_error);  // to a network's file system

// Fills them with bytes that nobody can tell beforehand.
bool random_bytes(void* bytes, size_t count);

}  // namespace seekless::calls
