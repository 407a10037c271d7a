#!/usr/bin/env bash
# Writes a release into a folder: static, stripped programs for linux, their bill of materials (CycloneDX) and the checksums of all.
# The same commit gives the same bytes, wherever the checkout is. Run it by make release.
#
#   bash deploy/release.sh [-twice] VERSION FOLDER
set -euo pipefail

twice=""
if [ "$1" = -twice ]; then
  twice=yes
  shift
fi
version="$1"
mkdir -p "$2"
folder="$(cd "$2" && pwd)"
cd "$(dirname "$0")/.."
go="${GO:-go}"
# The compilers, since SQLite is C.
declare -A compilers=([amd64]="${CC_AMD64:-x86_64-linux-gnu-gcc}" [arm64]="${CC_ARM64:-aarch64-linux-gnu-gcc}")
tags=netgo,osusergo,sqlite_omit_load_extension # without the C library's resolvers a program can be static

for arch in amd64 arm64; do
  command -v "${compilers[$arch]}" >/dev/null || { echo "release: ${compilers[$arch]} is missing; Debian's package gcc-aarch64-linux-gnu or gcc has it" >&2; exit 1; }
  CGO_ENABLED=1 GOOS=linux GOARCH=$arch CC="${compilers[$arch]}" CGO_CFLAGS="-O2 -g0" "$go" build -trimpath -buildvcs=false -tags "$tags" \
    -ldflags "-s -w -buildid= -X github.com/einvoiced/einvoiced/command.release=$version -linkmode external -extldflags '-static -Wl,--build-id=none'" \
    -o "$folder/einvoiced-$version-linux-$arch" .
done

# What the program contains of others; without the time and the number of this run.
CGO_ENABLED=1 GOFLAGS="-tags=$tags" "$go" run github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0 \
  app -json -licenses -noserial -std -output "$folder/bom.json" .
sed -i -e '/^ *"timestamp": /d' "$folder/bom.json"
mv "$folder/bom.json" "$folder/einvoiced-$version.cdx.json"
(cd "$folder" && sha256sum "einvoiced-$version"* >SHA256SUMS && cat SHA256SUMS)

if [ -n "$twice" ]; then
  again="$(mktemp -d)"
  trap 'rm -rf "$again"' EXIT
  git clone -q . "$again/source"
  GOCACHE="$again/cache" bash "$again/source/deploy/release.sh" "$version" "$again/dist" >/dev/null
  diff "$folder/SHA256SUMS" "$again/dist/SHA256SUMS" && echo "release: built again in another folder with an empty cache, the same bytes"
fi
