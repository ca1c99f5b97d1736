# The exact release of Node, which is the one the tests run on. docs/operate/containers.md says how to pin the image by digest too.
ARG NODE_IMAGE=node:24.22.0-slim

# The package.json of every workspace and nothing else: npm ci is repeated only when one of them changes, and a new workspace
# cannot be forgotten.
FROM ${NODE_IMAGE} AS manifests
WORKDIR /app
COPY . .
RUN find . -type f ! -name package.json ! -name package-lock.json -delete && find . -depth -type d -empty -delete

# Build: everything, with the development dependencies.
FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY --from=manifests /app ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN node scripts/stamp.mjs && npm run build && npm run sbom

# Run-time dependencies only: no bundled Node (the image has one), no test tools.
FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY --from=manifests /app ./
RUN npm ci --workspace=guerdon --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund

FROM ${NODE_IMAGE}
LABEL org.opencontainers.image.title="Guerdon" \
  org.opencontainers.image.description="Self-hosted promotions, vouchers and loyalty service" \
  org.opencontainers.image.licenses="Apache-2.0"
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8010 GUERDON_DATA_DIR=/data
WORKDIR /app
# Nothing in /app belongs to the user of the process: it cannot change what it runs. All of /app, because npm puts a package beside
# its workspace if another version of it is at the top.
COPY --from=dependencies /app ./
COPY --from=build /app/packages/engine/dist packages/engine/dist
COPY --from=build /app/packages/server/openapi.json packages/server/openapi.json
COPY --from=build /app/packages/server/dist packages/server/dist
COPY --from=build /app/sbom.cdx.json sbom.cdx.json
# The package managers of the base image are no part of the service: what is not there needs no update.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /opt/yarn-* /usr/local/bin/yarn* \
  && mkdir /data && chown node:node /data
# By number: Kubernetes can verify only a number with runAsNonRoot.
USER 1000:1000
VOLUME /data
EXPOSE 8010
# A migration may wait ten minutes for tables that others use: until then a node that is not ready is starting, not sick.
HEALTHCHECK --interval=10s --timeout=5s --start-period=11m \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Signals reach the process itself: it stops accepting, finishes what runs and closes.
ENTRYPOINT ["node", "packages/server/dist/main.js"]
CMD ["serve"]
