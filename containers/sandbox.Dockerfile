# The dossier sandbox. README.md has the command that makes the file that it installs.
# By itself, it listens inside its container alone, so that `docker run -p` opens nothing; compose.yaml opens it to n8n.
FROM node:24-slim
ARG VERSION=0.1.0
WORKDIR /sandbox
COPY dossier-sandbox-${VERSION}.tgz ./
RUN npm install --omit=dev --no-audit --no-fund ./dossier-sandbox-${VERSION}.tgz && mkdir -p data && chown -R node:node data
USER node
EXPOSE 4170
# Asks the control room, because a request of the service would be in the journal, and be struck by a fault that is for another one.
HEALTHCHECK --interval=5s --timeout=3s --start-period=10s CMD ["node", "-e", "fetch('http://127.0.0.1:4170/_sandbox/api/clock').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node_modules/.bin/dossier-sandbox"]
