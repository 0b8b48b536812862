// A layer of the engine's file system: files that packs hold are read from there, all others by the
// layer below. Made and put on top by SeeklessModule.cpp, or by a game itself.
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

  // Mounts packs, as the system names their path, under a folder as the engine names its files:
  // "../../../Game/Content/". False, and Problem() says why.
  bool Mount(const TCHAR* PacksPath, const TCHAR* Folder);
  // Reads what a scenario needs into the system's cache, in the order of the disk, in the
  // background. Call it where a level begins to load. False: no packs have such a scenario.
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

  // Of what packs hold, nothing can be changed.
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
  // Its path in the packs; false if it lies elsewhere.
  bool Below(const TCHAR* Path, std::string& Asset) const;
  template <typename TVisit>
  bool VisitPacked(const TCHAR* Directory, FListed& Seen, TVisit Visit) const;

  IPlatformFile* Lower = nullptr;
  skl_context* Context = nullptr;
  skl_directory* Folders = nullptr;
  std::string Root;  // with '/' at its end
  FDateTime Time;    // of all that packs hold: they keep no times
  skl_error Error = {sizeof(skl_error), SKL_OK, 0, 0, {}};
};
