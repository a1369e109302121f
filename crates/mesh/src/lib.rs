//! Topology, rest geometry, generators, readers and mesh quality; no physics.
