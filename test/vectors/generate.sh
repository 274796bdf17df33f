#!/usr/bin/env bash
# Makes callbacks.json and requests.json: envelopes signed and encrypted by tools that share no code with
# Paycast. Each tool (openssl's command line, a JDK, plain Python) puts together the signed text on its own,
# and whatever does not depend on chance must come out the same from all of them before anything is written.
#
#   test/vectors/generate.sh             needs openssl 3, a JDK (17 or later) and python3; a minute at most
#
# keys.json is kept if it is there, so that only PSS signatures change from run to run. Delete it for new keys.
# The results are committed; no test runs this script.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

[[ -f $here/keys.json ]] || "$here/make-keys.sh" "$here/keys.json"
python3 -B "$here/plan.py" "$here/keys.json" "$work"
"$here/sign-openssl.sh" "$work"
LC_ALL=C.UTF-8 java "$here/Sign.java" "$work"
python3 -B "$here/sign.py" "$work"
python3 -B "$here/assemble.py" "$work" "$here"
