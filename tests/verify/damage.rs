//! Frames that are missing, damaged, or of another run.

use super::support::{Body, Made, remove};
use resile_verify::Verdict;
use std::fs;

fn made() -> Made {
    let moves =
        Body::cube("right", 1.0).at([3.0, 0.0, 0.0]).then([1.0, 0.0, 0.0]).then([2.0, 0.0, 0.0]);
    Made::new(&[Body::cube("left", 1.0), moves])
}

#[test]
fn missing_frame_leaves_the_check_incomplete() {
    let made = made();
    assert_eq!((made.check().verdict, made.check().frames), (Verdict::Apart, 3));
    remove(&made.frame(1));
    let report = made.check();
    assert_eq!((report.verdict, report.frames), (Verdict::Incomplete, 2));
    assert_eq!(report.unreadable[0].file, "frame_000001.vtu");
    assert!(report.unreadable[0].reason.contains("cannot be read"), "{report:?}");
}

#[test]
fn truncated_frames_never_panic() {
    let made = made();
    let whole = fs::read(made.frame(1)).expect("it was written");
    let text = b"\n</AppendedData>\n</VTKFile>\n".len();
    for length in 0..whole.len() - text {
        fs::write(made.frame(1), &whole[..length]).expect("the folder can be written");
        let report = made.check();
        assert_eq!(report.verdict, Verdict::Incomplete, "{length}");
        assert_eq!(report.unreadable.len(), 1);
    }
}

/// Whatever a byte becomes, the check says something and does not fall over.
#[test]
fn damaged_frames_never_panic() {
    let made = made();
    let whole = fs::read(made.frame(1)).expect("it was written");
    let mut unread = 0;
    for place in 0..whole.len() {
        for bits in [0xff, 0x80, 0x01] {
            let mut damaged = whole.clone();
            damaged[place] ^= bits;
            fs::write(made.frame(1), &damaged).expect("the folder can be written");
            unread += usize::from(made.check().verdict == Verdict::Incomplete);
        }
    }
    fs::write(made.frame(1), &whole).expect("the folder can be written");
    // The first frame tells how all others have to be.
    for place in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[place] ^= 0xff;
        fs::write(made.frame(0), &damaged).expect("the folder can be written");
        if made.open().is_ok() {
            made.check();
        }
    }
    assert!(unread > whole.len(), "most damage is noticed: {unread} of {}", 3 * whole.len());
}

#[test]
fn non_finite_points_are_reported() {
    let made = made();
    let mut file = fs::read(made.frame(2)).expect("it was written");
    let one = 1.0_f32.to_le_bytes();
    let index = file.windows(4).position(|bytes| bytes == one).expect("a corner of the cube");
    file[index..index + 4].copy_from_slice(&f32::NAN.to_le_bytes());
    fs::write(made.frame(2), file).expect("the folder can be written");
    let report = made.check();
    assert!(report.unreadable[0].reason.contains("NaN"), "{report:?}");
}

#[test]
fn frame_of_another_run_is_reported() {
    let (made, other) = (
        made(),
        Made::new(&[Body::cube("left", 1.0), Body::cube("right", 1.0), Body::cube("third", 1.0)]),
    );
    fs::copy(other.frame(0), made.frame(1)).expect("the folder can be written");
    let report = made.check();
    assert!(report.unreadable[0].reason.contains("another run"), "{report:?}");
    fs::copy(other.frame(0), made.frame(0)).expect("the folder can be written");
    assert!(made.refusal().contains("3 bodies and the scene 2"), "{}", made.refusal());
}

#[test]
fn first_readable_frame_is_the_reference() {
    let made = made();
    fs::write(made.frame(0), "nothing").expect("the folder can be written");
    let report = made.check();
    assert_eq!((report.verdict, report.frames), (Verdict::Incomplete, 2));
    for number in 1..3 {
        remove(&made.frame(number));
    }
    assert!(made.refusal().contains("frame_000000.vtu"), "{}", made.refusal());
}

#[test]
fn run_without_frames_or_contact_is_not_checked() {
    let mut made = made();
    made.write_index(2);
    assert_eq!((made.check().frames, made.check().unnamed_files), (2, 1));
    made.write_index(0);
    assert!(made.refusal().contains("no frames"), "{}", made.refusal());
    fs::write(made.frames().join("frames.pvd"), "<DataSet timestep=\"x\" part=\"0\" file=\"a\"/>")
        .expect("");
    assert!(made.refusal().contains("not an index"), "{}", made.refusal());
    remove(&made.frames().join("frames.pvd"));
    assert!(made.refusal().contains("no frames"), "{}", made.refusal());
    made.set("contact=Off");
    assert!(made.refusal().contains("contact is off"), "{}", made.refusal());
}
