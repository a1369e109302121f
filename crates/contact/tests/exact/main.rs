//! Collision times against exact arithmetic, in positions that are hard on rounding.
