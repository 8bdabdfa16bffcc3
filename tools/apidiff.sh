#!/usr/bin/env bash
# Lists how the exported names of packages have changed since the last release, as apidiff tells it: apidiff.sh BASE
# PACKAGE... BASE is a tag or a commit; empty, the newest tag. Names that no longer compile fail the command if the base
# is v1.0.0 or later. It writes nothing but bin/ and temporary files.
set -euo pipefail
cd "$(dirname "$0")/.."
prefix=github.com/plumbline-ml/plumbline
apidiff=$PWD/bin/tools/apidiff

base=$1
commit=$base
shift
if [ -z "$base" ]; then
	base=$(git tag --list 'v[0-9]*' --sort=-version:refname | head -n 1)
	if [ -z "$base" ]; then
		echo "no tag yet: there is no release to compare with (BASE=commit compares with a commit)"
		exit 0
	fi
	# The tag's own commit requires modules at its version, which may not be published. Its parent has the same sources.
	commit=$base^
fi

dir=$(mktemp -d)
trap 'git worktree remove --force "$dir/tree" 2>/dev/null || true; rm -rf "$dir"' EXIT
git worktree add --quiet --detach "$dir/tree" "$commit"

broken=0
for package in "$@"; do
	file=$dir/$(echo "$package" | tr / -)
	if [ ! -d "$dir/tree/$package" ]; then
		echo "$package: new since $base"
		continue
	fi
	(cd "$dir/tree" && "$apidiff" -w "$file" "$prefix/$package")
	changes=$("$apidiff" "$file" "$prefix/$package")
	if [ -z "$changes" ]; then
		echo "$package: as in $base"
		continue
	fi
	printf '%s, since %s:\n%s\n' "$package" "$base" "$changes"
	if [ -n "$("$apidiff" -incompatible "$file" "$prefix/$package")" ]; then
		broken=1
	fi
done

case $base in
v0.*) ;;
v[0-9]*) exit $broken ;;
esac
