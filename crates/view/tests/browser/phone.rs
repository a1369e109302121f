//! The page on phones, upright and turned.

use crate::driver::Screen;
use crate::support::Names;
use crate::{opened, quiet};
use serde_json::json;

/// Width and height (CSS pixels) of common phones, upright.
const PHONES: [[u32; 2]; 3] = [[320, 568], [390, 844], [412, 915]];
/// Apple and Google ask for 44 and 48 pixels between the centres of what is touched.
const FINGER: f64 = 44.0;

#[test]
fn picture_fills_most_of_a_phone_and_touch_targets_are_large() {
    let turned = PHONES.map(|[width, height]| [height, width]);
    for size in PHONES.into_iter().chain(turned) {
        let screen = Screen { size, touch: true, ..Screen::default() };
        let Some((_run, page, mut browser)) = opened(&Names::default(), screen) else { return };
        let share = "document.getElementById('stage').clientHeight / innerHeight";
        let shown = browser.number(share);
        assert!(shown > 0.6, "{size:?}: the picture has {shown} of the height");
        let wide = browser.evaluate("document.documentElement.scrollWidth <= innerWidth");
        assert_eq!(wide, json!(true), "{size:?}: nothing hangs over");
        let least = browser.number(
            "Math.min(...[...document.querySelectorAll('button.tool, #play, #repeat, #slider')]
                .filter((one) => one.offsetParent !== null).map((one) => one.offsetHeight))",
        );
        assert!(least >= FINGER, "{size:?}: {least} pixels for a finger");
        let title = browser.number("document.getElementById('title').clientWidth");
        assert!(title > FINGER, "{size:?}: {title} pixels for the title");
        let apart = browser.evaluate(
            "(() => {
                const tools = document.getElementById('tools').getBoundingClientRect();
                const range = document.createRange();
                range.selectNodeContents(document.getElementById('about'));
                const told = [range.getBoundingClientRect(), document.getElementById('title').getBoundingClientRect()];
                return told.every((one) => one.right <= tools.left || one.top >= tools.bottom || one.bottom <= tools.top);
            })()",
        );
        assert_eq!(apart, json!(true), "{size:?}: words lie below the buttons");
        browser.evaluate("document.getElementById('plots').click()");
        let with_plots = browser.number(share);
        assert!(with_plots < shown, "{size:?}: plots are shown on request");
        quiet(&browser, &page);
    }
}
