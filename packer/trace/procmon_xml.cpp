// Expat reads it piece by piece. Details hold whatever a program wrote, so control characters,
// which XML doesn't allow and Process Monitor writes all the same, become spaces. A document type,
// which alone could declare entities, isn't part of such a log: it ends the reading.
#include "packer/trace/procmon_xml.h"

#include <array>
#include <memory>
#include <optional>
#include <span>

#include <expat.h>
#include <fmt/format.h>

#include "packer/trace/procmon_events.h"

namespace seekless {
namespace {

constexpr size_t kFieldLimitBytes = size_t{64} << 10;
constexpr int kParsedAtOnceBytes = 1 << 18;

struct Element {
  std::string_view name;
  std::string_view ProcmonRow::*field;
};
constexpr std::array kElements = {
    Element{"Time_of_Day", &ProcmonRow::time_of_day},
    Element{"PID", &ProcmonRow::pid},
    Element{"TID", &ProcmonRow::tid},
    Element{"Operation", &ProcmonRow::operation},
    Element{"Path", &ProcmonRow::path},
    Element{"Result", &ProcmonRow::result},
    Element{"Detail", &ProcmonRow::detail},
    Element{"Duration", &ProcmonRow::duration},
};

// Expat 2.9 has this function under a new name, and deprecates the old one.
uint64_t line_of(auto parser) {
  if constexpr (requires { XML_GetCurrentLineNumber64(parser); })
    return XML_GetCurrentLineNumber64(parser);
  else
    return XML_GetCurrentLineNumber(parser);
}

struct Reading {
  ProcmonEvents& events;
  ImportReport& report;
  XML_Parser parser;
  std::array<std::string, kElements.size()> texts = {};
  std::string* text = nullptr;  // of the element that is open
  bool is_in_event = false;
  bool is_too_long = false;
  std::optional<Error> error = {};

  void end_event() {
    is_in_event = false;
    ++report.lines;
    ProcmonRow row;
    for (size_t i = 0; i < kElements.size(); ++i) row.*kElements[i].field = texts[i];
    const Result<bool> done = is_too_long ? false : events.row(row);
    if (!done) {
      error = done.error();
      XML_StopParser(parser, XML_FALSE);
    } else if (!*done) {
      report.add_unparsed(line_of(parser), texts[3] + " " + texts[4]);
    }
  }
};

void XMLCALL on_start(void* data, const XML_Char* name, const XML_Char**) {
  auto& reading = *static_cast<Reading*>(data);
  reading.text = nullptr;
  if (std::string_view(name) == "event") {
    reading.is_in_event = true;
    reading.is_too_long = false;
    for (std::string& text : reading.texts) text.clear();
  }
  if (!reading.is_in_event) return;
  for (size_t i = 0; i < kElements.size(); ++i)
    if (kElements[i].name == name) reading.text = &reading.texts[i];
}

void XMLCALL on_end(void* data, const XML_Char* name) {
  auto& reading = *static_cast<Reading*>(data);
  reading.text = nullptr;
  if (reading.is_in_event && std::string_view(name) == "event") reading.end_event();
}

void XMLCALL on_text(void* data, const XML_Char* text, int size) {
  auto& reading = *static_cast<Reading*>(data);
  if (reading.text == nullptr) return;
  if (static_cast<size_t>(size) > kFieldLimitBytes - reading.text->size())
    reading.is_too_long = true;
  else
    reading.text->append(text, static_cast<size_t>(size));
}

void replace_control_characters(std::span<char> text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t') c = ' ';
}

void XMLCALL on_doctype(void* data, const XML_Char*, const XML_Char*, const XML_Char*, int) {
  XML_StopParser(static_cast<Reading*>(data)->parser, XML_FALSE);
}

}  // namespace

bool recognise_procmon_xml(std::string_view front) {
  return front.substr(0, size_t{4} << 10).find("<procmon>") != std::string_view::npos;
}

Result<void> parse_procmon_xml(ByteStream& stream, const ImportOptions&, TraceSink& sink,
                               ImportReport& report) {
  if (auto begun = sink.begin({.dialect = "procmon-xml"}); !begun) return begun;
  const std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser(
      XML_ParserCreate("UTF-8"), &XML_ParserFree);
  if (!parser) return failed({.file = stream.name(), .found = "too little memory to read XML"});
  ProcmonEvents events(sink, report);
  Reading reading{.events = events, .report = report, .parser = parser.get()};
  XML_SetUserData(parser.get(), &reading);
  XML_SetElementHandler(parser.get(), on_start, on_end);
  XML_SetCharacterDataHandler(parser.get(), on_text);
  XML_SetStartDoctypeDeclHandler(parser.get(), on_doctype);
  std::vector<char> piece(kParsedAtOnceBytes);
  for (bool at_end = false; !at_end;) {
    const auto got = stream.read(std::as_writable_bytes(std::span(piece)));
    if (!got) return std::unexpected(got.error());
    at_end = *got == 0;
    replace_control_characters(std::span(piece).first(*got));
    if (XML_Parse(parser.get(), piece.data(), static_cast<int>(*got), at_end) != XML_STATUS_ERROR)
      continue;
    if (reading.error) return std::unexpected(*reading.error);
    if (!at_end || report.lines == 0)
      return damaged({.file = stream.name(),
                      .place = fmt::format("line {}", line_of(parser.get())),
                      .expected = "XML as Process Monitor writes it",
                      .found = XML_ErrorString(XML_GetErrorCode(parser.get())),
                      .advice = "save the log again, as CSV or PML"});
    report.warnings.push_back(
        fmt::format("{}: the file is cut short; its last event is left out", stream.name()));
  }
  return events.finish(stream.name());
}

}  // namespace seekless
