//! The processor: its name, and a check that it supports the instruction sets of this build. Without that check the
//! system would terminate the program without a message.

/// The error message, with its remedy, if this processor lacks an instruction set of this build. Takes a microsecond.
pub(crate) fn missing_instruction_set() -> Option<&'static str> {
    let is_unsupported =
        cfg!(all(target_arch = "x86_64", target_feature = "avx2")) && !has_avx2_and_fma();
    is_unsupported.then_some(
        "this program was built for processors with AVX2 and FMA (of the years since 2013), and this one lacks \
         them; build it for this one: `RUSTFLAGS=-Ctarget-cpu=native cargo build --release`. Results then \
         differ by rounding",
    )
}

/// Name of the processor, the first `model name` in `/proc/cpuinfo` (Linux).
pub(crate) fn model_name() -> Option<String> {
    let text = resile_files::read_virtual_file("/proc/cpuinfo".as_ref())?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// Whether the processor has the instruction sets AVX2 and FMA.
#[cfg(target_arch = "x86_64")]
fn has_avx2_and_fma() -> bool {
    let id = raw_cpuid::CpuId::new();
    let has_avx2 = id.get_extended_feature_info().is_some_and(|features| features.has_avx2());
    has_avx2 && id.get_feature_info().is_some_and(|features| features.has_fma())
}

/// Other architectures have neither instruction set.
#[cfg(not(target_arch = "x86_64"))]
fn has_avx2_and_fma() -> bool {
    false
}

#[cfg(test)]
mod tests {
    /// The machine of this test has the instruction set that it was compiled for.
    #[test]
    fn processor_of_the_test_is_supported() {
        assert_eq!(super::missing_instruction_set(), None);
    }
}
