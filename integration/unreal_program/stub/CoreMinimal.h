// A stand-in for the few things of Unreal that the plugin uses, written after the engine's public
// API reference (5.6), so that it compiles without the engine. Names and signatures are the
// engine's; the functions do only as much as the test needs.
#pragma once

#include <codecvt>
#include <cstdint>
#include <cstdio>
#include <locale>
#include <string>

using TCHAR = char16_t;
using int32 = int32_t;
using int64 = int64_t;
using uint8 = uint8_t;
#define TEXT(text) u##text

using StubConverter = std::wstring_convert<std::codecvt_utf8_utf16<char16_t>, char16_t>;

class FTCHARToUTF8 {
 public:
  explicit FTCHARToUTF8(const TCHAR* text) : bytes_(StubConverter().to_bytes(text)) {}
  const char* Get() const { return bytes_.c_str(); }
  int32 Length() const { return static_cast<int32>(bytes_.size()); }

 private:
  std::string bytes_;
};

class FUTF8ToTCHAR {
 public:
  explicit FUTF8ToTCHAR(const char* bytes) : text_(StubConverter().from_bytes(bytes)) {}
  const TCHAR* Get() const { return text_.c_str(); }

 private:
  std::u16string text_;
};
#define UTF8_TO_TCHAR(bytes) FUTF8ToTCHAR(bytes).Get()

class FString {
 public:
  FString() = default;
  explicit FString(const TCHAR* text) : text_(text) {}
  const TCHAR* operator*() const { return text_.c_str(); }
  FString operator+(const TCHAR* more) const { return FString((text_ + more).c_str()); }

 private:
  std::u16string text_;
};

class FDateTime {
 public:
  explicit FDateTime(int64 ticks = 0) : ticks_(ticks) {}
  int64 GetTicks() const { return ticks_; }

 private:
  int64 ticks_;
};

#define DEFINE_LOG_CATEGORY_STATIC(name, level, compiled) static const char* const name = #name
#define UE_LOG(name, level, format, text) \
  std::fprintf(stderr, "%s: %s\n", name, FTCHARToUTF8(text).Get())
