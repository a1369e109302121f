#!/usr/bin/env bash
# CalculiX: automatic increments of *DYNAMIC do not control the error in time.
#
# One linear element (E = 3, density 1, no lateral strain) between a fixed and a free face has one vibration, of the period
# 2 pi / 3 = 2.094. Under a force of 1 that begins at t = 0, the free face moves by (1 - cos 3 t) / 3. With DIRECT and
# increments of 0.01 that is what CalculiX computes. Without DIRECT, increments are enlarged by half as long as the iteration
# converges, which it always does on a linear model: they grow from 0.01 to 0.93 of the period, without a warning, and at
# t = 3.88 the displacement is 0.539 instead of 0.128. In Abaqus, whose input this is, the same lines limit the error of
# equilibrium in the middle of an increment. DIRECT fixes increments.
# Source: calculix-ccx 2.20-1 of Debian 12, with the libraries that it needs.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances \
    calculix-ccx=2.20-1 | grep '^[a-z]' | grep -Ev '^(libc6|libc-bin|debconf.*|dpkg|tar|perl.*|libgcc-s1)(:|$)' | sort -u >packages
mkdir debs root
(cd debs && apt-get -q download calculix-ccx=2.20-1 >/dev/null 2>&1)
while read -r package; do
    # Virtual packages have no file.
    (cd debs && apt-get -q download "$package" >/dev/null 2>&1) || true
done < <(grep -v '^calculix-ccx$' packages)
for deb in debs/*.deb; do dpkg -x "$deb" root; done
libraries=$(find "$place/root" -name '*.so*' -printf '%h\n' | sort -u | paste -sd:)
# The times and the displacements of the free face, one pair a line.
displacements() {
    cat >bar.inp <<DECK
*NODE, NSET=NALL
1, 0, 0, 0
2, 1, 0, 0
3, 1, 1, 0
4, 0, 1, 0
5, 0, 0, 1
6, 1, 0, 1
7, 1, 1, 1
8, 0, 1, 1
*ELEMENT, TYPE=C3D8, ELSET=EALL
1, 1, 2, 3, 4, 5, 6, 7, 8
*NSET, NSET=BOTTOM
1, 2, 3, 4
*NSET, NSET=TOP
5, 6, 7, 8
*MATERIAL, NAME=M
*ELASTIC
3., 0.
*DENSITY
1.
*SOLID SECTION, ELSET=EALL, MATERIAL=M
*BOUNDARY
NALL, 1, 2
BOTTOM, 3
*STEP, INC=10000
*DYNAMIC$1
0.01, 6.2831853
*CLOAD
TOP, 3, 0.25
*NODE PRINT, NSET=TOP
U
*END STEP
DECK
    LD_LIBRARY_PATH="$libraries" "$place/root/usr/bin/ccx" -i bar >log 2>&1
    awk '/displacements/ { time = $NF } NF == 4 && $1 == 5 { print time, $4 }' bar.dat
}
# The number of increments, the largest one over the period, and the largest error over the largest displacement of 2/3.
errors() {
    awk '{
        step = $1 - last; last = $1
        if (step > longest) longest = step
        error = $2 - (1 - cos(3 * $1)) / 3
        if (error < 0) error = -error
        if (error > worst) worst = error
    } END { printf "%d increments, the longest %.2f of a period, largest error %.2f\n", NR, longest / 2.0943951, worst / 0.6666667 }'
}
displacements ", DIRECT" | errors
automatic=$(displacements "" | errors)
echo "$automatic without DIRECT; warnings: $(grep -ci warning log || true)"
awk -v longest="$(sed 's/.*longest \([0-9.]*\).*/\1/' <<<"$automatic")" 'BEGIN { exit !(longest > 0.5) }' ||
    { echo "the finding is out of date"; exit 1; }
