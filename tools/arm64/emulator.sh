#!/bin/sh
# emulator.sh DIR makes DIR/emulate, which runs a program for arm64 under qemu-user, and DIR/plugins, where such a program
# stands for a plugin. The kernel's list of processors, which ONNX Runtime reads when it is loaded, is that of the machine
# below: the emulator gets one of its own kind.
set -e
mkdir -p "$1/root/proc" "$1/real" "$1/plugins"
dir=$(cd "$1" && pwd)
ln -sfn /usr/aarch64-linux-gnu/lib "$dir/root/lib"
for i in $(seq 0 $(($(nproc) - 1))); do
	printf 'processor\t: %d\nFeatures\t: fp asimd aes pmull sha1 sha2 crc32 cpuid\nCPU implementer\t: 0x41\n' "$i"
	printf 'CPU architecture: 8\nCPU variant\t: 0x0\nCPU part\t: 0xd08\nCPU revision\t: 3\n\n'
done >"$dir/root/proc/cpuinfo"
printf '#!/bin/sh\nexec qemu-aarch64 -L %s/root "$@"\n' "$dir" >"$dir/emulate"
printf '#!/bin/sh\nexec %s/emulate %s/real/plumbline-plugin-resnet50 "$@"\n' "$dir" "$dir" >"$dir/plugins/plumbline-plugin-resnet50"
chmod +x "$dir/emulate" "$dir/plugins/plumbline-plugin-resnet50"
