# Build: everything, with the development dependencies.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json tsconfig.base.json ./
COPY packages/engine/package.json packages/engine/
COPY packages/server/package.json packages/server/
COPY packages/dashboard/package.json packages/dashboard/
COPY bench/package.json bench/
COPY scripts scripts
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY packages packages
RUN node scripts/stamp.mjs && npm run build

# Run-time dependencies only: no bundled Node (the image has one), no test tools.
FROM node:24-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages/engine/package.json packages/engine/
COPY packages/server/package.json packages/server/
COPY packages/dashboard/package.json packages/dashboard/
COPY bench/package.json bench/
RUN npm ci --workspace=@guerdon/server --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund

FROM node:24-alpine
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8010 GUERDON_DATA_DIR=/data
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/packages/engine/package.json packages/engine/package.json
COPY --from=build /app/packages/engine/dist packages/engine/dist
COPY --from=build /app/packages/server/package.json packages/server/package.json
COPY --from=build /app/packages/server/openapi.json packages/server/openapi.json
COPY --from=build /app/packages/server/dist packages/server/dist
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8010
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Signals reach the process itself: it stops accepting, finishes what runs and closes.
ENTRYPOINT ["node", "packages/server/dist/main.js"]
CMD ["serve"]
