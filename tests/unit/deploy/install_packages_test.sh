#!/usr/bin/env bash
# deploy/install_packages.sh against a made-up dpkg-query, apt-get and sudo.
set -uo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../../.." && pwd)
# shellcheck source=tests/lib/checks.sh
. "$root/tests/lib/checks.sh"

box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
mkdir "$box/bin" "$box/state"
cp -r "$root/deploy" "$box/deploy"
printf 'alpha  # first\nbeta   # second\n# a remark\n\ngamma  # third' >"$box/deploy/packages/three.txt"
printf 'ID=debian\nVERSION_ID="12"\nPRETTY_NAME="Debian 12"\n' >"$box/debian"
printf 'ID=ubuntu\nVERSION_ID="24.04"\nPRETTY_NAME="Ubuntu 24.04"\n' >"$box/ubuntu"

cat >"$box/bin/dpkg-query" <<'END'
#!/bin/bash
while read -r package provides; do printf 'installed\t%s\t%s\n' "$package" "$provides"; done <"$STATE/installed"
printf 'config-files\tbeta\t\n'
END
# Fails while $STATE/FAULT is there: `unknown` (any install) and `stale` (a real install) until an update, `broken` for
# good. `lies` installs nothing.
cat >"$box/bin/apt-get" <<'END'
#!/bin/bash
[[ ${DEBIAN_FRONTEND:-} == noninteractive && " $* " == *" -y "* ]] || { echo "may ask" && exit 99; }
verb="" packages=()
for argument in "$@"; do
  case $argument in
    --simulate) verb=simulate ;;
    update | install) verb=${verb:-$argument} ;;
    -*) ;;
    *::*) ;;
    *=*) ;;
    *) packages+=("$argument") ;;
  esac
done
echo "$verb ${packages[*]}" >>"$STATE/calls"
[[ $verb == update ]] && rm -f "$STATE/unknown" "$STATE/stale" && exit 0
[[ -e $STATE/unknown ]] && echo "E: Unable to locate package" && exit 100
[[ $verb == simulate ]] && exit 0
[[ -e $STATE/stale ]] && echo "E: 404 Not Found" && exit 100
[[ -e $STATE/broken ]] && echo "E: No space left on device" && exit 100
[[ -e $STATE/lies ]] || printf '%s\n' "${packages[@]}" >>"$STATE/installed"
END
cat >"$box/bin/sudo" <<'END'
#!/bin/bash
echo "sudo $*" >>"$STATE/sudo"
[[ $1 == -n && ! -e $STATE/password ]] || exit 1
shift
exec "$@"
END
chmod +x "$box"/bin/*

# reset INSTALLED…
reset() {
  rm -rf "$box/state"
  mkdir "$box/state"
  printf '%s\n' base "$@" >"$box/state/installed"
  chmod -R a+rwX "$box"
}
# install ARGUMENT…: sets `status`, `output` and `calls`.
as=()
install() {
  output=$("${as[@]}" env "PATH=${path:-$box/bin:$PATH}" "STATE=$box/state" \
    "BENCHWIRE_OS_RELEASE=${os:-$box/debian}" "BENCHWIRE_ANY_OS=${any:-}" \
    bash "$box/deploy/install_packages.sh" "$@" 2>&1 </dev/null)
  status=$?
  calls=$(paste -sd, "$box/state/calls" 2>/dev/null)
}

reset alpha beta gamma
install three
expect_eq "all there: success, no word, no apt call" "0||" "$status|$output|$calls"

reset alpha
install three
expect_eq "only the missing ones are installed" "0|simulate beta gamma,install beta gamma" "$status|$calls"
expect_has "says what and why" "beta (second)" "$output"
rm "$box/state/calls"
install three
expect_eq "the second time does nothing" "0||" "$status|$output|$calls"

reset "alpha beta (= 1.0), other" gamma
install three
expect_eq "a provided package counts as there" "0|" "$status|$calls"

reset alpha beta
install --dry-run three
expect_eq "a dry run changes nothing" "1|" "$status|$calls"
expect_has "a dry run says what is missing" "gamma (third)" "$output"

reset alpha beta
touch "$box/state/unknown"
install three
expect_eq "an unknown package: one update" "0|simulate gamma,update ,install gamma" "$status|$calls"

reset alpha beta
touch "$box/state/stale"
install three
expect_eq "stale lists: one update, one more try" "0|simulate gamma,install gamma,update ,install gamma" "$status|$calls"

reset alpha beta
touch "$box/state/broken"
install three
expect_eq "a failure is a failure" "1" "$status"
expect_has "a failure shows what apt-get said" "No space left on device" "$output"

reset alpha beta
touch "$box/state/lies"
install three
expect_has "what apt-get did not install is named" "not installed: gamma" "$status $output"
expect_eq "and it is a failure" "1" "$status"

reset
os=$box/ubuntu install three
expect_eq "another system is refused" "1|" "$status|$calls"
expect_has "by its name" "this is Ubuntu 24.04; the lists are for Debian 12" "$output"
os=$box/ubuntu any=1 install three
expect_eq "unless told otherwise" "0" "$status"
os=$box/none install three
expect_has "no os-release" "cannot read $box/none" "$status $output"

install nothing
expect_has "an unknown list is wrong use" "2 install_packages: no list 'nothing'; there are: " "$status $output"
install --wrong
expect_has "an unknown option is wrong use" "2 install_packages: unknown option '--wrong'" "$status $output"
install
expect_eq "no list is wrong use" "2" "$status"

# As somebody who is not root.
if [[ $EUID -eq 0 ]]; then as=(setpriv --reuid=65534 --regid=65534 --clear-groups); fi
reset alpha beta
install three
expect_eq "without root, sudo is used" "0|simulate gamma,install gamma" "$status|$calls"
expect_has "and never asks" "sudo -n env DEBIAN_FRONTEND=noninteractive apt-get" "$(cat "$box/state/sudo")"
reset alpha beta
touch "$box/state/password"
install three
expect_has "sudo that asks for a password" "1 needs root, and sudo asks for a password" "$status ${output##*: missing*install_packages: }"
expect_eq "calls no apt" "" "$calls"
reset alpha beta
mkdir "$box/few"
for tool in bash env cat dirname mktemp rm; do ln -s "$(command -v "$tool")" "$box/few/$tool"; done
cp "$box/bin/dpkg-query" "$box/bin/apt-get" "$box/few"
path=$box/few install three
expect_has "no sudo at all" "needs root, and there is no sudo" "$status $output"

for list in "$root"/deploy/packages/*.txt; do
  bad=$(grep -vnE '^(#.*|[a-z0-9][a-z0-9+.-]+ +# .+)$' "$list")
  expect_eq "${list##*/}: each line is a package and why" "" "$bad"
  twice=$(sed -E 's/[ #].*//; /^$/d' "$list" | sort | uniq -d)
  expect_eq "${list##*/}: no package twice" "" "$twice"
done
finish
