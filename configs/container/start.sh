#!/bin/sh
# Pulls what is missing, then serves; everything after the image's name goes to `assistant serve`.
set -eu
/opt/parley/bin/assistant models pull
exec /opt/parley/bin/assistant serve --set server.host=0.0.0.0 \
    --set server.udp_first_port=50000 --set server.udp_last_port=50099 "$@"
