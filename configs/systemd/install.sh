#!/bin/sh
# Installs Parley on a Debian box, or upgrades it: models and settings stay.
#     sudo ./install.sh [WHEEL]      without a wheel: what this checkout holds
set -eu

here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
source=${1:-$here/../..}

[ "$(id -u)" = 0 ] || { echo "install.sh: run it as root (sudo); Parley itself runs without" >&2; exit 1; }
command -v systemctl >/dev/null || { echo "install.sh: this box has no systemd" >&2; exit 1; }

export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends \
    python3 python3-venv python3-dev g++ make cmake libgl1 libglib2.0-0

id parley >/dev/null 2>&1 || useradd --system --home-dir /var/lib/parley --shell /usr/sbin/nologin parley
install -d -o parley -g parley -m 750 /var/lib/parley
install -d -m 755 /etc/parley

[ -x /opt/parley/bin/python ] || python3 -m venv /opt/parley
/opt/parley/bin/pip install --quiet --upgrade pip
/opt/parley/bin/pip install --upgrade "$source"

if [ ! -e /etc/parley/parley.toml ]; then
    install -m 644 "$here/../edge.toml" /etc/parley/parley.toml
fi
install -m 644 "$here/parley.service" /etc/systemd/system/parley.service

# Fetched as the user that reads them; what is there already is kept.
(cd /var/lib/parley && runuser -u parley -- /opt/parley/bin/assistant models pull \
    --config /etc/parley/parley.toml)

systemctl daemon-reload
systemctl enable parley
systemctl restart parley
echo "Parley runs: settings in /etc/parley/parley.toml, log with journalctl -u parley"
