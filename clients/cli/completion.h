// Completion scripts for shells, made from the command tree itself.
#ifndef BENCHWIRE_CLIENTS_CLI_COMPLETION_H_
#define BENCHWIRE_CLIENTS_CLI_COMPLETION_H_

#include <CLI/CLI.hpp>
#include <string>

namespace benchwire::cli {

// Each is a script to be sourced. Pure.
std::string BashCompletion(const CLI::App& root);
std::string ZshCompletion(const CLI::App& root);
std::string FishCompletion(const CLI::App& root);

}  // namespace benchwire::cli

#endif  // BENCHWIRE_CLIENTS_CLI_COMPLETION_H_
