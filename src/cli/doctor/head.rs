//! The head of an HTTP/1.1 answer, asked for by hand: the checks want to see what the client never shows.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use crate::text;

/// A head longer than this is none.
const MOST: usize = 16 << 10;

/// What a check looks at.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Head {
    pub status: u16,
    pub date: Option<String>,
    pub content_type: Option<String>,
    pub location: Option<String>,
    pub server: Option<String>,
}

impl Head {
    /// True for a web page where the API sends JSON.
    pub(super) fn is_page(&self) -> bool {
        self.content_type.as_deref().is_some_and(|kind| kind.to_ascii_lowercase().contains("html"))
    }
}

/// A request; `headers` are whole lines.
pub(super) fn request(host: &str, path: &str, headers: &str) -> String {
    format!(
        "GET {path} HTTP/1.1\r\nHost: {host}\r\nUser-Agent: gert-tui/{}\r\nAccept: application/json\r\n{headers}\r\n",
        env!("CARGO_PKG_VERSION")
    )
}

/// Asks, and reads the answer as far as its head goes.
pub(super) async fn ask(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    request: &str,
) -> Result<Head, String> {
    let words = |why: io::Error| format!("the connection broke: {why}");
    stream.write_all(request.as_bytes()).await.map_err(words)?;
    stream.flush().await.map_err(words)?;
    let mut bytes = Vec::new();
    loop {
        if let Some(head) = parse(&bytes)? {
            return Ok(head);
        }
        if bytes.len() > MOST {
            return Err("its answer is not HTTP: its head has no end".to_owned());
        }
        match stream.read_buf(&mut bytes).await.map_err(words)? {
            0 if bytes.is_empty() => return Err("it closed the connection without an answer".to_owned()),
            0 => return Err("it closed the connection within its answer".to_owned()),
            _ => {}
        }
    }
}

/// A whole head; nothing while it has no end.
fn parse(bytes: &[u8]) -> Result<Option<Head>, String> {
    let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
        let starts_well = bytes.iter().zip(b"HTTP/1.").all(|(byte, wanted)| byte == wanted);
        return if starts_well { Ok(None) } else { Err("its answer is not HTTP".to_owned()) };
    };
    let head = String::from_utf8_lossy(&bytes[..end]);
    let (first, fields) = head.split_once("\r\n").unwrap_or((&head, ""));
    let status = first.split(' ').nth(1).and_then(|status| status.parse().ok());
    let field = |name: &str| {
        let found = fields.split("\r\n").filter_map(|line| line.split_once(':'));
        let value =
            found.filter(|(field, _)| field.trim().eq_ignore_ascii_case(name)).map(|(_, value)| value);
        value.last().map(|value| text::excerpt(value.trim(), 200).into_owned())
    };
    Ok(Some(Head {
        status: status.ok_or("its answer is not HTTP")?,
        date: field("date"),
        content_type: field("content-type"),
        location: field("location"),
        server: field("server"),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_read_once_it_is_whole() {
        let text =
            "HTTP/1.1 404 Not Found\r\nDATE: Sun, 06 Nov 1994 08:49:37 GMT\r\nserver:x\u{1b}[2J\r\n\r\n{}";
        for cut in 0..text.len() - 2 {
            let head = parse(&text.as_bytes()[..cut]);
            assert_eq!(head, Ok(None), "{cut}");
        }
        let head = parse(text.as_bytes()).unwrap().unwrap();
        assert_eq!((head.status, head.date.as_deref()), (404, Some("Sun, 06 Nov 1994 08:49:37 GMT")));
        assert_eq!(head.server.as_deref(), Some("x␛[2J"));
    }

    #[test]
    fn what_is_no_http_is_told_at_its_first_byte() {
        for bytes in
            [&b"SSH-2.0"[..], b"\x15\x03\x01", b"HTTP/1.1 x y\r\n\r\n", b"HTTP/1.1\r\n\r\n", b"\r\n\r\n"]
        {
            assert!(parse(bytes).is_err(), "{bytes:?}");
        }
    }
}
