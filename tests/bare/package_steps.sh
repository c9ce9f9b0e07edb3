#!/bin/bash
# The steps of bare_package.sh, in the root: package_steps.sh STEP. Commands come from the installed pages and units, so
# that a page that is wrong fails here. A step ends with 0, or says what was wrong.

set -euo pipefail
pages=/usr/share/doc/sluice/config units=/usr/lib/systemd/system instance=osmopcu-attach
export DEBIAN_FRONTEND=noninteractive

die() {
    printf 'package_steps: %s\n' "$*" >&2
    exit 1
}

block() { # PAGE HEADING WORDS: the block of commands with these words, of that section
    awk -v heading="## $2" -v words="$3" '
        function judge() { if (index(text, words) && !found++) printf "%s", text; text = "" }
        /^## / { judge(); inside = $0 == heading }
        inside && /^    / { text = text substr($0, 5) "\n"; next }
        { judge() }
        END { judge(); exit !found }' "$pages/$1" || die "$1 has no block with '$3' below '$2'"
}

type_block() { # PAGE HEADING WORDS: type those commands
    local text
    text=$(block "$@")
    eval "$text"
}

wait_for() { # WHAT COMMAND...: a minute at most
    local what=$1
    shift
    for _ in {1..300}; do
        ! "$@" >/dev/null 2>&1 || return 0
        sleep 0.2
    done
    "$@" || true
    die "after a minute there is no $what"
}

network() { # as osmopcu.md makes it; it goes away with the step's namespaces
    local text
    text=$(block osmopcu.md 'The same, step by step' 'ip netns add' | grep -v -e '^\./run ' -e 'sluice run ')
    mkdir -p /run/netns
    mount -t tmpfs tmpfs /run/netns
    ip link set lo up
    eval "$text"
}

of_unit() { # UNIT KEY: its values
    sed -n "s/^$2=//p" "$units/$1@.service" | sed "s/%i/$instance/g"
}

as_unit() { # UNIT: start it with the unit's environment, umask and capabilities
    local capabilities words
    capabilities=$(of_unit "$1" CapabilityBoundingSet | tr ' ' '\n' | sed 's/^CAP_/+/' | paste -sd, | tr A-Z a-z)
    words=$(of_unit "$1" ExecStart | sed "s/\${LISTEN}/$(of_unit "$1" Environment | sed -n 's/^LISTEN=//p')/")
    mkdir -p /run/sluice /var/lib/sluice
    chmod 750 /var/lib/sluice
    (
        umask "$(of_unit sluice UMask)"
        exec env RUNTIME_DIRECTORY=/run/sluice setpriv --bounding-set "-all,$capabilities" --no-new-privs $words
    ) &
}

answers() {
    RUNTIME_DIRECTORY=/run/sluice sluice stats
}

# As where systemd runs: what the package's scripts type is in /tmp/systemctl, and one run is listed.
with_systemctl() { # COMMAND...
    mkdir -p /run/systemd/system /tmp/stub
    printf '#!/bin/sh\necho "$@" >>/tmp/systemctl\n[ "$1" != --no-legend ] || echo sluice@%s.service loaded\n' $instance >/tmp/stub/systemctl
    chmod 755 /tmp/stub/systemctl
    : >/tmp/systemctl
    PATH=/tmp/stub:$PATH "$@"
    rmdir /run/systemd/system
}

snapshot() { # what a purge has to leave as it was
    find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /tmp -o -path /run -o -path /var/log -o -path /var/cache \
        -o -path /var/lib/apt -o -path /var/lib/dpkg \) -prune -o -print | sort
}

step_install() {
    apt-get update -q
    apt-get install -qy --no-install-recommends /tmp/sluice.deb
    getent passwd sluice
    [ "$(stat -c '%a %G' /etc/sluice)" = '750 sluice' ] || die "/etc/sluice is $(stat -c '%a %G' /etc/sluice)"
}

step_quickstart() {
    eval "$(grep '^    sluice run' $pages/../README.md)"
}

step_units() { # what systemd says of them, and what the operator's page installs for phones
    local text
    text=$(block operations.md 'Phones over osmo-pcu' apt-get)
    eval "${text/install/install -qy}"
    apt-get install -qy --no-install-recommends systemd
    systemd-analyze verify --man=no "$units"/sluice{,-metrics}@.service
}

step_purge_unused() {
    dpkg --purge sluice
    snapshot >/tmp/before
    ! grep sluice /tmp/before || die "a purge leaves that"
    dpkg -i /tmp/sluice.deb
}

step_run() { # start, ask, reload, upgrade, stop in the unit's time, start again, metrics, enabled units
    unshare --net --mount bash "$0" run_in_network
    systemctl enable sluice@$instance sluice-metrics@$instance
}

step_run_in_network() {
    local run before
    network
    type_block operations.md Run 'install -m 640'
    as_unit sluice
    run=$!
    wait_for "answer of the run" answers
    [ "$(stat -c %U /proc/$run)" = sluice ] || die "the run's user is $(stat -c %U /proc/$run)"
    kill -HUP $run
    dpkg-deb -R /tmp/sluice.deb /tmp/newer
    sed -i 's/^Version: .*/&+1/' /tmp/newer/DEBIAN/control
    dpkg-deb -b /tmp/newer /tmp/newer.deb
    with_systemctl dpkg -i /tmp/newer.deb | tee /tmp/said
    grep -qF "systemctl restart sluice@$instance.service" /tmp/said || die "the upgrade does not name the run"
    ! grep -q -e stop -e restart /tmp/systemctl || die "the upgrade typed: $(cat /tmp/systemctl)"
    [[ $(readlink /proc/$run/exe) = *'(deleted)' ]] || die "the run has $(readlink /proc/$run/exe)"
    answers
    stop $run
    before=$(cat /var/lib/sluice/$instance/restarts)
    as_unit sluice
    run=$!
    wait_for "answer of the second run" answers
    wait_for "restart counter one above $before" grep -qx $(((before + 1) % 256)) /var/lib/sluice/$instance/restarts
    as_unit sluice-metrics
    wait_for "metric" bash -c 'curl -sf http://127.0.0.1:9464/metrics | grep "^sluice_phones_attached"'
    kill %%
    stop $run
}

stop() { # PID
    local seconds
    seconds=$(of_unit sluice TimeoutStopSec)
    kill -TERM "$1"
    timeout "$seconds" tail --pid="$1" -f /dev/null || die "the run has not ended $seconds s after SIGTERM"
    wait "$1" || die "the run ends with $?"
}

step_phones() { # attach over osmo-pcu, with the pages' commands
    unshare --net --mount bash "$0" phones_in_network
    rm -r /srv/sluice
}

step_phones_in_network() {
    local word ping
    type_block operations.md 'Phones over osmo-pcu' mkdir
    network
    # The lines that want terminals of their own run beside the others.
    block osmopcu.md 'A phone that attaches' 'ip -n phones route' |
        sed -e 's/sluice run .*/& \&/' -e 's/osmo-pcu -c .*/& \&/' >/tmp/phones.sh
    . /tmp/phones.sh >/tmp/phones.log 2>&1
    word=$(grep -o 'attached, [0-9.]*' $pages/operations.md)
    wait_for "'$word' in $(tail -n 20 /tmp/phones.log)" grep -q "$word" /tmp/phones.log
    ping=$(block operations.md 'Phones over osmo-pcu' 'ping -c')
    wait_for ping bash -c "$ping"
    grep 'attached, ' /tmp/phones.log
    kill $(jobs -p)
    wait || true
}

step_remove() {
    with_systemctl dpkg --remove sluice
    grep -qF 'stop sluice@*.service sluice-metrics@*.service' /tmp/systemctl || die "removal typed: $(cat /tmp/systemctl)"
    [ ! -e /usr/bin/sluice ] && [ ! -e $pages ] || die "the program is still there"
    [ -f /etc/sluice/$instance.lua ] && [ -f /var/lib/sluice/$instance/restarts ] || die "configuration or state has gone"
}

step_purge() { # nothing stays but the operator's configurations
    apt-get purge -qy sluice
    diff <(printf '%s\n' /etc/sluice /etc/sluice/{$instance,recommended}.lua) <(snapshot | comm -13 /tmp/before -) ||
        die "a purge leaves more (>) or less (<)"
}

"step_$1"
