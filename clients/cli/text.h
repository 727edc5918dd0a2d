// Text on a terminal: how many cells it takes, how it is cut, and how text from outside is made harmless. Widths follow
// Unicode Standard Annex #11 (East Asian Width) over the grapheme clusters of Annex #29, both from ICU. All pure.
#ifndef BENCHWIRE_CLIENTS_CLI_TEXT_H_
#define BENCHWIRE_CLIENTS_CLI_TEXT_H_

#include <string>
#include <string_view>

namespace benchwire::cli {

// Terminal cells that `text` (UTF-8 without control characters) takes.
int DisplayWidth(std::string_view text);

// `text` cut between characters to at most `cells`, the last cell being `…` where something was cut.
std::string CutToWidth(std::string_view text, int cells);

// `text` and spaces up to `cells`. Text that is wider is not cut.
std::string PadTo(std::string_view text, int cells, bool align_right);

// One line: control characters, line breaks and marks that reorder text become `\n`, `\t`, `\x1b`, `\u{202e}`; bytes
// that are not UTF-8 become U+FFFD.
std::string OneLine(std::string_view text);

// As OneLine, but line breaks stay and a tab becomes spaces.
std::string ManyLines(std::string_view text);

// Breaks prose into lines of at most `cells`, at spaces and between wide characters; a longer word is left whole. Line
// breaks of the text stay. `cells` <= 0: not broken.
std::string WrapTo(std::string_view text, int cells, std::string_view indent);

}  // namespace benchwire::cli

#endif  // BENCHWIRE_CLIENTS_CLI_TEXT_H_
