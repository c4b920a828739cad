//! `gert api METHOD PATH`: any request, as it is.

use clap::{Arg, ArgAction, ArgMatches, Command};

use super::Context;
use super::failure::Failure;
use super::flags;
use super::method::View;
use crate::api::model::Json;
use crate::api::{Call, Quote};

/// The command's name.
pub(super) const NAME: &str = "api";

/// The command.
pub(super) fn command() -> Command {
    Command::new(NAME)
        .about("Send any request: `gert api GET /games`, `gert api POST /play --body @play.json`")
        .after_help(
            "Price: whatever the request costs; a spending cap refuses it unless unknown prices are allowed\n\
             If the answer is lost: never sent again by itself",
        )
        .arg(Arg::new("method").required(true).value_name("METHOD").help("GET, POST or DELETE"))
        .arg(
            Arg::new("path")
                .required(true)
                .value_name("PATH")
                .help("The path under the base URL, without a query"),
        )
        .arg(
            Arg::new("query")
                .long("query")
                .value_name("KEY=TEXT")
                .action(ArgAction::Append)
                .help("A parameter of the query; may be repeated"),
        )
        .arg(flags::param().help("A member of the body; may be repeated"))
        .arg(flags::body().help("The body as a JSON object; `--param` wins over it"))
        .args(flags::output_flags())
}

/// Sends it.
pub(super) async fn run(context: &Context, args: &ArgMatches) -> Result<(), Failure> {
    let text = |name: &str| args.get_one::<String>(name).map(String::as_str).unwrap_or_default();
    let mut call = match text("method").to_ascii_uppercase().as_str() {
        "GET" => Call::get(text("path")),
        "POST" => Call::post(text("path")).quote(Quote::Unknown),
        "DELETE" => Call::delete(text("path")),
        other => return Err(Failure::Usage(format!("`{other}` is not GET, POST or DELETE"))),
    };
    for pair in args.get_many::<String>("query").into_iter().flatten() {
        let Some((name, value)) = pair.split_once('=') else {
            return Err(Failure::Usage(format!("--query takes KEY=TEXT, not `{pair}`")));
        };
        call = call.query(name, value);
    }
    for (name, value) in flags::body_members(args)?.iter() {
        call = call.raw_member(name, value.clone().into_raw());
    }
    let answer = context.client()?.raw(call).await?;
    context.output.answer(View::Record, &Json::from(answer))
}
