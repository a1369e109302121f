#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| resile_fuzz::targets::mesh(data));
