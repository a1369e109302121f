//! Any number of threads gives the same bits.

use crate::place::{Place, complete, same};
use crate::random::Random;

pub(super) fn run(place: &Place<'_>, random: &mut Random) -> Result<(), String> {
    let name = place.a_scene(random);
    let expected = place.reference(name)?;
    let most = if random.once_in(4) { 64 } else { 8 };
    let threads = (1 + random.below(most)).to_string();
    let run = ["run", "scene.ron", "-o", "out", "-q", "--threads", &threads];
    place.sim().run(&run).must(&[0])?;
    complete(&place.path("out"))?;
    same(&place.path("out"), &expected)
}
