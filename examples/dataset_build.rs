//! Has a model play all games of a tag, and exports how it went: `dataset_build PROVIDER TAG`. This costs credits.
//!
//! The key is in `GERT_API_KEY`, another server than the platform in `GERT_BASE_URL`. Providers are registered in the
//! dashboard.

use std::time::Duration;

use gert::api::endpoints::{EvaluateCode, ListProviders};
use gert::api::model::JobId;
use gert::api::{ApiKey, BaseUrl, Client, ErrorKind, Settings, WaitOptions};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(name), Some(tag)) = (arguments.next(), arguments.next()) else {
        return Err("usage: dataset_build PROVIDER TAG".into());
    };
    let base: BaseUrl = std::env::var("GERT_BASE_URL").map_or(Ok(BaseUrl::default()), |url| url.parse())?;
    let client = Client::new(Settings::new(base, ApiKey::new(&std::env::var("GERT_API_KEY")?)?))?;

    let providers = client.send(&ListProviders::new()).await?.items;
    let provider = providers.iter().find(|provider| provider.name.as_deref() == Some(&name));
    let provider = provider.ok_or("there is no provider of this name")?;
    let build = EvaluateCode::new(&provider.provider_id)
        .game_tags([tag.as_str()])
        .submission_count(20u64)
        .match_count(200u64)
        .export_type("both")
        .export_format("parquet");

    // What it would cost, before it costs anything.
    let estimate = client.send(&build.clone().dry_run(true)).await?;
    println!("about {} credits", estimate.estimated_credits.unwrap_or_default());

    // One build runs at a time: if another one does, this waits for that one.
    let job: JobId = match client.send(&build).await {
        Ok(started) => started.job_id.ok_or("the server named no job")?,
        Err(error) if error.kind() == ErrorKind::Conflict => {
            let running = error.body().and_then(|body| body["existing_job_id"].as_str());
            running.ok_or_else(|| error.why().to_owned())?.into()
        }
        Err(error) => return Err(error.into()),
    };
    let patience = WaitOptions { timeout: Some(Duration::from_hours(2)), ..WaitOptions::patient() };
    let built = client.wait_job(&job, patience, |event| eprintln!("{event:?}")).await?;

    // Its exports are jobs of their own.
    for export in built.export_jobs() {
        client.wait_job(&export, patience, |_| {}).await?;
        println!("{export}: fetch it with the example `export`");
    }
    Ok(())
}
