#include "workers/p2p/report.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "workers/kit/console.h"

namespace benchwire::p2p {
namespace {

constexpr char kSimulated[] =
    "SIMULATED: these numbers come from a simulated device and say nothing about any machine.\n";

std::string LabelOf(const kit::Measurement& row, const std::string& key) {
  const auto found = row.labels.find(key);
  return found == row.labels.end() ? "" : found->second;
}

std::string SizeOf(const kit::Measurement& row) {
  const std::string bytes = LabelOf(row, "bytes");
  return bytes.empty() ? "" : kit::ReadableBytes(std::atoll(bytes.c_str()));
}

// What else tells rows of a case apart.
std::string DetailOf(const kit::Measurement& row) {
  std::string detail;
  const auto add = [&](const std::string& text) { detail += (detail.empty() ? "" : ", ") + text; };
  if (!LabelOf(row, "p2p").empty()) add("p2p " + LabelOf(row, "p2p"));
  if (!LabelOf(row, "path").empty()) add(LabelOf(row, "path"));
  if (LabelOf(row, "direction") == "bidir") add(LabelOf(row, "aggregate"));
  if (!LabelOf(row, "cache_resident").empty()) add("< 4x cache");
  if (LabelOf(row, "kind") == "round_trip") add("round trip");
  if (LabelOf(row, "verified") == "none") add("not verified");
  return detail;
}

std::vector<std::string> LineOf(const kit::Measurement& row) {
  const std::string src = LabelOf(row, "src");
  std::vector<std::string> line = {row.case_id, src.empty() ? "" : src + " → " + LabelOf(row, "dst"), SizeOf(row),
                                   DetailOf(row)};
  for (std::string& cell : kit::NumberCells(row)) line.push_back(std::move(cell));
  return line;
}

// Rows of one matrix: same case, size and detail.
std::string Matrix(const std::vector<const kit::Measurement*>& rows) {
  std::vector<std::string> ends;
  std::map<std::pair<std::string, std::string>, std::string> cells;
  for (const kit::Measurement* row : rows) {
    for (const char* key : {"src", "dst"}) {
      const std::string id = LabelOf(*row, key);
      if (std::find(ends.begin(), ends.end(), id) == ends.end()) ends.push_back(id);
    }
    cells[{LabelOf(*row, "src"), LabelOf(*row, "dst")}] =
        row->value ? kit::Readable(*row->value, row->unit) : kit::StatusName(row->status);
  }
  if (ends.size() < 3) return "";
  std::sort(ends.begin(), ends.end());
  std::vector<std::vector<std::string>> lines = {{"src \\ dst"}};
  lines[0].insert(lines[0].end(), ends.begin(), ends.end());
  for (const std::string& src : ends) {
    lines.push_back({src});
    for (const std::string& dst : ends) {
      const auto cell = cells.find({src, dst});
      lines.back().push_back(cell == cells.end() ? "–" : cell->second);
    }
  }
  const std::string detail = DetailOf(*rows[0]);
  return "\n" + rows[0]->case_id + " " + SizeOf(*rows[0]) + (detail.empty() ? "" : ", " + detail) + "\n" +
         kit::AlignColumns(lines);
}

}  // namespace

std::string RowsText(const std::vector<kit::Measurement>& rows) {
  std::vector<std::vector<std::string>> lines = {{"case", "from → to", "size", "", "median", "95 % interval", "n"}};
  std::map<std::string, std::vector<const kit::Measurement*>> matrices;
  std::set<std::string> reasons;
  bool simulated = false;
  for (const kit::Measurement& row : rows) {
    lines.push_back(LineOf(row));
    if (!row.value) reasons.insert(row.reason_code + ": " + row.reason + "\n");
    simulated = simulated || row.simulated;
    const bool one_way = LabelOf(row, "direction") == "uni" || !row.value;
    if (one_way && !LabelOf(row, "src").empty() && LabelOf(row, "src") != LabelOf(row, "dst")) {
      matrices[row.case_id + SizeOf(row) + LabelOf(row, "p2p")].push_back(&row);
    }
  }
  std::string text = (simulated ? kSimulated : "") + kit::AlignColumns(lines);
  for (const std::string& reason : reasons) text += reason;
  for (const auto& [key, cells] : matrices) text += Matrix(cells);
  return text;
}

std::string ResultText(const RunResult& result) {
  std::string text = "\nverdict " + VerdictName(result.verdict) + ": " +
                     kit::Readable(static_cast<double>(result.verified_bytes), "B") + " compared, " +
                     std::to_string(result.mismatched_bytes) + " bytes differ; backend " + result.backend;
  if (result.simulated) text += " (simulated)";
  if (result.drift) text += "; the first row measured again differs by " + kit::Readable(*result.drift * 100, "%");
  text += "\n";
  for (const JudgedLink& link : result.links) {
    if (link.verdict == Verdict::kPass) continue;
    text += "  " + result.endpoints[link.link.pair.src].id + " → " + result.endpoints[link.link.pair.dst].id + ": " +
            VerdictName(link.verdict) + " " + link.reason_code + ": " + link.reason + "\n";
  }
  return text;
}

std::string BackendText(Backend& backend) {
  std::vector<std::vector<std::string>> lines;
  for (const Endpoint& endpoint : backend.endpoints()) {
    lines.push_back({"  " + endpoint.id, endpoint.model, endpoint.uuid, endpoint.pci_address,
                     endpoint.memory_bytes > 0 ? kit::Readable(static_cast<double>(endpoint.memory_bytes), "B") : "",
                     endpoint.simulated ? "simulated" : ""});
  }
  std::string text = "backend " + backend.name() + "\n" + kit::AlignColumns(lines);
  lines.clear();
  for (const Case& test : backend.cases()) lines.push_back({"  " + test.id, test.unit, test.summary});
  return text + kit::AlignColumns(lines);
}

}  // namespace benchwire::p2p
