// The files under static/, as text in the program.
#ifndef BENCHWIRE_SERVER_GATEWAY_STATIC_FILES_H_
#define BENCHWIRE_SERVER_GATEWAY_STATIC_FILES_H_

namespace benchwire::gateway {

extern const char kStyleCss[];
extern const char kAppJs[];

}  // namespace benchwire::gateway

#endif  // BENCHWIRE_SERVER_GATEWAY_STATIC_FILES_H_
