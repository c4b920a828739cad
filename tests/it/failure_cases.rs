//! Faults that similar programs had, by number: each has a test that names it, so that none is forgotten. The numbers
//! stand for kinds of fault in traffic (H), polling (P), sockets (W), settings and state files (C), logs and records (L),
//! policies (B), the local server and its database (S).

use std::fs;
use std::path::Path;

const CASES: [&str; 65] = [
    "H-01", "H-03", "H-06", "H-07", "H-09", "H-11", "H-12", "H-13", "H-14", "H-16", "H-17", "H-18", "H-20",
    "H-22", "H-23", "H-24", "P-01", "P-02", "P-04", "P-06", "P-07", "C-01", "C-02", "C-04", "C-05", "C-07",
    "C-08", "L-01", "L-02", "W-01", "W-02", "W-04", "W-06", "W-07", "W-10", "W-12", "W-13", "W-15", "W-16",
    "W-18", "W-19", "B-01", "B-02", "B-05", "B-06", "B-08", "B-09", "B-10", "B-11", "B-12", "B-14", "B-16",
    "B-17", "B-19", "B-20", "B-22", "S-01", "S-02", "S-03", "S-05", "S-07", "S-09", "S-10", "S-11", "S-12",
];

/// The text of all tests: files of tests, and what follows `#[cfg(test)]` in others.
fn tests(folder: &Path, all: &mut String) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            tests(&path, all);
        } else if path.extension().is_some_and(|extension| extension == "rs")
            && !path.ends_with("failure_cases.rs")
        {
            let text = fs::read_to_string(&path).unwrap();
            let is_test = path
                .strip_prefix(env!("CARGO_MANIFEST_DIR"))
                .unwrap()
                .components()
                .any(|part| part.as_os_str().to_string_lossy().starts_with("tests"));
            let begin = if is_test { Some(0) } else { text.find("#[cfg(test)]") };
            all.push_str(begin.map_or("", |begin| &text[begin..]));
        }
    }
}

#[test]
fn every_case_has_a_test_that_names_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = String::new();
    tests(&root.join("src"), &mut all);
    tests(&root.join("tests"), &mut all);
    let missing: Vec<_> = CASES.iter().filter(|case| !all.contains(**case)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
