# Cardhouse in a container: the Debian packages are built in one stage and installed in another.
#
#   docker build -t cardhouse .
#   docker run --rm -v "$PWD":/work cardhouse run cards --until 1 --out cards.h5
#
# docs/docker.md says how to watch a run, and how this file was tried.
FROM debian:12-slim AS build
COPY . /src
WORKDIR /src
RUN apt-get update && apt-get install -y --no-install-recommends make gcc libc6-dev \
 && tools/install-packages build deb \
 && tools/make-deb build-deb

FROM debian:12-slim
COPY --from=build /src/build-deb/*.deb /packages/
RUN apt-get update \
 && apt-get install -y --no-install-recommends /packages/libcardhouse0_*.deb /packages/cardhouse_*.deb \
      /packages/python3-cardhouse_*.deb \
 && rm -rf /packages /var/lib/apt/lists/*
WORKDIR /work
ENTRYPOINT ["cardhouse"]
CMD ["--help"]
