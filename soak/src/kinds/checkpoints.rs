//! Damaged checkpoints: refused where the checksum tells, and else at least no panic and no number
//! that is not finite.

use crate::damage;
use crate::place::{Place, finite};
use crate::random::Random;
use resile_record::Fingerprint;

/// Bytes before the data, and where in them the length and the checksum of the data are.
const HEADER_BYTES: usize = 36;

pub(super) fn run(place: &Place<'_>, random: &mut Random) -> Result<(), String> {
    let name = place.a_scene(random);
    let run = place.copy_run(&place.stopped(name)?, "out")?;
    let path = run.join("checkpoint");
    let good = std::fs::read(&path).map_err(|error| error.to_string())?;
    let mends = random.once_in(2);
    let mut bytes = good.clone();
    while bytes == good {
        match mends {
            false => damage::bytes(&mut bytes, random),
            true => bytes = forged(&good, random),
        }
    }
    std::fs::write(&path, &bytes).map_err(|error| error.to_string())?;
    let sim = place.sim().limited("ulimit -v 4000000");
    let ended = sim.run(&["run", "scene.ron", "-o", "out", "--resume", "--steps", "9", "-q"]);
    // Where the checksum is right, changed last bits of a number cannot be detected.
    ended.must(if mends { &[0, 1, 2] } else { &[2] })?;
    finite(&run)
}

/// Other data, with the length and the checksum that they must have.
fn forged(good: &[u8], random: &mut Random) -> Vec<u8> {
    let (head, data) = good.split_at(HEADER_BYTES);
    let mut data = data.to_vec();
    if data.len() > 8 && random.once_in(2) {
        // A number in place of eight bytes, which often are one.
        let at = random.below(data.len() - 8);
        let number = damage::number(random).parse::<f64>().unwrap_or(f64::NAN);
        data[at..at + 8].copy_from_slice(&number.to_le_bytes());
    } else {
        damage::bytes(&mut data, random);
    }
    let mut bytes = head.to_vec();
    bytes[20..28].copy_from_slice(&(data.len() as u64).to_le_bytes());
    bytes[28..36].copy_from_slice(&Fingerprint::EMPTY.with(&data).value().to_le_bytes());
    bytes.extend(data);
    bytes
}
