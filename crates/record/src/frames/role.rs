//! What part a body plays in a frame.

/// What part a body plays in a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Role {
    /// It is simulated.
    #[default]
    Body,
    /// It stands still, or goes where a motion leads it.
    Obstacle,
    /// A piece of a plane, which has no end; `verify` takes planes from the scene.
    Plane,
    /// What is drawn in place of the body of the same name, and touches nothing.
    Skin,
}

impl Role {
    const ALL: [Self; 4] = [Self::Body, Self::Obstacle, Self::Plane, Self::Skin];

    /// Its word in files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Body => "body",
            Self::Obstacle => "obstacle",
            Self::Plane => "plane",
            Self::Skin => "skin",
        }
    }

    /// The role of a word.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.word() == word)
    }
}
