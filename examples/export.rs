//! Exports the best submissions to the games of a tag, and downloads the files: `export TAG FOLDER`. This may cost
//! credits.
//!
//! The key is in `GERT_API_KEY`, another server than the platform in `GERT_BASE_URL`.

use std::path::Path;

use gert::api::endpoints::{CreateExport, GetExport};
use gert::api::{ApiKey, BaseUrl, Client, Settings, WaitOptions};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(tag), Some(folder)) = (arguments.next(), arguments.next()) else {
        return Err("usage: export TAG FOLDER".into());
    };
    let base: BaseUrl = std::env::var("GERT_BASE_URL").map_or(Ok(BaseUrl::default()), |url| url.parse())?;
    let client = Client::new(Settings::new(base, ApiKey::new(&std::env::var("GERT_API_KEY")?)?))?;

    let create = CreateExport::new()
        .export_type("submissions")
        .min_percentile(0.9)
        .tags([tag.as_str()])
        .format("parquet");
    let job = client.send(&create).await?.job_id.ok_or("the server named no job")?;
    client.wait_job(&job, WaitOptions::patient(), |_| {}).await?;

    let export = client.send(&GetExport::new(&job)).await?;
    println!("{} records", export.record_count.unwrap_or_default());

    // Each file gets its name when it is whole; an empty export has none.
    let files = client
        .download_export(&job, Path::new(&folder), |now| {
            eprint!("\rfile {} of {}: {} bytes", now.file, now.files, now.bytes);
        })
        .await?;
    for file in files {
        println!("\n{} ({} bytes)", file.path.display(), file.bytes);
    }
    Ok(())
}
