// A text with places for values: `{name}` is a place, `{{` and `}}` are braces. A value goes in as it is, once: nothing
// in it is looked at again, so it can neither open a place nor split the text. Immutable; any thread.
#ifndef BENCHWIRE_WORKERS_COMMAND_TEMPLATE_H_
#define BENCHWIRE_WORKERS_COMMAND_TEMPLATE_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "workers/kit/result.h"

namespace benchwire::command {

using Values = std::map<std::string, std::string>;

class Template {
 public:
  // BAD_TEMPLATE: a brace that is neither doubled nor around a name of [a-z][a-z0-9_]{0,62}.
  static kit::Result<Template> Parse(const std::string& text);

  // The names that stand in it.
  std::set<std::string> Names() const;
  // A name without a value stays as `{name}`.
  std::string Expand(const Values& values) const;

 private:
  struct Piece {
    bool is_name = false;
    std::string text;
  };
  std::vector<Piece> pieces_;
};

// [a-z][a-z0-9_]{0,62}.
bool IsName(const std::string& text);

}  // namespace benchwire::command

#endif  // BENCHWIRE_WORKERS_COMMAND_TEMPLATE_H_
