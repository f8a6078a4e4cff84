#!/usr/bin/env bash
# Finds Chromium for the tests that look at pages, or installs it where that needs no question.
set -euo pipefail

for name in chromium chromium-browser google-chrome; do
  command -v "$name" > /dev/null && exit 0
done
if command -v apt-get > /dev/null && [ "$(id -u)" = 0 ]; then
  echo "Installing Chromium …"
  (apt-get install -y --no-install-recommends chromium || (apt-get update && apt-get install -y --no-install-recommends chromium)) > /dev/null 2>&1 && exit 0
fi
echo "No Chromium here: the tests of pages are skipped. Cure: install the package chromium of your system." >&2
