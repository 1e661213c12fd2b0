#!/bin/sh
# Runs a command on an X server of its own, with one fixed set of fonts: on_display.sh XVFB COMMAND ...
set -u
xvfb=$1
shift
dir=$(mktemp -d) || exit 1
cat > "$dir/fonts.conf" <<'END'
<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>/usr/share/fonts/truetype/dejavu</dir>
  <cachedir prefix="cwd">cache</cachedir>
  <match target="font"><edit name="hintstyle" mode="assign"><const>hintnone</const></edit>
    <edit name="rgba" mode="assign"><const>none</const></edit></match>
</fontconfig>
END
sed -i "s|<cachedir prefix=\"cwd\">cache|<cachedir>$dir/cache|" "$dir/fonts.conf"
mkfifo "$dir/number"
"$xvfb" -displayfd 3 -noreset -nolisten tcp -screen 0 1600x1000x24 -dpi 96 3> "$dir/number" 2> "$dir/xvfb.log" &
server=$!
trap 'kill $server 2>/dev/null; wait $server 2>/dev/null; rm -rf "$dir"' EXIT
read -r number < "$dir/number" || { cat "$dir/xvfb.log"; exit 1; }
DISPLAY=:$number FONTCONFIG_FILE=$dir/fonts.conf "$@"
