//! Role of a body in a frame.

/// Role of a body in a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Role {
    /// It is simulated.
    #[default]
    Body,
    /// A fixed or kinematic obstacle.
    Obstacle,
    /// The drawn piece of an infinite plane; `verify` takes planes from the scene.
    Plane,
    /// A surface drawn in place of the body of the same name, without contact.
    Skin,
}

impl Role {
    const ALL: [Self; 4] = [Self::Body, Self::Obstacle, Self::Plane, Self::Skin];

    /// Name of the role in files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Body => "body",
            Self::Obstacle => "obstacle",
            Self::Plane => "plane",
            Self::Skin => "skin",
        }
    }

    /// Role with this name.
    pub fn from_name(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.word() == word)
    }
}
