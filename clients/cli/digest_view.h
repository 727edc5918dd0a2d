// Digests, editions and entries as text for people.
#ifndef BENCHWIRE_CLIENTS_CLI_DIGEST_VIEW_H_
#define BENCHWIRE_CLIENTS_CLI_DIGEST_VIEW_H_

#include <benchwire/v1/digest.pb.h>

#include <string>

#include "clients/cli/output.h"

namespace benchwire::cli {

enum class Language { kBoth, kChinese, kEnglish };

// The text in the language, or in the other one where it has none; both joined by ` / `.
std::string Localized(const v1::LocalizedText& text, Language language);

// What a published edition says. `digest` is `digests/D`.
void PrintEdition(Output& out, const std::string& digest, const v1::Edition& edition, Language language);
// The working state.
void PrintDraft(Output& out, const v1::Digest& digest, Language language);
// One entry, its claims with verdict, number, hardware and the command that repeats the run.
void PrintEntry(Output& out, const v1::Entry& entry, Language language, bool draft);

// `2 SUPPORTED, 1 UNTESTED`. Pure.
std::string VerdictCounts(const v1::Entry& entry);

}  // namespace benchwire::cli

#endif  // BENCHWIRE_CLIENTS_CLI_DIGEST_VIEW_H_
