# n8n with the nodes of this package. `npm pack --pack-destination containers` makes the file that it installs.
FROM docker.n8n.io/n8nio/n8n:2.40.7
USER node
WORKDIR /home/node/.n8n/nodes
COPY --chown=node:node n8n-nodes-dossier-*.tgz ./
RUN npm install --omit=dev --omit=peer --ignore-scripts --no-audit --no-fund ./n8n-nodes-dossier-*.tgz
WORKDIR /home/node
