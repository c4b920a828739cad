//! Downloads of exports: one server plays the API, another one the host of the files.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use gert::api::{Client, DownloadProgress, Downloaded, Error, ErrorKind};
use tempfile::TempDir;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use tokio::time::Instant;

use super::canned::{Canned, Reply, answer, data, raw_answer, read_request, serve_once};
use super::secure::authority;
use super::{KEY, client, settings};

const NAMED: &str = "Content-Disposition: attachment; filename=\"data.json\"\r\n";

/// What a download left behind, and what was asked of the host of the files.
struct Outcome {
    result: Result<Vec<Downloaded>, Error>,
    /// Names and contents.
    files: BTreeMap<String, String>,
    asked: Vec<String>,
    progress: Vec<DownloadProgress>,
}

fn files_in(dir: &Path) -> BTreeMap<String, String> {
    let read = |entry: std::io::Result<std::fs::DirEntry>| {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        (name, std::fs::read_to_string(path).unwrap())
    };
    std::fs::read_dir(dir).unwrap().map(read).collect()
}

/// Downloads an export whose manifest names the host of the files `FILES`, into a folder with a complete older file.
async fn download(manifest: &str, script: Vec<Reply>) -> Outcome {
    let host = Canned::start(script).await;
    let manifest = manifest.replace("FILES", &format!("http://{}", host.address));
    let api = Canned::start(vec![data(&manifest)]).await;
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("data.json"), "old").unwrap();
    let mut progress = Vec::new();
    let client = client(&api.base());
    let result = client.download_export(&"e7".into(), dir.path(), |now| progress.push(now)).await;
    assert!(api.seen()[0].starts_with("GET /api/v1/exports/e7/download "), "{:?}", api.seen());
    Outcome { result, files: files_in(dir.path()), asked: host.seen(), progress }
}

fn single() -> &'static str {
    r#"{"download_url":"FILES/one?signature=s3cret"}"#
}

fn contents<const N: usize>(files: [(&str, &str); N]) -> BTreeMap<String, String> {
    files.into_iter().map(|(name, text)| (name.to_owned(), text.to_owned())).collect()
}

/// A head that promises more than follows.
fn cut(length: usize, headers: &str, body: &str) -> Reply {
    Reply::Bytes(
        format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n{headers}\r\n{body}")
            .into(),
    )
}

#[tokio::test]
async fn a_file_gets_the_name_its_host_gives_and_no_secret_is_sent_there() {
    // H-12, H-14: not even along a redirect.
    // SDK 3.4.0 tests/test_client.py test_download_presigned_writes_disposition_name.
    let elsewhere = Canned::start(vec![answer(200, NAMED, r#"{"ok":true}"#)]).await;
    let away = format!("Location: http://{}/two\r\n", elsewhere.address);
    let outcome = download(single(), vec![answer(302, &away, "")]).await;
    let done = outcome.result.expect("a file");
    assert_eq!(outcome.files, contents([("data.json", r#"{"ok":true}"#)]));
    assert_eq!((done.len(), done[0].bytes, done[0].records), (1, 11, None));
    assert!(outcome.asked[0].starts_with("GET /one?signature=s3cret HTTP/1.1\r\n"), "{:?}", outcome.asked);
    for request in outcome.asked.iter().chain(&elsewhere.seen()) {
        assert!(
            !request.contains(KEY) && !request.contains("x-api-key") && !request.contains("token"),
            "{request}"
        );
        assert!(request.contains("accept-encoding: identity\r\n"), "{request}");
    }
}

#[tokio::test]
async fn chunks_come_in_order_and_never_replace_one_another() {
    // H-20. SDK 3.4.0 tests/test_client.py test_exports_download_files_chunked.
    let manifest = r#"{"chunked":true,"chunk_count":3,"chunks":[
        {"download_url":"FILES/c1","size_bytes":1,"record_count":4},
        {"download_url":"FILES/c2","size_bytes":2},
        {"download_url":"FILES/c3","size_bytes":3}]}"#;
    let named = "Content-Disposition: attachment; filename=part.json\r\n";
    let script = vec![answer(200, named, "1"), answer(200, named, "22"), answer(200, "", "333")];
    let outcome = download(manifest, script).await;
    let expected =
        [("data.json", "old"), ("part.json", "1"), ("part_2.json", "22"), ("export_e7_003", "333")];
    assert_eq!(outcome.files, contents(expected));
    let done = outcome.result.expect("files");
    let names: Vec<_> = done.iter().map(|file| file.path.file_name().unwrap().to_str().unwrap()).collect();
    assert_eq!(names, ["part.json", "part_2.json", "export_e7_003"]);
    assert_eq!((done[0].records, done[1].records), (Some(4), None));
    let last = DownloadProgress { file: 3, files: 3, bytes: 3, total: Some(3) };
    assert_eq!(outcome.progress.last(), Some(&last));
}

#[tokio::test]
async fn an_empty_export_has_no_files() {
    // SDK 3.4.0 tests/test_client.py test_exports_download_files_single_and_empty.
    let outcome = download(r#"{"record_count":0,"message":"no records"}"#, vec![]).await;
    assert_eq!((outcome.result.expect("nothing"), outcome.asked.len()), (vec![], 0));
    let odd = download(r#"{"chunked":true,"chunks":[{"url":"FILES/x"}]}"#, vec![]).await;
    assert_eq!(odd.result.expect_err("not empty").kind(), ErrorKind::Decode);
}

#[tokio::test(start_paused = true)]
async fn a_file_that_ends_early_is_no_file() {
    // H-18. SDK 3.4.0 tests/test_client.py test_download_presigned_atomic_on_failure.
    let endless = format!("HTTP/1.1 200 OK\r\nConnection: close\r\n{NAMED}\r\npartial").into_bytes();
    let sized = r#"{"chunked":true,"chunks":[{"download_url":"FILES/one","size_bytes":10}]}"#;
    for (manifest, reply) in [(single(), cut(10, NAMED, "parti")), (sized, Reply::Bytes(endless))] {
        let outcome = download(manifest, vec![reply; 9]).await;
        let error = outcome.result.expect_err("cut");
        assert_eq!((error.kind(), error.attempts(), outcome.asked.len()), (ErrorKind::Lost, 3, 3));
        assert_eq!(outcome.files, contents([("data.json", "old")]));
        assert!(error.advice().is_some_and(|advice| advice.contains("download again")));
    }
}

#[tokio::test(start_paused = true)]
async fn a_lost_connection_goes_on_where_it_broke_off() {
    // H-18.
    let rest = |range: &str, body: &str| answer(206, &format!("Content-Range: {range}\r\n"), body);
    let first = || cut(10, &format!("{NAMED}ETag: \"v1\"\r\n"), "01234");
    let whole = || answer(200, NAMED, "0123456789");
    for (script, requests) in [
        (vec![first(), rest("bytes 5-9/10", "56789")], 2),
        // The host starts over, or answers with another part, which starts it over.
        (vec![first(), whole()], 2),
        (vec![first(), rest("bytes 4-9/10", "456789"), whole()], 3),
        (vec![first(), rest("bytes 5-9/11", "56789"), whole()], 3),
        (vec![first(), answer(416, "", ""), whole()], 3),
        (vec![first(), Reply::Cut, rest("bytes 5-9/10", "56789")], 3),
    ] {
        let outcome = download(single(), script).await;
        let done = outcome.result.expect("a file");
        assert_eq!(outcome.files, contents([("data.json", "0123456789")]));
        assert_eq!((done[0].bytes, outcome.asked.len()), (10, requests));
        assert!(outcome.asked[1].contains("range: bytes=5-\r\n"), "{}", outcome.asked[1]);
        assert!(outcome.asked[1].contains("if-range: \"v1\"\r\n") && !outcome.asked[0].contains("range:"));
    }
}

#[tokio::test]
async fn a_file_of_another_size_than_the_platform_says_is_refused() {
    // H-18.
    let sized = r#"{"chunked":true,"chunks":[{"download_url":"FILES/one","size_bytes":10}]}"#;
    let outcome = download(sized, vec![answer(200, NAMED, "too short")]).await;
    let error = outcome.result.expect_err("another size");
    assert_eq!((error.kind(), outcome.asked.len()), (ErrorKind::Decode, 1));
    assert!(error.why().contains("has 9 bytes, not 10"), "{}", error.why());
    assert_eq!(outcome.files, contents([("data.json", "old")]));
}

#[tokio::test]
async fn a_file_that_comes_compressed_all_the_same_is_unpacked() {
    use std::io::Write as _;
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&[b'x'; 1000]).unwrap();
    let packed = gzip.finish().unwrap();
    let sized = format!(
        r#"{{"chunked":true,"chunks":[{{"download_url":"FILES/one","size_bytes":{}}}]}}"#,
        packed.len()
    );
    let reply = Reply::Bytes(raw_answer(200, &format!("Content-Encoding: gzip\r\n{NAMED}"), &packed));
    let outcome = download(&sized, vec![reply]).await;
    outcome.result.expect("a file");
    assert_eq!(outcome.files, contents([("data.json", "x".repeat(1000).as_str())]));
}

#[tokio::test]
async fn an_address_that_is_no_longer_good_says_to_ask_again_and_is_not_shown() {
    // H-14: the address lets anybody fetch the file.
    for status in [403, 404, 410, 500, 503] {
        let page = "<Error><StringToSign>signature=s3cret</StringToSign></Error>";
        let outcome = download(single(), vec![answer(status, "", page)]).await;
        let error = outcome.result.expect_err("refused");
        assert_eq!((error.kind(), error.status(), outcome.asked.len()), (ErrorKind::Api, Some(status), 1));
        assert!(error.advice().is_some_and(|advice| advice.starts_with("ask for the download again")));
        assert!(!format!("{error:?} {}", error.why()).contains("s3cret"), "{error:?}");
        assert_eq!(outcome.files, contents([("data.json", "old")]));
    }
}

#[tokio::test]
async fn a_name_cannot_leave_the_folder() {
    // H-20.
    for (name, kept) in [("../../up.json", "up.json"), ("/etc/up.json", "up.json"), ("..", "export_e7_001")] {
        let header = format!("Content-Disposition: attachment; filename=\"{name}\"\r\n");
        let outcome = download(single(), vec![answer(200, &header, "new")]).await;
        outcome.result.expect("a file");
        assert_eq!(outcome.files, contents([("data.json", "old"), (kept, "new")]), "{name}");
    }
}

#[tokio::test]
async fn a_circle_of_redirects_ends() {
    let outcome = download(single(), vec![answer(302, "Location: /one\r\n", ""); 20]).await;
    assert_eq!(outcome.result.expect_err("a circle").kind(), ErrorKind::Redirect);
    assert_eq!(outcome.asked.len(), 11);
    let outcome = download(single(), vec![answer(302, "", "")]).await;
    assert_eq!(outcome.result.expect_err("nowhere").kind(), ErrorKind::Redirect);
}

#[tokio::test]
async fn a_file_never_comes_in_clear_from_another_machine_nor_after_https() {
    // H-13.
    let plain = download(r#"{"download_url":"http://files.example/one"}"#, vec![]).await;
    let error = plain.result.expect_err("in clear");
    assert!(
        error.kind() == ErrorKind::Redirect && error.why().contains("`files.example`"),
        "{}",
        error.why()
    );

    let authority = authority();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let elsewhere = Canned::start(vec![answer(200, "", "clear")]).await;
    let away = format!("Location: http://{}/two\r\n", elsewhere.address);
    let acceptor = authority.acceptor.clone();
    let secure = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let mut stream = acceptor.accept(stream).await.unwrap();
        serve_once(&mut stream, &raw_answer(302, &away, b"")).await
    });
    let api =
        Canned::start(vec![data(&format!(r#"{{"download_url":"https://localhost:{port}/one"}}"#))]).await;
    let mut settings = settings(&api.base());
    settings.ca_files = vec![authority.file.clone()];
    let client = Client::new(settings).expect("a client");
    let dir = tempfile::tempdir().unwrap();
    let error = client.download_export(&"e7".into(), dir.path(), |_| {}).await.expect_err("downgraded");
    assert_eq!((error.kind(), elsewhere.seen().len()), (ErrorKind::Redirect, 0), "{}", error.why());
    assert!(!secure.await.expect("no panic").contains("x-api-key"));
}

/// Plays a host that sends a byte, waits, and so on.
async fn drip(bytes: usize, pause: Duration) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            read_request(&mut stream).await;
            let head =
                format!("HTTP/1.1 200 OK\r\nContent-Length: {bytes}\r\nConnection: close\r\n{NAMED}\r\n");
            let _ = stream.write_all(head.as_bytes()).await;
            for _ in 0..bytes {
                let _ = stream.write_all(b"x").await;
                tokio::time::sleep(pause).await;
            }
        }
    });
    format!(r#"{{"download_url":"http://{address}/one"}}"#)
}

/// Downloads what drips; gives the outcome and the seconds it took.
async fn dripped(bytes: usize, pause: u64) -> (Result<Vec<Downloaded>, Error>, u64, TempDir) {
    let manifest = drip(bytes, Duration::from_secs(pause)).await;
    let api = Canned::start(vec![data(&manifest)]).await;
    let dir = tempfile::tempdir().unwrap();
    let started = Instant::now();
    let result = client(&api.base()).download_export(&"e7".into(), dir.path(), |_| {}).await;
    (result, started.elapsed().as_secs(), dir)
}

#[tokio::test(start_paused = true)]
async fn a_long_honest_download_is_not_cut_and_a_silent_one_is() {
    // H-22.
    let (result, seconds, dir) = dripped(10, 299).await;
    assert_eq!(result.expect("a file")[0].bytes, 10);
    assert!(seconds >= 2690 && files_in(dir.path()).len() == 1, "{seconds}");
    let (result, seconds, dir) = dripped(10, 301).await;
    let error = result.expect_err("silence");
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Timeout, 3));
    assert!(error.why().contains("silent for 300 s") && seconds >= 900, "{seconds} {}", error.why());
    assert!(files_in(dir.path()).is_empty());
}

#[tokio::test]
async fn a_download_that_is_given_up_leaves_nothing_behind() {
    // H-22.
    let host =
        Canned::start(vec![Reply::Stall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n12345".to_vec())])
            .await;
    let api =
        Canned::start(vec![data(&format!(r#"{{"download_url":"http://{}/one"}}"#, host.address))]).await;
    let dir = tempfile::tempdir().unwrap();
    let (some, mut came) = tokio::sync::mpsc::channel(1);
    let client = client(&api.base());
    let job = "e7".into();
    let download = client.download_export(&job, dir.path(), |now| {
        if now.bytes == 5 {
            assert_eq!(files_in(dir.path()).len(), 1);
            let _ = some.try_send(());
        }
    });
    tokio::select! {
        done = download => panic!("{done:?}"),
        _ = came.recv() => {}
    }
    assert!(files_in(dir.path()).is_empty());
}

#[tokio::test]
async fn a_folder_that_cannot_be_written_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    std::fs::write(&file, "").unwrap();
    let api = Canned::start(vec![data(r#"{"download_url":"http://127.0.0.1:9/one"}"#)]).await;
    let error = client(&api.base())
        .download_export(&"e7".into(), &file.join("deeper"), |_| {})
        .await
        .expect_err("not a folder");
    assert_eq!(error.kind(), ErrorKind::File);
    assert!(error.why().contains("deeper") && error.advice().is_some_and(|advice| advice.contains("folder")));
}
