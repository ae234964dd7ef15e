# n8n with the nodes of this package. README.md has the command that makes the file that it installs.
# 3 builds upon the newest n8n 3.
ARG N8N=2.41.3
FROM docker.n8n.io/n8nio/n8n:${N8N}
ARG VERSION=0.1.0
USER root
WORKDIR /opt/dossier
COPY n8n-nodes-dossier-${VERSION}.tgz ./
RUN npm install --omit=dev --omit=peer --ignore-scripts --no-audit --no-fund ./n8n-nodes-dossier-${VERSION}.tgz
COPY --chmod=755 start-n8n.sh ./
USER node
WORKDIR /home/node
ENTRYPOINT ["tini", "--", "/opt/dossier/start-n8n.sh"]
