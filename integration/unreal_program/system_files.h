// The lowest layer of files, which the engine implements for each system. This one is read-only and
// uses the C++ library.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "GenericPlatform/GenericPlatformFile.h"

namespace fs = std::filesystem;

inline std::string text_of(const TCHAR* text) {
  return FTCHARToUTF8(text).Get();
}

class SystemHandle : public IFileHandle {
 public:
  explicit SystemHandle(const fs::path& path)
      : file_(path, std::ios::binary), size_(static_cast<int64>(fs::file_size(path))) {}
  int64 Tell() override { return static_cast<int64>(file_.tellg()); }
  bool Seek(int64 place) override { return static_cast<bool>(file_.seekg(place)); }
  bool SeekFromEnd(int64 by) override { return Seek(size_ + by); }
  bool Read(uint8* into, int64 count) override {
    return static_cast<bool>(file_.read(reinterpret_cast<char*>(into), count));
  }
  bool ReadAt(uint8* into, int64 count, int64 place) override {
    return Seek(place) && Read(into, count);
  }
  bool Write(const uint8*, int64) override { return false; }
  bool Flush(const bool) override { return true; }
  bool Truncate(int64) override { return false; }
  int64 Size() override { return size_; }

 private:
  std::ifstream file_;
  int64 size_;
};

class SystemFiles : public IPlatformFile {
 public:
  bool Initialize(IPlatformFile*, const TCHAR*) override { return true; }
  IPlatformFile* GetLowerLevel() override { return nullptr; }
  void SetLowerLevel(IPlatformFile*) override {}
  const TCHAR* GetName() const override { return u"PhysicalFile"; }
  bool FileExists(const TCHAR* path) override { return fs::is_regular_file(text_of(path)); }
  int64 FileSize(const TCHAR* path) override {
    return FileExists(path) ? static_cast<int64>(fs::file_size(text_of(path))) : -1;
  }
  bool DeleteFile(const TCHAR* path) override { return fs::remove(text_of(path)); }
  bool IsReadOnly(const TCHAR*) override { return false; }
  bool MoveFile(const TCHAR*, const TCHAR*) override { return false; }
  bool SetReadOnly(const TCHAR*, bool) override { return false; }
  FDateTime GetTimeStamp(const TCHAR* path) override {
    std::error_code ignored;
    return FDateTime(fs::last_write_time(text_of(path), ignored).time_since_epoch().count());
  }
  void SetTimeStamp(const TCHAR*, FDateTime) override {}
  FDateTime GetAccessTimeStamp(const TCHAR* path) override { return GetTimeStamp(path); }
  FString GetFilenameOnDisk(const TCHAR* path) override { return FString(path); }
  IFileHandle* OpenRead(const TCHAR* path, bool) override {
    return FileExists(path) ? new SystemHandle(text_of(path)) : nullptr;
  }
  IFileHandle* OpenWrite(const TCHAR*, bool, bool) override { return nullptr; }
  bool DirectoryExists(const TCHAR* path) override { return fs::is_directory(text_of(path)); }
  bool CreateDirectory(const TCHAR*) override { return false; }
  bool DeleteDirectory(const TCHAR*) override { return false; }
  FFileStatData GetStatData(const TCHAR* path) override {
    if (!fs::exists(text_of(path))) return {};
    const FDateTime time = GetTimeStamp(path);
    return {time, time, time, FileSize(path), DirectoryExists(path), false};
  }
  bool IterateDirectory(const TCHAR* path, FDirectoryVisitor& visitor) override {
    if (!DirectoryExists(path)) return false;
    for (const auto& entry : fs::directory_iterator(text_of(path)))
      if (!visitor.Visit(*FString(UTF8_TO_TCHAR(entry.path().c_str())), entry.is_directory()))
        return false;
    return true;
  }
  bool IterateDirectoryStat(const TCHAR*, FDirectoryStatVisitor&) override { return false; }
};
