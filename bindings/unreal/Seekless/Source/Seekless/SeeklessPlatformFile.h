// A layer of the engine's file system: it reads files in packs from the packs, and all others
// through the layer below. SeeklessModule.cpp, or the game itself, makes it and puts it on top.
#pragma once

#include <memory>
#include <string>

#include "CoreMinimal.h"
#include "GenericPlatform/GenericPlatformFile.h"
#include <seekless.h>

class FSeeklessPlatformFile : public IPlatformFile {
 public:
  static const TCHAR* TypeName() { return TEXT("Seekless"); }

  ~FSeeklessPlatformFile() override;

  // Mounts the packs at the system's path PacksPath under Folder, which is named as the engine
  // names its files: "../../../Game/Content/". On failure, returns false, and Problem() says why.
  bool Mount(const TCHAR* PacksPath, const TCHAR* Folder);
  // Reads a scenario's files into the page cache in the background, in the order of the disk. Call
  // this when a level begins to load. Returns false if no packs have such a scenario.
  bool Prefetch(const TCHAR* Scenario);
  const char* Problem() const { return Error.message; }

  bool Initialize(IPlatformFile* Inner, const TCHAR* CommandLine) override;
  IPlatformFile* GetLowerLevel() override { return Lower; }
  void SetLowerLevel(IPlatformFile* NewLower) override { Lower = NewLower; }
  const TCHAR* GetName() const override { return TypeName(); }

  bool FileExists(const TCHAR* Filename) override;
  int64 FileSize(const TCHAR* Filename) override;
  bool IsReadOnly(const TCHAR* Filename) override;
  FDateTime GetTimeStamp(const TCHAR* Filename) override;
  FDateTime GetAccessTimeStamp(const TCHAR* Filename) override;
  FString GetFilenameOnDisk(const TCHAR* Filename) override;
  IFileHandle* OpenRead(const TCHAR* Filename, bool bAllowWrite = false) override;
  bool DirectoryExists(const TCHAR* Directory) override;
  FFileStatData GetStatData(const TCHAR* Path) override;
  bool IterateDirectory(const TCHAR* Directory, FDirectoryVisitor& Visitor) override;
  bool IterateDirectoryStat(const TCHAR* Directory, FDirectoryStatVisitor& Visitor) override;

  // These functions fail for files in packs.
  bool DeleteFile(const TCHAR* Filename) override;
  bool MoveFile(const TCHAR* To, const TCHAR* From) override;
  bool SetReadOnly(const TCHAR* Filename, bool bNewReadOnlyValue) override;
  void SetTimeStamp(const TCHAR* Filename, FDateTime DateTime) override;
  IFileHandle* OpenWrite(const TCHAR* Filename, bool bAppend = false,
                         bool bAllowRead = false) override;
  bool CreateDirectory(const TCHAR* Directory) override;
  bool DeleteDirectory(const TCHAR* Directory) override;

 private:
  struct FFound {
    skl_asset Asset = 0;
    uint64_t Bytes = 0;
    explicit operator bool() const { return Asset != 0; }
  };
  struct FListed;

  FFound Find(const TCHAR* Filename) const;
  // Gets the path inside the packs; returns false if it lies outside.
  bool Below(const TCHAR* Path, std::string& Asset) const;
  template <typename TVisit>
  bool VisitPacked(const TCHAR* Directory, FListed& Seen, TVisit Visit) const;

  IPlatformFile* Lower = nullptr;
  skl_context* Context = nullptr;
  skl_directory* Folders = nullptr;
  std::string Root;  // ends with '/'
  FDateTime Time;    // time of all files in packs, which store none
  skl_error Error = {sizeof(skl_error), SKL_OK, 0, 0, {}};
};
