# The image of einvoiced: one static program, no shell, not root.
#
#   docker build -t einvoiced .
#   docker run -p 8080:8080 -v einvoiced:/data einvoiced
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
# cgo is for SQLite alone; netgo and osusergo keep the C library's resolvers out, so that the program can be static.
RUN CGO_ENABLED=1 go build -trimpath -tags netgo,osusergo,sqlite_omit_load_extension \
    -ldflags '-s -w -linkmode external -extldflags "-static"' -o /einvoiced . \
 && mkdir /data

FROM gcr.io/distroless/static-debian12:nonroot
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
