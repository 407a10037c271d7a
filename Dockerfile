# syntax=docker/dockerfile:1
# The image of einvoiced: one static program, no shell, not root.
#
#   docker build -t einvoiced --build-arg VERSION="$(git describe --tags --always)" .
#   docker run -p 8080:8080 -v einvoiced:/data einvoiced
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/go/pkg/mod go mod download
COPY . .
ARG VERSION=devel
ENV GOCACHE=/cache/build
# cgo is for SQLite alone; netgo and osusergo keep the C library's resolvers out, so that the program can be static.
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/cache/build \
    CGO_ENABLED=1 go build -trimpath -buildvcs=false -tags netgo,osusergo,sqlite_omit_load_extension \
    -ldflags "-s -w -X github.com/einvoiced/einvoiced/command.release=$VERSION -linkmode external -extldflags -static" -o /einvoiced . \
 && mkdir /data

FROM gcr.io/distroless/static-debian12:nonroot
ARG VERSION=devel
LABEL org.opencontainers.image.title=einvoiced org.opencontainers.image.licenses=Apache-2.0 org.opencontainers.image.version=$VERSION
COPY --from=build /einvoiced /einvoiced
COPY --from=build --chown=65532:65532 /data /data
USER 65532:65532
ENV EINVOICED_DATA=/data \
    EINVOICED_LISTEN=0.0.0.0:8080 \
    EINVOICED_ADMIN_LISTEN=127.0.0.1:8081
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=6s --start-period=10s CMD ["/einvoiced", "health"]
ENTRYPOINT ["/einvoiced"]
CMD ["serve"]
