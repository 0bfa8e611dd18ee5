# The image of the function, for those who build with Docker: the same files as
# those of the package that `go run -C package/build .` makes without it.

# Go cross-compiles, so the build always runs on the builder's own platform and
# never under emulation. This Go only starts it: what compiles is the toolchain of
# go.mod, which Go downloads, and verifies by its checksum database.
FROM --platform=${BUILDPLATFORM} golang:1.26.9@sha256:f1f0bcc2c524a3ced375fcb4d1ecb7aa371aa7070e112599aaca45cc02d0101b AS build
WORKDIR /fn

ENV GOCACHE=/go/build

# A layer of its own: modules are fetched again only when the context changes
# them, and then into a cache that later builds share.
RUN --mount=target=. \
    --mount=type=cache,target=/go/pkg/mod \
    go mod download && go -C package/build mod download

# What git says of the checkout, which is not here.
ARG VERSION=v0.0.0 REVISION=unknown SOURCE_DATE_EPOCH=0
ARG TARGETOS
ARG TARGETARCH
RUN --mount=target=. \
    --mount=type=cache,target=/go/pkg/mod \
    --mount=type=cache,target=/go/build \
    go run -C package/build . --platform="${TARGETOS}/${TARGETARCH}" --version="${VERSION}" --revision="${REVISION}" --tree=/tree

# No base: the binary is static, and needs no shell, no certificates and no root.
FROM scratch AS image
COPY --from=build /tree /
# gRPC and metrics.
EXPOSE 9443 8080
USER 65532:65532
WORKDIR /
ENTRYPOINT ["/function"]
