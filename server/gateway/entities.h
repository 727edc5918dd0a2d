// HTML entities in Markdown. Pure.
#ifndef BENCHWIRE_SERVER_GATEWAY_ENTITIES_H_
#define BENCHWIRE_SERVER_GATEWAY_ENTITIES_H_

#include <string>
#include <string_view>

namespace benchwire::gateway {

// `&amp;`, `&#20013;` or `&#x4E2D;` as text. Of named entities the common ones; any other stays as written.
std::string DecodeEntity(std::string_view entity);

}  // namespace benchwire::gateway

#endif  // BENCHWIRE_SERVER_GATEWAY_ENTITIES_H_
