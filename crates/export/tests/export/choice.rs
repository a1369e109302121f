//! What is chosen, turned and scaled.

use crate::support::{Files, Run, export, usual};
use resile_export::{ExportError, ExportOptions, Format, Grouping, Up, export as export_run};
use std::ops::ControlFlow;

fn vertices(files: &Files, name: &str) -> Vec<[f64; 3]> {
    let lines = files.text(name).lines().filter_map(|line| line.strip_prefix("v "));
    let numbers = lines.map(|line| line.split(' ').map(|n| n.parse().expect("a number")));
    numbers.map(|n| n.collect::<Vec<f64>>().try_into().expect("three")).collect()
}

#[test]
fn up_axis_and_scale_options_are_applied() {
    let run = Run::usual();
    let options = ExportOptions { up: Some(Up::Z), scale: 100.0, ..ExportOptions::default() };
    let (turned, _) = export(&run, Format::Obj, &options).expect("it can be written");
    let plain = usual(&run, Format::Obj);
    let (a, b) = (vertices(&plain, "frame_000003.obj"), vertices(&turned, "frame_000003.obj"));
    assert_eq!((a.len(), b.len()), (24, 24));
    for ([x, y, z], [u, v, w]) in a.into_iter().zip(b) {
        let off = (u - 100.0 * x).abs() + (v + 100.0 * z).abs() + (w - 100.0 * y).abs();
        assert!(off < 1e-4, "{off}");
    }
}

#[test]
fn resampling_interpolates_linearly_and_keeps_frames() {
    let run = Run::usual();
    let options = ExportOptions { rate: Some(32.0), ..ExportOptions::default() };
    let (fine, done) = export(&run, Format::Obj, &options).expect("it can be written");
    assert_eq!(done.samples, 17);
    let plain = usual(&run, Format::Obj);
    for frame in 0..8 {
        let at = |files, n: usize| vertices(files, &format!("frame_{n:06}.obj"));
        let [a, b] = [frame, frame + 1].map(|n| at(&plain, n));
        let [same, middle] = [2 * frame, 2 * frame + 1].map(|n| at(&fine, n));
        assert_eq!(a, same);
        for (k, m) in middle.iter().enumerate() {
            let off = |axis: usize| (0.5 * (a[k][axis] + b[k][axis]) - m[axis]).abs();
            assert!((0..3).all(|axis| off(axis) < 2e-7));
        }
    }
}

#[test]
fn uneven_frames_are_resampled_for_formats_without_times() {
    let run = Run::new(&[0.0, 0.1, 0.25, 0.3, 0.4]);
    let (_, done) = export(&run, Format::Pc2, &ExportOptions::default()).expect("it is written");
    assert_eq!((done.samples, done.rate), (5, 10.0));
}

#[test]
fn impossible_options_are_rejected() {
    let run = Run::usual();
    let message = |format, change: &dyn Fn(&mut ExportOptions)| {
        let mut options = ExportOptions::default();
        change(&mut options);
        export(&run, format, &options).expect_err("it is refused")
    };
    let missing = message(Format::Obj, &|o| o.bodies = vec!["me".into()]).to_string();
    assert!(
        missing.contains("\"me\"") && missing.contains("\"soft one\"") && missing.contains("floor")
    );
    for value in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e9] {
        let scale = message(Format::Obj, &|o| o.scale = value);
        let rate = message(Format::Obj, &|o| o.rate = Some(value));
        assert!(matches!(
            (&scale, &rate),
            (ExportError::Number { .. }, ExportError::Number { .. })
        ));
    }
    assert!(matches!(message(Format::Obj, &|o| o.from = Some(7.0)), ExportError::Times { .. }));
    let apart = message(Format::Pc2, &|o| o.grouping = Grouping::OneBody);
    assert!(matches!(apart, ExportError::Format { .. }), "{apart}");
}

#[test]
fn cancelled_export_stops() {
    let run = Run::usual();
    for format in Format::ALL {
        let (mut files, mut calls) = (Files::default(), 0);
        let mut message = |_| {
            calls += 1;
            if calls == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let stopped =
            export_run(run.playback(), format, &ExportOptions::default(), &mut files, &mut message);
        assert!(matches!(stopped, Err(ExportError::Stopped)), "{format:?}: {stopped:?}");
        assert_eq!(calls, 3);
    }
}
