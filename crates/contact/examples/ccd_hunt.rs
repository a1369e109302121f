//! Looks for collision times that are not safe, or given away, by exact arithmetic:
//!
//!     cargo run --release -p resile-contact --example ccd_hunt -- --queries 100000 --seed 1

#![allow(clippy::print_stdout, reason = "the findings")]

#[path = "../tests/contact/exact/families.rs"]
mod families;
#[path = "../tests/contact/exact/oracle.rs"]
mod oracle;
#[path = "../tests/contact/exact/verdict.rs"]
mod verdict;

use families::{FAMILIES, Random, draw};
use std::process::ExitCode;
use verdict::{Verdict, verdict};

fn main() -> ExitCode {
    let Some([queries, seed]) = options() else {
        println!("usage: ccd_hunt --queries COUNT --seed NUMBER");
        return ExitCode::from(2);
    };
    let each = queries.div_ceil(FAMILIES.len() as u64);
    let mut found = 0;
    println!("{:<12} {:>9} {:>7} {:>7}", "family", "queries", "unsafe", "early");
    for (family, number) in FAMILIES.into_iter().zip(0..) {
        let [mut unsafe_times, mut early] = [0, 0];
        for case in 0..each {
            let query = draw(family, &mut Random::new(seed.wrapping_add(number << 32), case));
            let actual = verdict(&query);
            unsafe_times += u64::from(actual == Verdict::Unsafe);
            early += u64::from(actual == Verdict::Early);
            if actual != Verdict::Good {
                println!("{actual:?}, case {case} of seed {seed}: {query:?}");
            }
        }
        println!("{:<12} {each:>9} {unsafe_times:>7} {early:>7}", family.0);
        found += unsafe_times;
    }
    ExitCode::from(u8::from(found > 0))
}

/// The number of queries, and the seed.
fn options() -> Option<[u64; 2]> {
    let words: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let after = |name: &str| {
        let index = words.iter().position(|word| word == name)?;
        words.get(index + 1)?.parse().ok()
    };
    Some([after("--queries")?, after("--seed")?])
}
