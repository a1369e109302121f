#!/usr/bin/env bash
# CalculiX: the forces RF on a clamped face do not balance the load if part of it acts on nodes of that face.
#
# RF is the reaction plus the concentrated and distributed loads on the same node, as the manual says under *NODE PRINT;
# in Abaqus RF is the reaction alone. A distributed load acts on nodes through the shape functions, so this concerns every
# pressed or heavy body at its support: here a tetrahedron that is clamped at three nodes and pressed on a face with two
# of them. The load is 0.5, TOTALS of RF says a third of it.
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
cat >one.inp <<'INP'
*NODE, NSET=NALL
1, 0., 0., 0.
2, 1., 0., 0.
3, 0., 1., 0.
4, 0., 0., 1.
*ELEMENT, TYPE=C3D4, ELSET=EALL
1, 1, 2, 3, 4
*NSET, NSET=BASE
1, 2, 3
*BOUNDARY
BASE, 1, 3
*MATERIAL, NAME=STEEL
*ELASTIC
210000., 0.3
*SOLID SECTION, ELSET=EALL, MATERIAL=STEEL
*STEP
*STATIC
*DLOAD
EALL, P2, 1.
*NODE PRINT, NSET=BASE, TOTALS=ONLY
RF
*END STEP
INP
LD_LIBRARY_PATH="$libraries" "$place/root/usr/bin/ccx" -i one >log 2>&1
total=$(awk '/total force/ {found = 1; next} found && NF == 3 {print $2; exit}' one.dat)
echo "the pressure pushes with 0.5 along y, the forces RF on the support are $total"
awk -v total="$total" 'BEGIN {exit !(total + 1/6 < 1e-6 && total + 1/6 > -1e-6)}' ||
    { echo "the finding is out of date"; exit 1; }
