// Facts as aligned `name  value` lines, and headings. Text from outside may be given as it is.
#ifndef BENCHWIRE_CLIENTS_CLI_FACTS_H_
#define BENCHWIRE_CLIENTS_CLI_FACTS_H_

#include <string>
#include <utility>
#include <vector>

#include "clients/cli/output.h"

namespace benchwire::cli {

// Facts whose value is empty are left out.
void PrintFacts(Output& out, const std::vector<std::pair<std::string, std::string>>& facts);
// An empty line and a bold one.
void PrintHeading(Output& out, const std::string& text);

}  // namespace benchwire::cli

#endif  // BENCHWIRE_CLIENTS_CLI_FACTS_H_
