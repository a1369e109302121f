//! Closest point and solid angle of a triangle.

use resile_math::Vec3;
use resile_math::elementary;

/// Point of the triangle `a b c` closest to `p`.
///
/// Determines the Voronoi region of the triangle that contains the projection of `p`, by the signed areas `va`, `vb`
/// and `vc` of the projection with two corners each (Ericson, "Real-Time Collision Detection", 2005, section 5.1.5,
/// whose names these are). A triangle without area is treated as its longest edge.
pub(super) fn closest_point(p: Vec3, [a, b, c]: [Vec3; 3]) -> Vec3 {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return a;
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return b;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return a + ab * (d1 / (d1 - d3));
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return c;
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return a + ac * (d2 / (d2 - d6));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        return b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)));
    }
    let scale = 1.0 / (va + vb + vc);
    a + ab * (vb * scale) + ac * (vc * scale)
}

/// Solid angle of the triangle `a b c` seen from `p`, in steradians; positive from behind, that is from inside
/// its surface (Van Oosterom and Strackee 1983).
pub(super) fn solid_angle(p: Vec3, corners: [Vec3; 3]) -> f64 {
    let [a, b, c] = corners.map(|x| x - p);
    let [la, lb, lc] = [a.length(), b.length(), c.length()];
    let volume = a.dot(b.cross(c));
    let product = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    2.0 * elementary::atan2(volume, product)
}
