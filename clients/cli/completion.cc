#include "clients/cli/completion.h"

#include <memory>
#include <vector>

#include "clients/cli/commands.h"
#include "clients/cli/exit_codes.h"
#include "server/base/status.h"

namespace benchwire::cli {
namespace {

struct Word {
  std::string text;
  std::string description;
};

// A place in the tree and what may come after it.
struct Node {
  std::string path;  // Such as `benchwire jobs ls`.
  std::vector<Word> commands;
  std::vector<Word> options;
};

void AddOptions(const CLI::App& app, std::vector<Word>& out) {
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) out.push_back({"--" + name, option->get_description()});
    for (const std::string& name : option->get_snames()) out.push_back({"-" + name, option->get_description()});
  }
}

void Collect(const CLI::App& app, const std::string& path, const CLI::App& root, std::vector<Node>& out) {
  Node node{path, {}, {}};
  for (const CLI::App* command : app.get_subcommands({}))
    node.commands.push_back({command->get_name(), command->get_description()});
  AddOptions(app, node.options);
  if (&app != &root) {
    // The options of the root are accepted everywhere; its help and version are not worth offering twice.
    for (const CLI::Option* option : root.get_options()) {
      for (const std::string& name : option->get_lnames()) {
        if (name != "help" && name != "version") node.options.push_back({"--" + name, option->get_description()});
      }
    }
  }
  out.push_back(std::move(node));
  for (const CLI::App* command : app.get_subcommands({}))
    Collect(*command, path + " " + command->get_name(), root, out);
}

std::vector<Node> Nodes(const CLI::App& root) {
  std::vector<Node> out;
  Collect(root, root.get_name(), root, out);
  return out;
}

// In single quotes, for any of the shells.
std::string Quoted(const std::string& text, const std::string& quote) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? quote : std::string(1, c);
  return out + "'";
}

// Descriptions with a colon would end a zsh word.
std::string WithoutColons(std::string text) {
  for (char& c : text) {
    if (c == ':') c = ';';
  }
  return text;
}

// `'a'|'a b'|…`, all places but the root.
std::string CasePattern(const std::vector<Node>& nodes) {
  std::string out;
  for (size_t i = 1; i < nodes.size(); ++i) out += (i > 1 ? "|" : "") + Quoted(nodes[i].path, "");
  return out;
}

constexpr char kPosixQuote[] = "'\\''";

}  // namespace

std::string BashCompletion(const CLI::App& root) {
  const std::vector<Node> nodes = Nodes(root);
  std::string out = "# bash completion for benchwire: source <(benchwire completion bash)\n_benchwire() {\n";
  out += "  local cur=${COMP_WORDS[COMP_CWORD]} at=benchwire commands= options= i\n";
  out += "  for ((i = 1; i < COMP_CWORD; i++)); do\n    case \"$at ${COMP_WORDS[i]}\" in\n      " + CasePattern(nodes) +
         ") at=\"$at ${COMP_WORDS[i]}\" ;;\n    esac\n  done\n  case \"$at\" in\n";
  for (const Node& node : nodes) {
    out += "    " + Quoted(node.path, "") + ")\n      commands='";
    for (const Word& word : node.commands) out += word.text + " ";
    out += "'\n      options='";
    for (const Word& word : node.options) out += word.text + " ";
    out += "' ;;\n";
  }
  out +=
      "  esac\n  if [[ $cur == -* ]]; then\n    COMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n  else\n"
      "    COMPREPLY=($(compgen -W \"$commands\" -- \"$cur\"))\n  fi\n}\ncomplete -o default -F _benchwire benchwire\n";
  return out;
}

std::string ZshCompletion(const CLI::App& root) {
  const std::vector<Node> nodes = Nodes(root);
  std::string out =
      "#compdef benchwire\n# zsh completion for benchwire: source <(benchwire completion zsh)\n_benchwire() {\n";
  out +=
      "  local at=benchwire word\n  local -a commands options\n  for word in \"${(@)words[2,CURRENT-1]}\"; do\n"
      "    case \"$at $word\" in\n      " +
      CasePattern(nodes) + ") at=\"$at $word\" ;;\n    esac\n  done\n  case \"$at\" in\n";
  for (const Node& node : nodes) {
    out += "    " + Quoted(node.path, "") + ")\n      commands=(";
    for (const Word& word : node.commands)
      out += Quoted(word.text + ":" + WithoutColons(word.description), kPosixQuote) + " ";
    out += ")\n      options=(";
    for (const Word& word : node.options)
      out += Quoted(word.text + ":" + WithoutColons(word.description), kPosixQuote) + " ";
    out += ") ;;\n";
  }
  out +=
      "  esac\n  if [[ $PREFIX == -* ]]; then\n    _describe option options\n  elif (( ${#commands} )); then\n"
      "    _describe command commands\n  else\n    _files\n  fi\n}\ncompdef _benchwire benchwire\n";
  return out;
}

std::string FishCompletion(const CLI::App& root) {
  static constexpr char kFishQuote[] = "\\'";
  const std::vector<Node> nodes = Nodes(root);
  std::string out =
      "# fish completion for benchwire: benchwire completion fish | source\nfunction __benchwire_at\n"
      "    set -l at benchwire\n    for word in (commandline -opc)[2..-1]\n        switch \"$at $word\"\n            "
      "case";
  for (size_t i = 1; i < nodes.size(); ++i) out += " " + Quoted(nodes[i].path, "");
  out += "\n                set at \"$at $word\"\n        end\n    end\n    test \"$at\" = \"$argv[1]\"\nend\n";
  for (const Node& node : nodes) {
    const std::string start = "complete -c benchwire -n \"__benchwire_at " + Quoted(node.path, "") + "\"";
    for (const Word& word : node.commands)
      out += start + " -f -a " + word.text + " -d " + Quoted(word.description, kFishQuote) + "\n";
    for (const Word& word : node.options) {
      const bool is_long = word.text.starts_with("--");
      out += start + (is_long ? " -l " : " -s ") + word.text.substr(is_long ? 2 : 1) + " -d " +
             Quoted(word.description, kFishQuote) + "\n";
    }
  }
  return out;
}

void AddCompletion(CLI::App& root, CommandLine& line) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = AddCommand(root, "completion", "Print a completion script for a shell",
                                 "  source <(benchwire completion bash)\n  source <(benchwire completion zsh)\n"
                                 "  benchwire completion fish | source");
  command->add_option("shell", *shell, "bash, zsh or fish")->required()->type_name("SHELL");
  command->callback([&root, &line, shell] {
    line.action = [&root, shell](Session& session) -> absl::StatusOr<int> {
      if (*shell == "bash") {
        session.out().Write(BashCompletion(root));
      } else if (*shell == "zsh") {
        session.out().Write(ZshCompletion(root));
      } else if (*shell == "fish") {
        session.out().Write(FishCompletion(root));
      } else {
        return BadField("shell", *shell, "bash, zsh or fish");
      }
      return kExitOk;
    };
  });
}

}  // namespace benchwire::cli
