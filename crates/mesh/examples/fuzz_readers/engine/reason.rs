//! Refusals of one kind, whatever the numbers in their messages are.

/// A message without what is special of one file: places, numbers, quotations.
pub(super) fn reason(message: &str) -> String {
    let mut out = String::new();
    // What is quoted from a file stands behind `found`, to the end of the message, or before
    // what is said of it.
    let output = message.split(", found `").next().unwrap_or_default();
    let output = match (output.find('`'), output.find(" is not read")) {
        (Some(quoted), Some(end)) if quoted < end => {
            format!("{}...{}", &output[..quoted], &output[end..])
        }
        _ => output.to_owned(),
    };
    for word in output.split_whitespace() {
        let bare = word.trim_start_matches('-');
        let word = match bare.starts_with(|c: char| c.is_ascii_digit()) {
            true => "#",
            false => word,
        };
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    let place = ["line # ", "byte # "].iter().find_map(|place| out.strip_prefix(place));
    let mut out = place.map_or(out.clone(), str::to_owned);
    // Lists of what a file had end the rest.
    for list in ["the file has #", "(found: "] {
        if let Some(start) = out.find(list) {
            out.truncate(start + list.len());
        }
    }
    out
}
