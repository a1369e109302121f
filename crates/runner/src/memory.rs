//! Memory use and limits of this process, on Linux.

use resile_files::read_virtual_file;

/// Default fraction of the free memory that a run may use; other programs and caches of files need the rest.
const DEFAULT_FRACTION: f64 = 0.9;

/// Memory (bytes) that this process uses at present.
pub fn used() -> Option<u64> {
    kibibyte_field("/proc/self/status", "VmRSS:")
}

/// Peak memory (bytes) of this process.
pub fn peak() -> Option<u64> {
    kibibyte_field("/proc/self/status", "VmHWM:")
}

/// Default memory limit (bytes) of this process: nine tenths of the memory that other programs do not use, on the
/// machine or in the control group of the process.
pub fn default_limit() -> Option<u64> {
    let used_bytes = used()?;
    let free_bytes = kibibyte_field("/proc/meminfo", "MemAvailable:")?;
    let free_bytes = cgroup_remaining().map_or(free_bytes, |remaining| remaining.min(free_bytes));
    Some((DEFAULT_FRACTION * (used_bytes + free_bytes) as f64) as u64)
}

/// Formats a number of bytes in the largest binary unit in which it is at least one.
pub fn format_bytes(bytes: u64) -> String {
    let bytes = bytes as f64;
    let unit = |power: i32, name: &str| {
        let value = bytes / 1024f64.powi(power);
        (value >= 1.0).then(|| format!("{value:.*} {name}", if value < 9.95 { 1 } else { 0 }))
    };
    let large = unit(4, "TiB").or_else(|| unit(3, "GiB")).or_else(|| unit(2, "MiB"));
    large.unwrap_or_else(|| format!("{:.0} KiB", bytes / 1024.0))
}

/// Remaining memory (bytes) of the control group of the process (version 2 or 1), if it has a limit.
fn cgroup_remaining() -> Option<u64> {
    let groups = read_virtual_file("/proc/self/cgroup".as_ref())?;
    let group_remaining = |line: &str| {
        let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
        let (folder, names) = match controllers {
            "" => ("/sys/fs/cgroup", ["memory.max", "memory.current"]),
            list if list.split(',').any(|name| name == "memory") => {
                ("/sys/fs/cgroup/memory", ["memory.limit_in_bytes", "memory.usage_in_bytes"])
            }
            _ => return None,
        };
        // In a container the path may be that outside of the container; then the root of the group is read.
        let remaining_in = |path: &str| {
            let [limit, current] = names.map(|name| {
                let table = format!("{folder}{path}/{name}");
                read_virtual_file(table.as_ref())?.trim().parse::<u64>().ok()
            });
            Some(limit?.saturating_sub(current?))
        };
        remaining_in(path.trim_end_matches('/')).or_else(|| remaining_in(""))
    };
    groups.lines().filter_map(group_remaining).min()
}

/// The value of a field, in bytes, of a file of the system that states it in kibibytes.
fn kibibyte_field(table: &str, name: &str) -> Option<u64> {
    let text = read_virtual_file(table.as_ref())?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_shown_in_the_largest_unit_above_one() {
        let sizes = [3 << 10, 5 << 20, 3 << 29, 20 << 30, 7 << 40].map(format_bytes);
        assert_eq!(sizes, ["3 KiB", "5.0 MiB", "1.5 GiB", "20 GiB", "7.0 TiB"]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn reported_memory_grows_with_allocations() {
        let before = used().expect("Linux tells");
        let held = vec![1u8; 256 << 20];
        let after = used().expect("Linux tells");
        assert!(after > before + (128 << 20), "{before} and {after} with {} held", held.len());
        assert!(peak().is_some_and(|peak| peak >= after));
        assert!(default_limit().is_some_and(|limit| limit > after));
    }
}
