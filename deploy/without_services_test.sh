#!/bin/bash
# Runs deploy/without-services below a separate folder, so that it needs no root: what is left when
# it is killed, how two runs at once interact, and which files of others it leaves alone. Also tests
# that install-packages installs through it, or else writes nothing.
set -uo pipefail

deploy=$PWD/deploy
scratch=$(mktemp -d "${TEST_TMPDIR:-/tmp}/without_services.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
failures=0
case_name=

begin() {
  case_name=$1
  root=$scratch/$1
  mkdir -p "$root/usr/sbin" "$root/run"
  policy=$root/usr/sbin/policy-rc.d
}
wrong() { echo "FAILED: $case_name: $*" >&2; failures=$((failures + 1)); }
check() { "$@" || wrong "not so: $*"; }
same() { [ "$1" = "$2" ] || wrong "'$1' instead of '$2'"; }
says() { "$policy" redis-server start; same $? "$1"; }
absent() { [ ! -e "$1" ] && [ ! -L "$1" ] || wrong "$1 is there"; }
clean() { same "$(ls -A "$root/usr/sbin")" ""; }
run() { "$deploy/without-services" --root="$root" "$@"; }
await() {   # waits for a condition that comes true soon; a minute is a failure
  local i
  for ((i = 0; i < 6000; ++i)); do
    ! "$@" || return 0
    sleep 0.01
  done
  wrong "did not happen: $*"
}
gone() { ! kill -0 "$1" 2> /dev/null; }
# Prints a command that reports its start, and runs until it is told to end: wait_for NAME.
waiting() { printf 'echo $$ > %q; until [ -e %q ]; do sleep 0.01; done' "$root/$1.began" "$root/$1.end"; }

begin plain
export policy
run sh -c '"$policy"; exit $?' 2> "$root/said"
same $? 101
same "$(cat "$root/said")" ""
clean
run sh -c 'stat -c "%F %a" "$policy"; ls -A "${policy%/*}"' > "$root/seen"
same "$(cat "$root/seen")" "$(printf 'regular file 755\npolicy-rc.d')"
run sh -c 'exit 7'; same $? 7
run "$root/no-command" 2> /dev/null; same $? 127
clean

begin dangling_link
ln -s "$root/elsewhere" "$policy"
run touch "$root/ran" 2> "$root/said"; same $? 125
check grep -q "link to nowhere ($root/elsewhere)" "$root/said"
absent "$root/elsewhere"
absent "$root/ran"
same "$(readlink "$policy")" "$root/elsewhere"

begin foreign_file
printf '#!/bin/sh\nexit 101\n' > "$policy"
chmod 711 "$policy"
before=$(stat -c '%i %Y %Z %a' "$policy"; cat "$policy")
run touch "$root/ran" 2> "$root/said"; same $? 0
check [ -e "$root/ran" ]
check grep -q "policy-rc.d exists already" "$root/said"
same "$(stat -c '%i %Y %Z %a' "$policy"; cat "$policy")" "$before"

# Debian's alternatives are links.
begin foreign_link
printf '#!/bin/sh\nexit 101\n' > "$root/alternative"
ln -s "$root/alternative" "$policy"
run true 2> /dev/null; same $? 0
same "$(readlink "$policy")" "$root/alternative"
same "$(sed -n 2p "$root/alternative")" "exit 101"

# Ours, but reached by a link: a killed run leaves no link.
begin link_to_ours
run cp "$policy" "$root/copy"
ln -s "$root/copy" "$policy"
run true 2> /dev/null; same $? 0
check [ -e "$root/copy" ]
check [ -L "$policy" ]

begin no_file
mkdir "$policy"
run touch "$root/ran" 2> /dev/null; same $? 125
absent "$root/ran"
rmdir "$policy"
mkfifo "$policy"
run touch "$root/ran" 2> /dev/null; same $? 125

begin replaced_meanwhile
run sh -c 'rm "$policy"; printf "#!/bin/sh\nexit 0\n" > "$policy"'; same $? 0
same "$(cat "$policy")" "$(printf '#!/bin/sh\nexit 0')"

begin two_at_once
run sh -c "$(waiting a)" & a=$!
await [ -e "$root/a.began" ]
run sh -c "$(waiting b)" & b=$!
says 101
touch "$root/a.end"
wait $a; same $? 0
await [ -e "$root/b.began" ]
check [ -e "$policy" ] && says 101
touch "$root/b.end"
wait $b; same $? 0
clean

begin many_at_once
for i in 1 2 3 4 5 6 7 8; do
  run sh -c '"$policy" || echo $? >> "$0"' "$root/said" &
done
wait
same "$(sort "$root/said" | uniq -c | xargs)" "8 101"
clean

# The command continues, and so does the policy; once it has ended nothing is in force, and the next
# run removes the policy's file.
begin killed
"$deploy/without-services" --root="$root" sh -c "$(waiting a)" & a=$!
await [ -s "$root/a.began" ]
kill -KILL $a
wait $a 2> /dev/null
says 101
"$deploy/without-services" --root="$root" sh -c "$(waiting b)" & b=$!
sleep 0.1
absent "$root/b.began"
touch "$root/a.end"
await [ -e "$root/b.began" ]
says 101
kill -KILL $b
wait $b 2> /dev/null
touch "$root/b.end"
await gone "$(cat "$root/b.began")"
check [ -e "$policy" ] && says 0
run sh -c '"$policy"'; same $? 101
clean

# Killed together with its command, before a restart of the machine: /run is empty.
begin killed_for_good
setsid "$deploy/without-services" --root="$root" sh -c "$(waiting a)" & a=$!
await [ -s "$root/a.began" ]
kill -KILL -- -$a
wait $a 2> /dev/null
await gone "$(cat "$root/a.began")"
says 0
touch "$root/usr/sbin/.kiln-policy-rc.d"
rm -r "$root/run/kiln-install"
says 0
absent "$root/run/kiln-install"
run true; same $? 0
clean

# After SIGTERM it waits for its command, which must not run without the policy.
begin terminated
for signal in TERM HUP INT; do
  rm -f "$root"/a.*
  (trap - INT; exec "$deploy/without-services" --root="$root" sh -c "$(waiting a)") & a=$!
  await [ -e "$root/a.began" ]
  kill -$signal $a
  sleep 0.1
  says 101
  touch "$root/a.end"
  wait $a; check [ $? != 125 ]
  clean
done

begin lock_of_others
mkdir -m 755 "$root/run/kiln-install"
run touch "$root/ran" 2> "$root/said"; same $? 125
check grep -q "is not a folder of root with mode 0700" "$root/said"
rmdir "$root/run/kiln-install"
mkdir -m 700 "$root/theirs"
ln -s "$root/theirs" "$root/run/kiln-install"
run touch "$root/ran" 2> /dev/null; same $? 125
absent "$root/ran"
same "$(ls -A "$root/theirs")" ""
clean

# install-packages with a dpkg for which no package, or every one, is installed, and a user who may
# or may not sudo.
begin install_packages
mkdir "$root/bin"
stub() { printf '#!/bin/sh\n%s\n' "$2" > "$root/bin/$1"; chmod 755 "$root/bin/$1"; }
stub id 'echo 1000'
stub sudo "printf '%s\n' \"\$*\" >> '$root/sudo'; exit 1"
stub dpkg-query 'exit 1'
stub bazel 'exit 0'
PATH=$root/bin:$PATH "$deploy/install-packages" run 2> "$root/said"; same $? 1
same "$(cat "$root/sudo")" "-n true"
check grep -q 'As root, run' "$root/said"
stub sudo "printf '%s\n' \"\$*\" >> '$root/sudo'"
PATH=$root/bin:$PATH "$deploy/install-packages" run 2> /dev/null; same $? 0
check grep -q '^-n [^ ]*/without-services env .* apt-get .* install .* libzstd1' "$root/sudo"
same "$(grep -vc -e '^-n true$' -e 'without-services' "$root/sudo")" 0
rm "$root/sudo"
stub dpkg-query 'for p; do echo "installed $p"; done'
PATH=$root/bin:$PATH "$deploy/install-packages" run; same $? 0
absent "$root/sudo"

[ $failures = 0 ] || exit 1
echo "all is well"
