// Addresses in running text. Pure.
#ifndef BENCHWIRE_SERVER_GATEWAY_LINKIFY_H_
#define BENCHWIRE_SERVER_GATEWAY_LINKIFY_H_

#include <string>
#include <string_view>

namespace benchwire::gateway {

// The text as HTML, each http:// and https:// address in it a link. An address may follow a Chinese character directly,
// and ends before the first character that is not ASCII, so that neither full-width punctuation nor the rest of a
// Chinese sentence becomes part of it; closing punctuation and a bracket without its partner stay outside too.
std::string Linkify(std::string_view text);

}  // namespace benchwire::gateway

#endif  // BENCHWIRE_SERVER_GATEWAY_LINKIFY_H_
