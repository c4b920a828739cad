//! `gert man`: the manual, made from the command line's own help.

use std::path::Path;

use clap_mangen::Man;

use super::{Failure, command, print};

/// Prints the main page, or writes a page for every command into a folder.
pub(super) fn run(folder: Option<&Path>) -> Result<i32, Failure> {
    let Some(folder) = folder else {
        let mut page = Vec::new();
        Man::new(command()).render(&mut page)?;
        print(&String::from_utf8_lossy(&page))?;
        return Ok(0);
    };
    std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(command(), folder))
        .map_err(|why| format!("the pages cannot be written to `{}`: {why}", folder.display()))?;
    eprintln!("the pages are in {}: try `man -l {}`", folder.display(), folder.join("gert.1").display());
    Ok(0)
}

#[cfg(test)]
mod tests;
