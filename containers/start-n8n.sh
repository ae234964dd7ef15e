#!/bin/sh
# n8n looks for packages in a folder that is in its volume, which would keep an older one: puts that of this image there.
set -e
nodes="$HOME/.n8n/nodes/node_modules"
mkdir -p "$nodes"
rm -rf "$nodes/n8n-nodes-dossier"
cp -r "${0%/*}/node_modules/n8n-nodes-dossier" "$nodes/"
exec /docker-entrypoint.sh "$@"
