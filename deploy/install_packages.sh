#!/usr/bin/env bash
# Installs the Debian packages named by lists in deploy/packages. Needs bash, dpkg and apt only; see --help.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
lists_dir=$here/packages

usage() {
  cat <<'END'
Usage: deploy/install_packages.sh [--dry-run] LIST…

Installs the Debian 12 packages of each LIST that are missing, and nothing where none is.
LIST is a file of deploy/packages without its ending:
  server   builds and runs the server, the worker and the command line
  runners  builds the runners alone
  tests    what tests/run.sh needs besides `server`

  --dry-run   says what is missing; changes nothing; exit 1 where something is
  --help      this text

Needs root, or sudo without a password. Never asks anything.
Environment:
  BENCHWIRE_ANY_OS=1           go on where the system is not Debian 12
  BENCHWIRE_OS_RELEASE=FILE    what says which system this is; default /etc/os-release
Exit: 0 all installed; 1 not; 2 wrong use.
END
}

say() { printf 'install_packages: %s\n' "$*"; }
die() {
  local status=$1
  shift
  printf 'install_packages: %s\n' "$*" >&2
  exit "$status"
}

check_os() {
  local file=${BENCHWIRE_OS_RELEASE:-/etc/os-release} id version name
  [[ ${BENCHWIRE_ANY_OS:-} == 1 ]] && return
  [[ -r $file ]] || die 1 "cannot read $file, so this is not known to be Debian 12. BENCHWIRE_ANY_OS=1 goes on anyway."
  # In a subshell: the file is a list of assignments that would overwrite ours.
  # shellcheck disable=SC1090
  IFS='|' read -r id version name < <(. "$file" && printf '%s|%s|%s\n' "${ID:-}" "${VERSION_ID:-}" "${PRETTY_NAME:-}")
  [[ $id == debian && $version == 12 ]] ||
    die 1 "this is ${name:-an unknown system}; the lists are for Debian 12. BENCHWIRE_ANY_OS=1 goes on anyway."
}

# Fills `wanted` (in order, once each) and `why` from the lists.
declare -a wanted=() missing=()
declare -A why=()
read_list() {
  local file=$lists_dir/$1.txt line package known
  if [[ ! -r $file ]]; then
    known=$(cd "$lists_dir" && printf '%s ' *.txt)
    die 2 "no list '$1'; there are: ${known//.txt/}"
  fi
  while IFS= read -r line || [[ -n $line ]]; do
    package=${line%%#*}
    package=${package//[[:space:]]/}
    [[ -n $package ]] || continue
    [[ -n ${why[$package]:-} ]] || wanted+=("$package")
    why[$package]=${line#*# }
  done <"$file"
}

# Fills `missing`. A package counts as there where an installed one provides it, as NodeSource's nodejs does with npm.
find_missing() {
  local status package provides name
  declare -A present=()
  while IFS=$'\t' read -r status package provides; do
    [[ $status == installed ]] || continue
    present[$package]=1
    provides=${provides// /}
    for name in ${provides//,/ }; do present[${name%%(*}]=1; done
  done < <(dpkg-query -W -f '${db:Status-Status}\t${Package}\t${Provides}\n')
  [[ ${#present[@]} -gt 0 ]] || die 1 "dpkg-query listed no installed package; is this a Debian system?"
  missing=()
  for package in "${wanted[@]}"; do [[ -n ${present[$package]:-} ]] || missing+=("$package"); done
}

declare -a as_root=()
become_root() {
  [[ $EUID -eq 0 ]] && return
  command -v sudo >/dev/null || die 1 "needs root, and there is no sudo. Run as root: $0 ${lists[*]}"
  sudo -n true 2>/dev/null || die 1 "needs root, and sudo asks for a password. Run: sudo $0 ${lists[*]}"
  as_root=(sudo -n)
}

# Runs apt-get without questions; waits up to 5 minutes for another apt. Its output goes to `log`.
apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 \
    -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold "$@" >"$log" 2>&1
}
fail() {
  cat "$log" >&2
  die 1 "$1. What apt-get said stands above."
}

install_missing() {
  local updated=no
  log=$(mktemp)
  trap 'rm -f "$log"' EXIT
  # Package lists that are absent or too old to know a package.
  if ! apt --simulate --no-install-recommends install "${missing[@]}"; then
    say "apt-get update"
    apt update || fail "apt-get update failed"
    updated=yes
  fi
  say "apt-get install ${missing[*]}"
  if ! apt --no-install-recommends install "${missing[@]}"; then
    [[ $updated == no ]] || fail "apt-get install failed"
    # Lists that name versions the mirror no longer has.
    say "apt-get update, and once more"
    apt update || fail "apt-get update failed"
    apt --no-install-recommends install "${missing[@]}" || fail "apt-get install failed"
  fi
  find_missing
  [[ ${#missing[@]} -eq 0 ]] || fail "apt-get install succeeded, yet these are not installed: ${missing[*]}"
}

dry_run=no
lists=()
for argument in "$@"; do
  case $argument in
    -h | --help) usage && exit 0 ;;
    --dry-run) dry_run=yes ;;
    -*) die 2 "unknown option '$argument'; see --help" ;;
    *) lists+=("$argument") ;;
  esac
done
[[ ${#lists[@]} -gt 0 ]] || { usage >&2 && exit 2; }

for list in "${lists[@]}"; do read_list "$list"; done
check_os
command -v dpkg-query >/dev/null || die 1 "no dpkg-query here; the lists name Debian packages"
find_missing
[[ ${#missing[@]} -gt 0 ]] || exit 0
say "missing for ${lists[*]}:"
for package in "${missing[@]}"; do say "  $package (${why[$package]})"; done
[[ $dry_run == no ]] || exit 1
become_root
install_missing
say "installed ${#wanted[@]} of ${#wanted[@]}"
