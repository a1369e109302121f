//! The scenes whose speed is followed.

/// A scene of the standard set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StandardScene {
    /// What the figures are called.
    pub(crate) name: &'static str,
    /// The file's name in `scenes/`, without its extension.
    pub(crate) file: &'static str,
    /// Fields that are overridden.
    pub(crate) set: &'static [&'static str],
}

impl StandardScene {
    const fn as_it_is(name: &'static str) -> Self {
        Self { name, file: name, set: &[] }
    }

    /// The scene of this name.
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        STANDARD.iter().find(|scene| scene.name == name)
    }
}

/// The scenes of the papers that are small enough to be run several times, the smallest
/// first; the bar once more hanging by its end, and the dice, under implicit Euler and with
/// a tolerance at which other codes have been measured; a small net of chains, where affine bodies crowd.
pub(crate) const STANDARD: [StandardScene; 11] = [
    StandardScene::as_it_is("rotating-cube-soft"),
    StandardScene::as_it_is("rotating-cube-stiff"),
    StandardScene::as_it_is("twisted-bar"),
    StandardScene {
        name: "hanging-bar",
        file: "twisted-bar",
        set: &["integrator=ImplicitEuler", "bodies.bar.deform=[]"],
    },
    StandardScene::as_it_is("bouncing-ball-soft"),
    StandardScene::as_it_is("bouncing-ball-medium"),
    StandardScene::as_it_is("bouncing-ball-stiff"),
    StandardScene {
        name: "dice-implicit-euler",
        file: "dice",
        set: &["integrator=ImplicitEuler", "solver.tolerance=1e-3"],
    },
    StandardScene::as_it_is("dice"),
    StandardScene::as_it_is("membrane"),
    StandardScene::as_it_is("chain-net-small"),
];
