//! Writes a recording for other programs.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::tape::export;

use super::{Done, Failed, cast, find};

/// A form.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(super) enum Format {
    /// An object a moment: observations, actions, scores
    Jsonl,
    /// The scores: a row a moment, a column a seat
    Csv,
    /// The drawn screen, to be played in a terminal (asciicast v2)
    Asciicast,
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Export {
    /// Its file, its session's id, or the beginning of either
    #[arg(value_name = "FILE|ID")]
    name: String,
    /// The form
    #[arg(long, value_enum, default_value = "jsonl")]
    format: Format,
    /// Where to write; `-` is stdout
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// Columns of the film
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u16).range(20..=500))]
    width: u16,
    /// Rows of the film
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u16).range(5..=200))]
    height: u16,
    /// So many times as fast as it was
    #[arg(long, value_name = "X", default_value_t = 1.0)]
    speed: f64,
    /// The longest pause of the film in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0)]
    idle_limit: f64,
    /// Draw with ASCII characters only
    #[arg(long)]
    ascii: bool,
}

impl Export {
    pub(super) fn run(self) -> Done {
        for (name, value) in [("--speed", self.speed), ("--idle-limit", self.idle_limit)] {
            // Also true for NaN.
            if !(value > 0.0 && value.is_finite()) {
                return Err(Failed::Usage(format!("`{name}` must be more than 0")));
            }
        }
        let file = find(&self.name)?;
        if self.output == Path::new("-") {
            let mut out = BufWriter::new(io::stdout().lock());
            return self
                .write(&file, &mut out)
                .and_then(|()| out.flush())
                .map_err(|why| Failed::of(&file, &why));
        }
        let same = |path: &Path| path.canonicalize().ok();
        if same(&self.output).is_some_and(|output| Some(output) == same(&file)) {
            return Err(Failed::Usage("the recording itself is not written over".into()));
        }
        self.write_file(&file)
    }

    /// The file is there as a whole, or as it was before.
    fn write_file(&self, file: &Path) -> Done {
        let failed = |why: io::Error| Failed::Local(format!("`{}`: {why}", self.output.display()));
        let folder = self.output.parent().filter(|folder| !folder.as_os_str().is_empty());
        let new = tempfile::NamedTempFile::new_in(folder.unwrap_or(Path::new("."))).map_err(failed)?;
        let mut out = BufWriter::new(new);
        self.write(file, &mut out).map_err(|why| Failed::of(file, &why))?;
        let new = out.into_inner().map_err(|why| failed(why.into_error()))?;
        new.persist(&self.output).map_err(|why| failed(why.error))?;
        Ok(())
    }

    fn write(&self, file: &Path, out: &mut dyn Write) -> io::Result<()> {
        match self.format {
            Format::Jsonl => export::json_lines(file, out),
            Format::Csv => export::csv(file, out),
            Format::Asciicast => {
                let film = cast::Film {
                    width: self.width,
                    height: self.height,
                    speed: self.speed,
                    idle_limit: self.idle_limit,
                    ascii: self.ascii,
                };
                film.write(file, out)
            }
        }
    }
}
