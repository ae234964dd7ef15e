# The dossier sandbox. `npm pack --workspace sandbox --pack-destination containers` makes the file that it installs.
FROM node:24-slim
WORKDIR /sandbox
COPY dossier-sandbox-*.tgz ./
RUN npm install --omit=dev --no-audit --no-fund ./dossier-sandbox-*.tgz && mkdir -p data && chown -R node:node data
USER node
# Only port 4010 of this machine leads here (compose.yaml), so the keys can be the well-known ones.
ENV DOSSIER_SANDBOX_HOST=0.0.0.0 \
	DOSSIER_SANDBOX_BASE_URL=http://sandbox:4010 \
	DOSSIER_SANDBOX_CONTROL_HOST=sandbox,localhost,127.0.0.1 \
	DOSSIER_SANDBOX_KEYS=well-known \
	DOSSIER_SANDBOX_DATA=data
EXPOSE 4010
HEALTHCHECK --interval=5s --timeout=3s --start-period=10s CMD ["node", "-e", "fetch('http://127.0.0.1:4010/api/v1/health').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node_modules/.bin/dossier-sandbox"]
