//! The standard benchmark set.

/// A scene of the standard set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StandardScene {
    /// The name in the results.
    pub(crate) name: &'static str,
    /// The name of the file in `scenes/`, without its extension.
    pub(crate) file: &'static str,
    /// Overrides, as arguments of `--set`.
    pub(crate) set: &'static [&'static str],
}

impl StandardScene {
    /// A scene of the repository without overrides.
    const fn unchanged(name: &'static str) -> Self {
        Self { name, file: name, set: &[] }
    }

    /// The scene of this name.
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        STANDARD.iter().find(|scene| scene.name == name)
    }
}

/// The standard set: scenes of the papers that are small enough for several runs; the bar that hangs by one end under
/// implicit Euler; the dice under implicit Euler with the tolerance of published measurements of other codes; and a
/// small chain net of many affine bodies in contact.
pub(crate) const STANDARD: [StandardScene; 11] = [
    StandardScene::unchanged("rotating-cube-soft"),
    StandardScene::unchanged("rotating-cube-stiff"),
    StandardScene::unchanged("twisted-bar"),
    StandardScene {
        name: "hanging-bar",
        file: "twisted-bar",
        set: &["integrator=ImplicitEuler", "bodies.bar.deform=[]"],
    },
    StandardScene::unchanged("bouncing-ball-soft"),
    StandardScene::unchanged("bouncing-ball-medium"),
    StandardScene::unchanged("bouncing-ball-stiff"),
    StandardScene {
        name: "dice-implicit-euler",
        file: "dice",
        set: &["integrator=ImplicitEuler", "solver.tolerance=1e-3"],
    },
    StandardScene::unchanged("dice"),
    StandardScene::unchanged("membrane"),
    StandardScene::unchanged("chain-net-small"),
];
