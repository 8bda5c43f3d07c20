#!/usr/bin/env bash
# Makes stand-ins for the two images that the Dockerfile begins with, of the packages of
# its Debian and of the Go that is installed here, for machines that reach no container
# registry:
#
#   test/image/bases.sh podman      makes tianti-base-build and tianti-base-run
#
# The first is a minimal Debian with Go. The second has what the programs of a
# distroless base have: the C library, OpenSSL's, certificates, time zones, the user
# nonroot, and no shell. Needs root and debootstrap; MIRROR names a mirror of Debian.
set -euo pipefail
cd "$(dirname "$0")/../.."

engine=${1:?the container engine: podman or docker}
suite=$(sed -nE 's/^ARG BUILD_IMAGE=golang:[0-9.]+-([a-z]+)$/\1/p' Dockerfile)
[ -n "$suite" ] || { echo "the Dockerfile names no golang:VERSION-SUITE" >&2; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"

debian=$folder/debian
debootstrap --variant=minbase --include=ca-certificates "$suite" "$debian" ${MIRROR:+"$MIRROR"} >"$folder/log" 2>&1 ||
	{ tail -20 "$folder/log" >&2; exit 1; }

run=$folder/run
mkdir -p "$run" "$debian/packages"
chroot "$debian" sh -euc 'apt-get update -qq; cd /packages
	apt-get download -qq -o APT::Sandbox::User=root base-files libc6 libssl3 netbase tzdata'
for package in "$debian"/packages/*.deb; do dpkg-deb -x "$package" "$run"; done
mkdir -p "$run/etc/ssl/certs" "$run/home/nonroot" "$run/tmp"
chmod 1777 "$run/tmp"
cp "$debian/etc/ssl/certs/ca-certificates.crt" "$run/etc/ssl/certs/"
printf '%s\n' 'root:x:0:0:root:/root:/sbin/nologin' 'nonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin' >"$run/etc/passwd"
printf '%s\n' 'root:x:0:' 'nonroot:x:65532:' >"$run/etc/group"
chown 65532:65532 "$run/home/nonroot"
tar -C "$run" -c . | "$engine" import --change 'USER 65532:65532' - tianti-base-run

# Downloads go the way of this machine, perhaps through a proxy with a certificate of its own.
[ ! -f /etc/ssl/certs/ca-certificates.crt ] || cp /etc/ssl/certs/ca-certificates.crt "$debian/etc/ssl/certs/"
rm -rf "$debian/packages" "$debian"/var/cache/apt/archives/*.deb
mkdir -p "$debian/usr/local/go" "$debian/go"
tar -C "$(go env GOROOT)" -ch . | tar -C "$debian/usr/local/go" -x
path=/go/bin:/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
tar -C "$debian" -c . | "$engine" import --change "ENV PATH=$path" --change 'ENV GOPATH=/go' --change 'ENV GOTOOLCHAIN=local' - tianti-base-build
