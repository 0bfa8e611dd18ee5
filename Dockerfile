# syntax=docker/dockerfile:1

# A release passes the version that its checks ran with.
ARG GO_VERSION=1.26

# Go cross-compiles, so the build always runs on the builder's own platform and
# never under emulation.
FROM --platform=${BUILDPLATFORM} golang:${GO_VERSION} AS build
WORKDIR /fn

# Without cgo the binary is static, which the distroless base below needs.
ENV CGO_ENABLED=0 GOCACHE=/go/build

# A layer of its own: modules are fetched again only when the context changes
# them, and then into a cache that later builds share.
RUN --mount=target=. \
    --mount=type=cache,target=/go/pkg/mod \
    go mod download

ARG TARGETOS
ARG TARGETARCH
RUN --mount=target=. \
    --mount=type=cache,target=/go/pkg/mod \
    --mount=type=cache,target=/go/build \
    GOOS=${TARGETOS} GOARCH=${TARGETARCH} go build -trimpath -ldflags="-s -w" -o /function .

# No shell, no package manager, no root.
FROM gcr.io/distroless/static-debian12:nonroot AS image
COPY --from=build /function /function
# gRPC and metrics.
EXPOSE 9443 8080
USER nonroot:nonroot
ENTRYPOINT ["/function"]
