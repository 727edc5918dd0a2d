// What an attempt may call a file it keeps, and the kind of it. Pure. Any thread.
#ifndef BENCHWIRE_SERVER_BASE_ARTIFACT_PATH_H_
#define BENCHWIRE_SERVER_BASE_ARTIFACT_PATH_H_

#include <string_view>

namespace benchwire {

// What is right, for error messages.
inline constexpr char kArtifactPathForm[] =
    "a path below the working directory of at most 512 bytes, `/` between segments, none of them empty, `.` or `..`, "
    "no backslash and no control character";
inline constexpr char kMediaTypeForm[] = "a media type such as text/csv of at most 127 bytes, without parameters";

// `a/b.txt`: see kArtifactPathForm.
bool IsArtifactPath(std::string_view path);
// `type/subtype` with the characters of RFC 6838 §4.2.
bool IsMediaType(std::string_view text);

}  // namespace benchwire

#endif  // BENCHWIRE_SERVER_BASE_ARTIFACT_PATH_H_
