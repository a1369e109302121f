//! Intersection-free contact: distances, barrier, continuous collision detection, friction.
