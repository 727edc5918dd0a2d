#include "server/gateway/entities.h"

#include <charconv>
#include <utility>

#include "server/gateway/utf8.h"

namespace benchwire::gateway {
namespace {

constexpr std::pair<std::string_view, std::string_view> kNamed[] = {
    {"amp", "&"},    {"lt", "<"},     {"gt", ">"},     {"quot", "\""},  {"apos", "'"},  {"nbsp", "\u00A0"},
    {"ndash", "–"},  {"mdash", "—"},  {"hellip", "…"}, {"lsquo", "‘"},  {"rsquo", "’"}, {"ldquo", "“"},
    {"rdquo", "”"},  {"laquo", "«"},  {"raquo", "»"},  {"middot", "·"}, {"bull", "•"},  {"times", "×"},
    {"divide", "÷"}, {"plusmn", "±"}, {"minus", "−"},  {"le", "≤"},     {"ge", "≥"},    {"ne", "≠"},
    {"asymp", "≈"},  {"infin", "∞"},  {"deg", "°"},    {"micro", "µ"},  {"sup2", "²"},  {"sup3", "³"},
    {"frac12", "½"}, {"alpha", "α"},  {"beta", "β"},   {"gamma", "γ"},  {"delta", "δ"}, {"epsilon", "ε"},
    {"lambda", "λ"}, {"mu", "μ"},     {"pi", "π"},     {"sigma", "σ"},  {"Delta", "Δ"}, {"Sigma", "Σ"},
    {"rarr", "→"},   {"larr", "←"},   {"harr", "↔"},   {"copy", "©"},   {"reg", "®"},   {"trade", "™"},
    {"euro", "€"},   {"sect", "§"},   {"para", "¶"},
};

}  // namespace

std::string DecodeEntity(std::string_view entity) {
  if (entity.size() < 3 || entity.front() != '&' || entity.back() != ';') return std::string(entity);
  std::string_view name = entity.substr(1, entity.size() - 2);
  if (name.front() == '#') {
    name.remove_prefix(1);
    const bool is_hex = name.starts_with('x') || name.starts_with('X');
    if (is_hex) name.remove_prefix(1);
    uint32_t code_point = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), code_point, is_hex ? 16 : 10);
    if (error != std::errc() || end != name.data() + name.size() || code_point == 0) code_point = 0xFFFD;
    std::string out;
    AppendCodePoint(out, code_point);
    return out;
  }
  for (const auto& [known, text] : kNamed) {
    if (name == known) return std::string(text);
  }
  return std::string(entity);
}

}  // namespace benchwire::gateway
