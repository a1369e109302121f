#!/usr/bin/env bash
# ccx2paraview: the Mises strain that it adds is 3/2 of the equivalent strain, and so of the plastic strain PEEQ beside it.
#
# The converter of CalculiX results for ParaView "generates Mises components for stress and strain tensors", as its README says. E_Mises
# follows the formula of stresses. The equivalent strain has another factor, sqrt(2/3 e:e) of the deviator e, for which a bar that is
# stretched plastically by 2 % has 2 %, and stress times its increment is plastic work. In the file of a perfectly plastic cube,
# PEEQ is 1.90 % (2 % less the elastic strain), the equivalent strain of E is 1.99 %, and E_Mises is 2.98 %. A diagram of S_Mises
# over E_Mises shows two thirds of the hardening modulus.
# Source: ccx2paraview 3.2.0 and vtk 9.7.2 from PyPI, calculix-ccx 2.20-1 of Debian 12, with the libraries that it needs.
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
python3 -m venv "$place/env"
"$place/env/bin/pip" install -q --disable-pip-version-check ccx2paraview==3.2.0 vtk==9.7.2 numpy==2.4.6
cat >cube.inp <<'DECK'
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
*NSET, NSET=LEFT
1, 4, 5, 8
*NSET, NSET=FRONT
1, 2, 5, 6
*NSET, NSET=BOTTOM
1, 2, 3, 4
*NSET, NSET=TOP
5, 6, 7, 8
*MATERIAL, NAME=STEEL
*ELASTIC
210000., 0.3
*PLASTIC
200., 0.
200., 1.
*SOLID SECTION, ELSET=EALL, MATERIAL=STEEL
*BOUNDARY
LEFT, 1
FRONT, 2
BOTTOM, 3
*STEP
*STATIC, DIRECT
1., 1.
*BOUNDARY
TOP, 3, 3, 0.02
*NODE FILE
U
*EL FILE
S, E, PEEQ
*END STEP
DECK
LD_LIBRARY_PATH="$libraries" "$place/root/usr/bin/ccx" -i cube >log 2>&1
"$place/env/bin/ccx2paraview" cube.frd vtu >log 2>&1
"$place/env/bin/python" - <<'PY'
import numpy as np
from vtk import vtkXMLUnstructuredGridReader
from vtk.util.numpy_support import vtk_to_numpy

reader = vtkXMLUnstructuredGridReader()
reader.SetFileName("cube.vtu")
reader.Update()
data = reader.GetOutput().GetPointData()
strain, stress, plastic, mises, mises_stress = (
    vtk_to_numpy(data.GetArray(name)) for name in ("E", "S", "PEEQ", "E_Mises", "S_Mises"))
xx, yy, zz, xy, yz, xz = strain[0]  # tensor components, not engineering strains
tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
deviator = tensor - np.trace(tensor) / 3 * np.eye(3)
equivalent = np.sqrt(2 / 3 * np.sum(deviator**2))
elastic = 2 / 3 * 1.3 * 200 / 210000
print(f"stress {mises_stress[0]:.2f}, PEEQ {plastic[0]:.5f}, equivalent strain {equivalent:.5f}, E_Mises {mises[0]:.5f}")
assert np.isclose(mises_stress[0], 200, rtol=1e-3) and np.isclose(plastic[0], 0.02 - 200 / 210000, rtol=1e-3)
assert np.isclose(equivalent, plastic[0] + elastic, rtol=1e-3), "the strains of the cube have changed"
assert np.isclose(mises[0], 1.5 * equivalent, rtol=1e-4), "E_Mises has changed"
print("holds: E_Mises is 3/2 of the equivalent strain")
PY
