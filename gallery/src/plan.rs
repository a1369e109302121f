//! Which films there are.

#[derive(Debug, Clone, Copy)]
pub(crate) struct Shot {
    /// What its file and its run are called.
    pub(crate) name: &'static str,
    /// The scene inside the program.
    pub(crate) scene: &'static str,
    /// Another integrator than the scene's, as the scene would write it.
    pub(crate) integrator: Option<&'static str>,
    /// How much of the run is computed (s); all of it if not given.
    pub(crate) seconds: Option<f64>,
    /// What `sim render` is told beside the size, the rate and the file.
    pub(crate) camera: &'static [&'static str],
    /// Where it stands on the page.
    pub(crate) place: Place,
}

/// Where a film stands on the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// In the list of scenes.
    Scene,
    /// Beside other integrators on the same scene.
    Beside,
    /// On the first page of the repository, larger.
    First,
}

impl Place {
    /// Width and height (pixels).
    pub(crate) fn size(self) -> &'static str {
        match self {
            Self::Scene => "360x202",
            Self::Beside => "240x240",
            Self::First => "480x270",
        }
    }

    /// Pictures a second.
    pub(crate) fn rate(self) -> &'static str {
        match self {
            Self::Scene | Self::First => "12.5",
            Self::Beside => "10",
        }
    }
}

const fn scene(name: &'static str) -> Shot {
    let (integrator, seconds, camera) = (None, None, &[] as &[&str]);
    Shot { name, scene: name, integrator, seconds, camera, place: Place::Scene }
}

const fn first(seconds: f64, name: &'static str) -> Shot {
    Shot { seconds: Some(seconds), ..scene(name) }
}

const fn beside(
    name: &'static str,
    scene: &'static str,
    integrator: &'static str,
    seconds: f64,
) -> Shot {
    let (integrator, seconds, camera) = (Some(integrator), Some(seconds), &[] as &[&str]);
    Shot { name, scene, integrator, seconds, camera, place: Place::Beside }
}

/// The three of the papers' comparisons, in the order of the page.
pub(crate) const BESIDE: [[Shot; 3]; 3] = [
    [
        beside("ball-asearch", "bouncing-ball-soft", "ASearch()", 2.0),
        beside("ball-bdf2", "bouncing-ball-soft", "Bdf2", 2.0),
        beside("ball-implicit-euler", "bouncing-ball-soft", "ImplicitEuler", 2.0),
    ],
    [
        beside("cube-asearch", "rotating-cube-soft", "ASearch()", 5.0),
        beside("cube-bdf2", "rotating-cube-soft", "Bdf2", 5.0),
        beside("cube-implicit-euler", "rotating-cube-soft", "ImplicitEuler", 5.0),
    ],
    [
        beside("membrane-asearch", "membrane", "ASearch()", 1.0),
        beside("membrane-bdf2", "membrane", "Bdf2", 1.0),
        beside("membrane-implicit-euler", "membrane", "ImplicitEuler", 1.0),
    ],
];

/// The scenes in teaching order. Those that take longer than a few minutes are shown in part.
pub(crate) const SCENES: &[Shot] = &[
    scene("first"),
    first(4.0, "rotating-cube-soft"),
    first(4.0, "rotating-cube-stiff"),
    first(4.0, "twisted-bar"),
    first(3.0, "bouncing-ball-soft"),
    first(3.0, "bouncing-ball-medium"),
    first(3.0, "bouncing-ball-stiff"),
    first(3.0, "bouncing-ball-abd"),
    first(2.5, "dice"),
    first(1.0, "membrane"),
    first(2.0, "cloth-hang"),
    first(1.5, "cloth-shake"),
    first(1.0, "cloth-on-ball"),
    first(2.0, "suspended"),
    first(1.5, "stairs"),
    first(1.5, "trampoline"),
    first(1.0, "bunny-stairs"),
    // What it throws flies far: half of what is run, at half the pace.
    Shot { camera: &["--to", "0.5", "--speed", "0.5"], ..first(1.0, "splash") },
    first(1.5, "gears"),
    scene("chain-net-small"),
    first(0.5, "chain-net"),
];

/// The film of the repository's first page, of a run that the list has, too: half as fast as it is.
pub(crate) const FIRST: Shot = Shot {
    place: Place::First,
    camera: &["--to", "1.5", "--view", "1,0.4,-0.6", "--speed", "0.5"],
    ..first(2.5, "dice")
};
