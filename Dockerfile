# syntax=docker/dockerfile:1
# A server that runs as nobody in particular on a read-only root file system:
#
#   docker build -t tianti .
#   docker run --read-only --cap-drop ALL --security-opt no-new-privileges \
#       -p 8080:8080 -v tianti:/data tianti
#
# To read the NVIDIA cards of the host, the container needs them and the driver's
# library; docs/deploy.md says how.

# Other images in their place have to be of one Debian: what is built with its C library runs with it.
ARG BUILD_IMAGE=golang:1.26-bookworm
ARG RUN_IMAGE=gcr.io/distroless/base-debian12:nonroot

FROM ${BUILD_IMAGE} AS build
# 4 MB: pictures of Chinese pages are painted with it. Noto CJK has more than ten times as much.
RUN apt-get update && apt-get install -y --no-install-recommends fonts-droid-fallback && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/go/pkg/mod go mod download
COPY . .
# The history of the repository is not here to tell: --build-arg VERSION="$(.ci/version)".
ARG VERSION=""
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    go run ./pack/all && CGO_ENABLED=0 go build -trimpath -buildvcs=false -tags packed \
    -gcflags=tianti/web/...=-l -gcflags=github.com/minio/...=-l -gcflags=github.com/modelcontextprotocol/...=-l \
    -gcflags=github.com/pressly/...=-l -gcflags=github.com/segmentio/...=-l -gcflags=github.com/google/...=-l \
    -gcflags=github.com/danielgtaylor/...=-l -gcflags=github.com/alecthomas/...=-l \
    -ldflags="-s -w -funcalign=16 -X main.release=$VERSION" \
    -o /out/tianti ./cmd/tianti \
    && mkdir /out/data

# With glibc: the program loads the library of NVIDIA's driver, which needs it.
FROM ${RUN_IMAGE}
COPY --from=build /out/tianti /usr/bin/tianti
COPY --from=build /usr/share/fonts/truetype/droid/DroidSansFallbackFull.ttf /usr/share/fonts/truetype/droid/
COPY --from=build /usr/share/doc/fonts-droid-fallback/copyright /usr/share/doc/fonts-droid-fallback/
# A new volume takes its owner from the image.
COPY --from=build --chown=65532:65532 /out/data /data
# There is no other place for temporary files when the root is read-only.
ENV TIANTI_DB=/data/tianti.db \
    TIANTI_LISTEN=:8080 \
    TIANTI_LOG_FORMAT=json \
    TIANTI_FROM_FOLDER=/data/snapshots \
    SQLITE_TMPDIR=/data \
    TMPDIR=/data
VOLUME /data
EXPOSE 8080
USER 65532:65532
HEALTHCHECK --interval=10s --timeout=5s --start-period=15s --retries=3 \
    CMD ["/usr/bin/tianti", "healthcheck"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/bin/tianti"]
CMD ["serve"]
