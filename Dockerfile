# syntax=docker/dockerfile:1

# The image of the function, for those who build with Docker: the same files as
# those of the package that `go run -C package/build .` makes without it.
ARG GO_VERSION=1.26.11

# Go cross-compiles, so the build always runs on the builder's own platform and
# never under emulation.
FROM --platform=${BUILDPLATFORM} golang:${GO_VERSION} AS build
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
