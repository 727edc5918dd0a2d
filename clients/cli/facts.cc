#include "clients/cli/facts.h"

#include <algorithm>

#include "clients/cli/text.h"

namespace benchwire::cli {

void PrintFacts(Output& out, const std::vector<std::pair<std::string, std::string>>& facts) {
  int widest = 0;
  for (const auto& [name, value] : facts) {
    if (!value.empty()) widest = std::max(widest, DisplayWidth(OneLine(name)));
  }
  for (const auto& [name, value] : facts) {
    if (!value.empty()) out.Line(out.Styled(PadTo(OneLine(name), widest, false), "2") + "  " + OneLine(value));
  }
}

void PrintHeading(Output& out, const std::string& text) { out.Line("\n" + out.Styled(OneLine(text), "1")); }

}  // namespace benchwire::cli
