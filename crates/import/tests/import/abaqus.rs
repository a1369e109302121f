//! Input decks of Abaqus and `CalculiX`.

use crate::files::Files;
use resile_math::Vec3;
use resile_mesh::read::{OtherSolidPolicy, read_gmsh};

/// A tetrahedron with sets, without a step.
const MODEL: &str = "*HEADING\na test\n** with a comment\n*Node, nset=Nall\n1, 0, 0, 0\n2, 1.0D0\n3, 0, 1.\n4, 0, 0, 1.\n\
*ELEMENT, TYPE=C3D4, ELSET=Eall\n1, 1, 2,\n 3, 4\n*NSET, NSET=base, GENERATE\n1, 3, 1\n*NSET, NSET=top\n4\n\
*SURFACE, NAME=below\nEall, S1\n*MATERIAL, NAME=Soft\n*ELASTIC\n100., 0.3\n*SOLID SECTION, ELSET=EALL,\n MATERIAL=soft\n";

fn deck(rest: &str) -> String {
    format!("{MODEL}{rest}")
}

#[test]
fn static_deck_converts_to_a_readable_scene() {
    let rest = "*BOUNDARY\nbase, 1, 3\n*STEP\n*STATIC\n*CLOAD\ntop, 1, 2.\ntop, 3, -1.\n*DSLOAD\nbelow, P, 0.5\n\
                *NODE PRINT, NSET=top\nU\n*END STEP\n";
    let imported = Files::new().import("block.inp", &deck(rest)).unwrap();
    assert_eq!(imported.files.len(), 1);
    insta::assert_snapshot!(imported.scene);
}

#[test]
fn nlgeom_gives_load_steps_and_follower_pressure() {
    let rest = "*AMPLITUDE, NAME=A\n0., 0., 1., 1., 2., 0.5\n*BOUNDARY\nbase, 1, 3\n*STEP, NLGEOM\n*STATIC\n0.25, 2.\n\
                *BOUNDARY, AMPLITUDE=A\n4, 2, 2, 0.1\n*DLOAD\nEALL, P1, 3.\n*END STEP\n";
    let scene = Files::new().scene("block.inp", &deck(rest));
    assert!(scene.contains("StVK(young: 100, poisson: 0.3)"), "{scene}");
    assert!(scene.contains("(step: 0.25, duration: 2)"), "{scene}");
    assert!(!scene.contains("follows: false"), "{scene}");
    assert!(scene.contains("factor: Ramp(end: 2)"), "{scene}");
    assert!(scene.contains("(time: 2, translate: (0, 0.05, 0))"), "{scene}");
}

#[test]
fn dynamic_deck_has_the_method_with_its_requested_damping() {
    let density = "*MATERIAL, NAME=SOFT\n*ELASTIC\n100., 0.3\n*DENSITY\n2.\n";
    let of = |kind: &str| {
        let rest = format!(
            "{density}*INITIAL CONDITIONS, TYPE=VELOCITY\nNALL, 2, 3.\n*STEP\n*DYNAMIC, DIRECT{kind}\n0.01, 0.5\n*END STEP\n"
        );
        Files::new().scene("block.inp", &deck(&rest))
    };
    assert!(of(", ALPHA=0.").contains("integrator: Trapezoidal"));
    let scene = of("");
    assert!(scene.contains("GeneralizedAlpha(rho_inf: 0.90476"), "{scene}");
    assert!(scene.contains("velocity: (0, 3, 0)"), "{scene}");
}

/// Everything that no scene can say, each with its line.
#[test]
fn unsupported_keywords_are_rejected_by_name_and_line() {
    let rest = "*ORIENTATION, NAME=O\n1., 0., 0., 0., 1., 0.\n*BOUNDARY\nbase, 1, 6\nnone, 1\n*EQUATION\n2\n\
                *STEP, NLGEOM\n*STATIC\n*DLOAD\nEALL, CENTRIF, 1.\n*CLOAD, AMPLITUDE=B\n4, 1, 1.\n*END STEP\n\
                *STEP\n*STATIC\n*END STEP\n";
    let found = Files::new().refused("block.inp", &deck(rest));
    let found: String =
        found.into_iter().map(|(line, what)| format!("{line:?} {what}\n")).collect();
    insta::assert_snapshot!(found);
}

#[test]
fn unsupported_elements_and_missing_sections_are_rejected() {
    let step = "*STEP\n*STATIC\n*END STEP\n";
    let of = |rest: &str| Files::new().refused("block.inp", &format!("{rest}{step}"));
    let shells = of("*NODE\n1, 0, 0, 0\n*ELEMENT, TYPE=S4\n1, 1, 2, 3, 4\n");
    assert_eq!(shells[1].0, Some(3), "{shells:?}");
    assert!(shells[1].1.contains("elements `S4` cannot be expressed"), "{shells:?}");
    let faces = deck("*STEP\n*STATIC\n*DLOAD\nEALL, P5, 1.\n*END STEP\n");
    let refused = Files::new().refused("block.inp", &faces);
    assert!(refused.iter().any(|(_, what)| what == "element 1 has no face 5"), "{refused:?}");
    let bare = MODEL.split("*SOLID").next().unwrap();
    let without = of(bare);
    assert_eq!(without, [(Some(10), "element 1 is in no `*SOLID SECTION`".to_owned())]);
    let undefined = of("*NODE\n1, 0, 0, 0\n*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4\n2, 1, 2, 3, 5\n");
    let said = "element 1 is incomplete: node 2 is not defined; so is another element";
    assert_eq!(undefined, [(Some(4), said.to_owned())]);
}

/// A unit cube, and a prism on its side, with pressure on the top of both.
const SOLIDS: &str = "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 1, 1, 0\n4, 0, 1, 0\n5, 0, 0, 1\n6, 1, 0, 1\n7, 1, 1, 1\n8, 0, 1, 1\n\
9, 2, 0, 0\n10, 2, 0, 1\n*ELEMENT, TYPE=C3D8R, ELSET=CUBE\n1, 1, 2, 3, 4, 5, 6, 7, 8\n\
*ELEMENT, TYPE=C3D6, ELSET=WEDGE\n2, 2, 9, 3, 6, 10, 7\n*SURFACE, NAME=TOP\nCUBE, S2\nWEDGE, S2\n\
*NSET, NSET=BASE\n1, 2, 3, 4, 9\n*MATERIAL, NAME=SOFT\n*ELASTIC\n100., 0.3\n*MATERIAL, NAME=STIFF\n*ELASTIC\n900., 0.3\n\
*SOLID SECTION, ELSET=CUBE, MATERIAL=SOFT\n*SOLID SECTION, ELSET=WEDGE, MATERIAL=STIFF\n*BOUNDARY\nBASE, 1, 3\n\
*STEP\n*STATIC\n*DSLOAD\nTOP, P, 2.\n*END STEP\n";

#[test]
fn hexahedra_and_prisms_become_tetrahedra_with_their_sets_and_faces() {
    let imported = Files::new().import("solids.inp", SOLIDS).unwrap();
    let note = "2 hexahedra, prisms and pyramids are divided into 9 linear tetrahedra, which are stiffer in bending";
    assert!(imported.scene.replace("\n// ", " ").contains(note), "{}", imported.scene);
    let read = read_gmsh(&imported.files[0].contents[..], OtherSolidPolicy::Refuse);
    let solid = read.unwrap();
    assert_eq!(solid.mesh.check(), Ok(()));
    assert!((solid.mesh.volume() - 1.5).abs() < 1e-14);
    let wedge = &solid.groups["STIFF"];
    let volumes: f64 = wedge.elements.iter().map(|&tet| solid.mesh.volume_of(tet as usize)).sum();
    assert!((volumes - 0.5).abs() < 1e-14, "{volumes}");
    let top = &solid.groups["TOP"];
    let at = |node: u32| solid.mesh.positions[node as usize];
    let area = |[a, b, c]: &[u32; 3]| 0.5 * (at(*b) - at(*a)).cross(at(*c) - at(*a)).length();
    let sum: f64 = top.faces.iter().map(area).sum();
    assert!((sum - 1.5).abs() < 1e-14 && top.faces.iter().flatten().all(|&node| at(node).z == 1.0));
    assert_eq!(solid.groups["BASE"].nodes.len(), 5);
}

#[test]
fn deck_is_recognised_by_extension_and_first_line() {
    let files = Files::new();
    for (name, text, is) in [
        ("a.inp", MODEL, true),
        ("b.inp", "** only\n*node\n", true),
        ("c.inp", "shapes 1\n", false),
        ("d.txt", MODEL, false),
    ] {
        let path = files.write(name, text);
        assert_eq!(resile_import::ForeignFormat::of(&path).is_some(), is, "{name}");
    }
}

#[test]
fn error_in_an_included_file_names_that_file() {
    let files = Files::new();
    files.write("mesh.inc", "*NODE\n1, 0, 0, 0\n*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4\n");
    let text = "*INCLUDE, INPUT=mesh.inc\n*STEP\n*STATIC\n*END STEP\n";
    let refused = files.import("block.inp", text).unwrap_err().to_string();
    assert!(refused.contains("mesh.inc:4: element 1 is incomplete"), "{refused}");
}

#[test]
fn restart_and_non_numeric_supports_are_rejected() {
    let of = |rest: &str| Files::new().refused("block.inp", &deck(rest));
    let step = "*STEP\n*STATIC\n*END STEP\n";
    Files::new().scene("block.inp", &deck(&format!("*RESTART, WRITE, FREQUENCY=1\n{step}")));
    let read = of(&format!("*RESTART, READ, STEP=1\n{step}"));
    assert_eq!(read, [(Some(23), "`*RESTART` cannot be expressed".to_owned())]);
    let wrong = of(&format!("*BOUNDARY\nbase, 1, 3, x\n{step}"));
    assert_eq!(wrong, [(Some(24), "`X` is not a displacement".to_owned())]);
}

#[test]
fn incompressible_elasticity_is_rejected_on_its_line() {
    let step = "*BOUNDARY\nbase, 1, 3\n*STEP\n*STATIC\n*END STEP\n";
    for (poisson, is_refused) in [("0.499", false), ("0.5", true), ("-1.", true)] {
        let text = deck(step).replace("100., 0.3", &format!("100., {poisson}"));
        let read = Files::new().import("block.inp", &text).map_err(|error| error.to_string());
        assert_eq!(read.is_err(), is_refused, "{poisson}");
        assert!(read.err().is_none_or(|error| error.contains("block.inp:19: ")), "{poisson}");
    }
}

#[test]
fn curved_edges_are_kept_in_a_mesh_of_second_order() {
    let mesh = |middle: &str| {
        format!(
            "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n4, 0, 0, 1\n5, {middle}\n6, 0.5, 0.5, 0\n7, 0, 0.5, 0\n\
             8, 0, 0, 0.5\n9, 0.5, 0, 0.5\n10, 0, 0.5, 0.5\n*ELEMENT, TYPE=C3D10, ELSET=E\n\
             1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10\n*NSET, NSET=base\n1, 2, 3, 5, 6, 7\n*MATERIAL, NAME=M\n*ELASTIC\n\
             100., 0.3\n*SOLID SECTION, ELSET=E, MATERIAL=M\n*BOUNDARY\nbase, 1, 3\n*STEP\n*STATIC\n*CLOAD\n\
             4, 1, 2.\n*END STEP\n"
        )
    };
    let files = Files::new();
    let curved = files.import("curved.inp", &mesh("0.5, 0.1, 0.05")).expect("it is imported");
    let straight = files.import("curved.inp", &mesh("0.5, 0, 0")).expect("it is imported");
    assert_eq!([&curved.notes, &straight.notes], [&Vec::<String>::new(); 2]);
    let middles = |imported: &resile_import::Imported| {
        let read =
            read_gmsh(&imported.files[0].contents[..], OtherSolidPolicy::Refuse).expect("a mesh");
        read.curved.into_values().collect::<Vec<_>>()
    };
    assert_eq!(middles(&curved), [Vec3::new(0.5, 0.1, 0.05)]);
    assert_eq!(middles(&straight), []);
    let body = |scene: &str| scene[scene.find("(\n").expect("a scene")..].to_owned();
    assert_eq!(body(&curved.scene), body(&straight.scene));
}

/// A deck of the material with these cards after its elasticity, and with this step.
fn with_history(cards: &str, step: &str) -> String {
    deck(&format!("*STEP\n{step}\n*END STEP\n"))
        .replace("100., 0.3\n", &format!("100., 0.3\n{cards}"))
}

#[test]
fn plasticity_of_a_deck_hardens_as_it_says() {
    let rows = "2., 0.\n2.5, 0.01\n3., 0.02\n";
    let cyclic = "*CYCLIC HARDENING\n1.75, 0., 20.\n2., 0.01, 20.\n";
    for (cards, expected) in [
        ("*PLASTIC\n2., 0.\n".to_owned(), "(yield_stress: 2)"),
        (format!("*PLASTIC\n{rows}"), "(yield_stress: 2, hardening: 50)"),
        (
            format!("*PLASTIC, HARDENING=KINEMATIC\n{rows}"),
            "(yield_stress: 2, kinematic_hardening: 50)",
        ),
        (
            format!("*PLASTIC, HARDENING=COMBINED\n{rows}{cyclic}"),
            "(yield_stress: 1.75, hardening: 25, kinematic_hardening: 50)",
        ),
        (
            "*PLASTIC\n2., 0.\n*RATE DEPENDENT\n40., 5.\n".to_owned(),
            "(yield_stress: 2, rate: (reference: 40, exponent: 5))",
        ),
        (
            "*PLASTIC, HARDENING=COMBINED, DATA TYPE=PARAMETERS\n2., 70., 0.\n".to_owned(),
            "(yield_stress: 2, kinematic_hardening: 70)",
        ),
    ] {
        let scene = Files::new().scene("block.inp", &with_history(&cards, "*STATIC\n0.25, 2."));
        let flow = format!("plasticity: VonMises{expected}");
        let in_one_line = scene.split_whitespace().collect::<Vec<_>>().join(" ");
        let in_one_line = in_one_line.replace("( ", "(").replace(", )", ")");
        assert!(in_one_line.contains(&flow), "{cards}{scene}");
        assert!(scene.contains("model: Hencky(young: 100, poisson: 0.3)"), "{scene}");
        assert!(scene.contains("(step: 0.25, duration: 2)"), "{scene}");
    }
}

#[test]
fn hardening_that_no_scene_has_is_rejected_on_its_line() {
    for (cards, line, said) in [
        ("*PLASTIC\n2., 0.\n2.6, 0.01\n3., 0.02\n", 23, "grows linearly"),
        ("*PLASTIC\n2., 0.01\n", 22, "no plastic strain"),
        ("*PLASTIC\n2., 0.\n1., 0.1\n", 21, "must not fall"),
        ("*PLASTIC\n2., 0., 20.\n1.5, 0., 100.\n", 23, "temperature"),
        ("*PLASTIC, HARDENING=USER\n2., 0.\n", 21, "HARDENING=USER"),
        ("*PLASTIC, HARDENING=COMBINED, DATA TYPE=PARAMETERS\n2., 70., 5.\n", 21, "gamma = 0"),
        ("*RATE DEPENDENT\n40., 5.\n", 21, "needs `*PLASTIC`"),
        ("*PLASTIC\n2., 0.\n*RATE DEPENDENT, TYPE=YIELD RATIO\n1., 0.\n", 23, "POWER LAW"),
        ("*PLASTIC\n2., 0.\n*RATE DEPENDENT\n40., 0.5\n", 23, "at least 1"),
        ("*CYCLIC HARDENING\n2., 0.\n", 21, "HARDENING=COMBINED"),
    ] {
        let refused = Files::new().refused("block.inp", &with_history(cards, "*STATIC"));
        assert_eq!(refused[0].0, Some(line), "{refused:?}");
        assert!(refused[0].1.contains(said), "{refused:?}");
    }
}

/// Long-term constants are those after relaxation: the shear modulus of 100 / 2.6 is half of that at once.
#[test]
fn prony_series_of_a_deck_starts_from_the_response_at_once() {
    let series = "*VISCOELASTIC, TIME=PRONY\n0.3, 0., 0.1\n0.2, 0., 2.\n";
    let density = "*DENSITY\n1.\n";
    let of = |cards: &str, step: &str| {
        Files::new().scene(
            "block.inp",
            &with_history(cards, step).replace("*ELASTIC\n", "*ELASTIC, MODULI=INSTANTANEOUS\n"),
        )
    };
    let dynamic = "*DYNAMIC, DIRECT\n0.01, 1.";
    let scene = of(&format!("{series}{density}"), dynamic);
    let branches = "viscosity: Prony([(modulus: 0.3, time: 0.1), (modulus: 0.2, time: 2)])";
    assert!(scene.contains(branches), "{scene}");
    assert!(scene.contains("Hencky(young: 100, poisson: 0.3)"), "{scene}");
    let cards = format!("{series}{density}");
    let scene = Files::new().scene("block.inp", &with_history(&cards, dynamic));
    let [shear, bulk] = [2.0 * 100.0 / 2.6, 100.0 / 1.2];
    let young: f64 = 9.0 * bulk * shear / (3.0 * bulk + shear);
    let (_, rest) = scene.split_once("Hencky(young: ").expect("Hencky's law");
    let found: f64 = rest.split(',').next().expect("a number").parse().expect("a number");
    assert!((found / young - 1.0).abs() < 1e-12, "{found} for {young}");
    Files::new().scene("block.inp", &with_history(series, "*STATIC, LONG TERM"));
    for (series, said) in [
        ("*VISCOELASTIC, TIME=PRONY\n0.3, 0., 0.1\n", "LONG TERM"),
        ("*VISCOELASTIC, TIME=PRONY\n0.3, 0.3, 0.1\n", "does not relax"),
        ("*VISCOELASTIC, TIME=PRONY\n0.6, 0., 0.1\n0.4, 0., 1.\n", "less than 1"),
        ("*VISCOELASTIC, TIME=FREQUENCY DATA\n0.6, 0., 0.1\n", "TIME=PRONY"),
        ("*PLASTIC\n2., 0.\n*VISCOELASTIC, TIME=PRONY\n0.3, 0., 0.1\n", "yields and relaxes"),
    ] {
        let refused = Files::new().refused("block.inp", &with_history(series, "*STATIC"));
        assert!(refused.iter().any(|(_, what)| what.contains(said)), "{refused:?}");
    }
}

/// Two tetrahedra with a gap between them, of two nodes sets and surfaces, and these cards.
fn two_bodies(cards: &str, step: &str) -> String {
    format!(
        "*NODE\n1, 0, 0, 0\n2, 2, 0, 0\n3, 0, 2, 0\n4, 0, 0, 2\n5, 0, 0, 2.5\n6, 4, 0, 2.5\n7, 0, 4, 2.5\n\
         8, 0, 0, 6.5\n*ELEMENT, TYPE=C3D4, ELSET=LOW\n1, 1, 2, 3, 4\n*ELEMENT, TYPE=C3D4, ELSET=HIGH\n2, 5, 6, 7, 8\n\
         *MATERIAL, NAME=M\n*ELASTIC\n100., 0.3\n*SOLID SECTION, ELSET=LOW, MATERIAL=M\n\
         *SOLID SECTION, ELSET=HIGH, MATERIAL=M\n*SURFACE, NAME=BELOW, TYPE=NODE\n4\n*SURFACE, NAME=ABOVE\nHIGH, S1\n\
         {cards}*STEP\n{step}\n*END STEP\n"
    )
}

#[test]
fn contact_pairs_become_contact_of_their_bodies() {
    let pair = "*CONTACT PAIR, INTERACTION=I, TYPE=NODE TO SURFACE\nBELOW, ABOVE\n*SURFACE INTERACTION, NAME=I\n\
                *SURFACE BEHAVIOR, PRESSURE-OVERCLOSURE=LINEAR\n1.E7\n*FRICTION\n0.25, 1.E5\n";
    let scene = Files::new().scene("two.inp", &two_bodies(pair, "*STATIC\n0.2, 1."));
    let words = scene.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("(a: \"two-1\", b: \"two-2\", friction: 0.25)"), "{scene}");
    assert!(words.contains("exclude: [(\"two-1\", \"two-1\"), (\"two-2\", \"two-2\")]"), "{scene}");
    assert!(words.contains("kappa: 100,"), "{scene}");
    assert!(words.contains("(step: 0.2, duration: 1)"), "{scene}");
    let itself = "*CONTACT PAIR, INTERACTION=I\nABOVE\n*SURFACE INTERACTION, NAME=I\n";
    let scene = Files::new().scene("two.inp", &two_bodies(itself, "*STATIC"));
    let words = scene.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("exclude: [(\"two-1\", \"two-1\"), (\"two-1\", \"two-2\")]"), "{scene}");
    let general = "*SURFACE INTERACTION, NAME=I\n*FRICTION\n0.5\n*CONTACT\n*CONTACT INCLUSIONS, ALL EXTERIOR\n\
                   *CONTACT PROPERTY ASSIGNMENT\n, , I\n";
    let scene = Files::new().scene("two.inp", &two_bodies(general, "*STATIC"));
    let words = scene.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(!words.contains("off:") && words.matches("friction: 0.5").count() == 3, "{scene}");
}

#[test]
fn decks_without_contact_pairs_have_none_and_say_so() {
    let scene = Files::new().scene("two.inp", &two_bodies("", "*STATIC"));
    assert!(scene.contains("contact: Off"), "{scene}");
    let words = scene.replace("\n// ", " ");
    assert!(words.contains("no contact pairs, so bodies pass through each other"), "{scene}");
    let alone = Files::new().scene("block.inp", &deck("*STEP\n*STATIC\n*END STEP\n"));
    assert!(!alone.contains("contact pairs"), "{alone}");
}

#[test]
fn contact_that_no_scene_has_is_rejected_on_its_line() {
    let pair = "*CONTACT PAIR, INTERACTION=I\nBELOW, ABOVE\n";
    let interaction = "*SURFACE INTERACTION, NAME=I\n";
    for (cards, line, said) in [
        (pair.to_owned(), 23, "no interaction `I`"),
        (
            format!("{interaction}*CONTACT PAIR, INTERACTION=I, ADJUST=0.1\nBELOW, ABOVE\n"),
            24,
            "`ADJUST`",
        ),
        (
            format!("{interaction}*CONTACT PAIR, INTERACTION=I\nBELOW, NONE\n"),
            24,
            "no surface `NONE`",
        ),
        (format!("{interaction}*SURFACE BEHAVIOR, PRESSURE-OVERCLOSURE=TIED\n{pair}"), 24, "TIED"),
        (format!("{interaction}*FRICTION\n0.1, 0., 1.\n{pair}"), 24, "coefficient of friction"),
        (format!("*FRICTION\n0.1\n{interaction}{pair}"), 23, "SURFACE INTERACTION"),
    ] {
        let refused = Files::new().refused("two.inp", &two_bodies(&cards, "*STATIC"));
        assert!(refused[0].1.contains(said), "{refused:?}");
        assert_eq!(refused[0].0, Some(line), "{refused:?}");
    }
}

/// The layout of Abaqus/CAE without parts and assemblies: hidden sets, an empty `*System`, controls of sections.
#[test]
fn decks_of_cae_are_read_as_those_without_its_words() {
    let conditions = |words: [&str; 5]| {
        let [internal, unsorted, system, controls, rotations] = words;
        let rest = format!(
            "*Nset, nset=_PickedSet4{internal}, generate\n1, 3, 1\n*Elset, elset=_PickedSet5{internal}\n1,\n\
             *Nset, nset=Tip{unsorted}\n4,\n{system}*Surface, type=ELEMENT, name=_PickedSurf6{internal}\nEALL, S1\n\
             *SOLID SECTION, ELSET=_PickedSet5, MATERIAL=SOFT{controls}\n,\n*Boundary\n_PickedSet4, 1, {rotations}\n\
             *Section Controls, name=EC-1, hourglass=ENHANCED\n1., 1.\n*Step, name=Step-1, nlgeom=NO\n*Static\n1., 1., 1e-05, 1.\n*Cload\nTip, 1, 2.\n\
             *Dsload\n_PickedSurf6, P, 0.5\n*End Step\n"
        );
        Files::new().import("block.inp", &deck(&rest)).unwrap()
    };
    let plain = conditions(["", "", "", "", "3"]);
    let of_cae = conditions([", internal", ", unsorted", "*System\n", "", "3"]);
    assert_eq!((of_cae.scene, of_cae.files), (plain.scene.clone(), plain.files.clone()));
    assert_eq!(of_cae.notes, plain.notes);
    let with_notes = conditions(["", "", "", ", controls=EC-1", "6"]);
    assert_eq!(with_notes.files, plain.files);
    let new: Vec<&String> =
        with_notes.notes.iter().filter(|note| !plain.notes.contains(note)).collect();
    assert_eq!(
        new,
        [
            "block.inp:33: the degrees of freedom 4 to 6 have no effect, because nodes of solids do not rotate",
            "block.inp:31: `CONTROLS` has no effect: the elements of scenes need no control of hourglass modes",
        ]
    );
    let body = |scene: &str| scene[scene.find("bodies").unwrap()..].to_owned();
    assert_eq!(body(&with_notes.scene), body(&plain.scene));
}

#[test]
fn rotations_alone_hold_nothing_and_other_degrees_of_freedom_are_rejected() {
    let step = "*STEP\n*STATIC\n*CLOAD\n4, 1, 1.\n*END STEP\n";
    let scene =
        |rows: &str| Files::new().scene("block.inp", &deck(&format!("*BOUNDARY\n{rows}{step}")));
    let body = |scene: String| scene[scene.find("bodies").unwrap()..].to_owned();
    assert_eq!(body(scene("base, 1, 3\ntop, 4, 6\n")), body(scene("base, 1, 3\n")));
    for row in ["base, 1, 7", "base, 11", "base, 0, 3", "base, 3, 1"] {
        let refused =
            Files::new().refused("block.inp", &deck(&format!("*BOUNDARY\n{row}\n{step}")));
        assert!(
            refused[0].1.contains("the degrees of freedom 1, 2 and 3 only"),
            "{row}: {refused:?}"
        );
    }
    let system = Files::new().refused("block.inp", &deck(&format!("*SYSTEM\n1., 0., 0.\n{step}")));
    assert_eq!(system[0].1, "`*SYSTEM` cannot be expressed");
}

#[test]
fn node_sets_of_elements_have_their_nodes() {
    let rest = |set: &str| {
        format!("{set}*BOUNDARY\nheld, 1, 3\n*STEP\n*STATIC\n*CLOAD\n4, 1, 1.\n*END STEP\n")
    };
    let scene = |set: &str| Files::new().scene("block.inp", &deck(&rest(set)));
    let by_elements = scene("*NSET, NSET=held, ELSET=EALL\n");
    assert_eq!(by_elements, scene("*NSET, NSET=held\n1, 2, 3, 4\n"));
    let refused = Files::new().refused("block.inp", &deck(&rest("*NSET, NSET=held, ELSET=none\n")));
    assert_eq!(refused[0], (Some(23), "there is no element set `NONE` above".to_owned()));
}

#[test]
fn amplitudes_may_be_in_total_time() {
    let rest = |words: &str| {
        format!(
            "*AMPLITUDE, NAME=A{words}\n0., 0., 1., 1.\n*BOUNDARY\nbase, 1, 3\n*STEP, NLGEOM\n*STATIC\n0.25, 1.\n\
             *CLOAD, AMPLITUDE=A\ntop, 2, 0.1\n*END STEP\n"
        )
    };
    let scene = |words: &str| Files::new().scene("block.inp", &deck(&rest(words)));
    for words in [", TIME=TOTAL TIME", ", TIME=STEP TIME", ", DEFINITION=TABULAR"] {
        assert_eq!(scene(words), scene(""), "{words}");
    }
    for (words, name) in
        [(", TIME=NONE", "TIME=NONE"), (", DEFINITION=PERIODIC", "DEFINITION=PERIODIC")]
    {
        let refused = Files::new().refused("block.inp", &deck(&rest(words)));
        assert_eq!(refused[0].1, format!("`*AMPLITUDE` with `{name}` cannot be expressed"));
    }
}

#[test]
fn loads_without_a_finite_value_are_rejected_for_that() {
    let refused = |load: &str| {
        let rest = format!("*BOUNDARY\nbase, 1, 3\n*STEP\n*STATIC\n{load}\n*END STEP\n");
        Files::new().refused("block.inp", &deck(&rest)).remove(0).1
    };
    assert_eq!(refused("*DLOAD\nEALL, P1"), "the pressure has no value");
    assert_eq!(
        refused("*DLOAD\nEALL, P1, nan"),
        "the value `NAN` of the pressure is not a finite number"
    );
    assert_eq!(refused("*DSLOAD\nbelow, P"), "the pressure has no value");
    assert_eq!(
        refused("*DSLOAD\nbelow, P, inf"),
        "the value `INF` of the pressure is not a finite number"
    );
    assert_eq!(refused("*CLOAD\ntop, 1"), "the force has no value");
    assert!(refused("*DLOAD\nEALL, P7, 1.").contains("only P1 to P6 and GRAV"));
    assert!(refused("*DSLOAD\nbelow, HP, 1.").contains("`HP` cannot be expressed"));
    assert!(refused("*CLOAD\ntop, 4, 1.").contains("a direction of 1, 2 or 3"));
}

#[test]
fn modal_decks_name_the_command_that_finds_the_modes() {
    let model = MODEL.replace("*SOLID SECTION", "*DENSITY\n2.\n*SOLID SECTION");
    let text = format!("{model}*STEP\n*FREQUENCY\n4\n*END STEP\n");
    let imported = Files::new().import("block.inp", &text).unwrap();
    assert!(imported.has_modal_analysis);
    assert!(imported.notes.iter().any(|note| note.contains("`sim modes`")), "{:?}", imported.notes);
}
