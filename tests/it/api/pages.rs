//! Lists in pages.

use futures_util::StreamExt;
use gert::api::endpoints::ListGames;
use gert::api::{ErrorKind, PageOptions};

use super::canned::{Canned, Reply, data};
use super::client;

fn page(slugs: &[&str], cursor: Option<&str>) -> Reply {
    let games: Vec<_> = slugs.iter().map(|slug| serde_json::json!({ "slug": slug })).collect();
    data(&serde_json::json!({ "games": games, "next_cursor": cursor }).to_string())
}

/// What a walk gives, how it ends, and the targets it asked for.
async fn walk(script: Vec<Reply>, options: PageOptions) -> (Vec<String>, Vec<ErrorKind>, Vec<String>) {
    let server = Canned::start(script).await;
    let client = client(&server.base());
    let list = ListGames::new().tag("strategy");
    let rows: Vec<_> = client.pages(&list, options).take(50).collect().await;
    let mut slugs = Vec::new();
    let mut errors = Vec::new();
    for row in rows {
        match row {
            Ok(game) => slugs.push(game.slug.to_string()),
            Err(error) => errors.push(error.kind()),
        }
    }
    let target = |request: &String| request.split(' ').nth(1).unwrap_or_default().to_owned();
    (slugs, errors, server.seen().iter().map(target).collect())
}

fn sized(page_size: u32, max_items: Option<usize>) -> PageOptions {
    PageOptions { page_size, max_items }
}

#[tokio::test]
async fn cursors_are_followed_and_filters_repeated() {
    // SDK 3.4.0 tests/test_client.py test_paginate_follows_cursor, test_paginate_forwards_filter.
    let script = vec![page(&["a", "b"], Some("c 1")), page(&["c"], None)];
    let (slugs, errors, targets) = walk(script, PageOptions::default()).await;
    assert_eq!((slugs, errors), (vec!["a".into(), "b".into(), "c".into()], vec![]));
    assert_eq!(
        targets,
        ["/api/v1/games?tag=strategy&limit=100", "/api/v1/games?tag=strategy&limit=100&cursor=c+1"]
    );
}

#[tokio::test]
async fn an_empty_page_ends_the_list_even_with_a_cursor() {
    // SDK 3.4.0 tests/test_client.py test_paginate_stops_on_empty_page_even_with_cursor, test_paginate_empty.
    let (slugs, errors, targets) = walk(vec![page(&[], Some("loop"))], PageOptions::default()).await;
    assert_eq!((slugs.len(), errors.len(), targets.len()), (0, 0, 1));
}

#[tokio::test]
async fn the_number_of_rows_can_be_capped() {
    // SDK 3.4.0 tests/test_client.py test_paginate_max_items_caps_total, _shrinks_first_page, _zero_returns_empty….
    let script = vec![page(&["a", "b", "c"], Some("c1")), page(&["d", "e"], None)];
    let (slugs, _, targets) = walk(script, sized(100, Some(4))).await;
    assert_eq!(slugs, ["a", "b", "c", "d"]);
    assert!(targets.iter().all(|target| target.contains("limit=4")), "{targets:?}");
    let (slugs, errors, targets) = walk(vec![page(&["a"], None)], sized(100, Some(0))).await;
    assert_eq!((slugs.len(), errors.len(), targets.len()), (0, 0, 0));
    let (_, _, targets) = walk(vec![page(&["a"], None)], sized(25, Some(1000))).await;
    assert!(targets[0].contains("limit=25"), "{targets:?}");
}

#[tokio::test]
async fn a_page_size_out_of_range_sends_nothing() {
    // SDK 3.4.0 tests/test_client.py test_paginate_rejects_out_of_range_page_size.
    for page_size in [0, 101, 200] {
        for max_items in [None, Some(0), Some(5)] {
            let (slugs, errors, targets) = walk(vec![page(&["a"], None)], sized(page_size, max_items)).await;
            assert_eq!((slugs.len(), errors, targets.len()), (0, vec![ErrorKind::Argument], 0));
        }
    }
}

#[tokio::test]
async fn a_repeated_cursor_ends_the_list_with_a_notice() {
    // H-03: the server ignores the cursor, or goes in a circle.
    let same = || page(&["a", "b"], Some("c1"));
    let (slugs, errors, targets) = walk(vec![same(), same(), same()], PageOptions::default()).await;
    assert_eq!((slugs, errors), (vec!["a".into(), "b".into()], vec![ErrorKind::Partial]));
    assert_eq!(targets.len(), 2);
    let circle = vec![page(&["a"], Some("c1")), page(&["b"], Some("c2")), page(&["c"], Some("c1")), same()];
    let (slugs, errors, targets) = walk(circle, PageOptions::default()).await;
    assert_eq!((slugs, errors), (vec!["a".into(), "b".into(), "c".into()], vec![ErrorKind::Partial]));
    assert_eq!(targets.len(), 3);
}

#[tokio::test]
async fn a_bad_row_is_a_notice_between_the_others() {
    let rows = data(r#"{"games":[{"slug":"a"},17,{"slug":"b"}],"next_cursor":null}"#);
    let server = Canned::start(vec![rows.clone(), rows]).await;
    let client = client(&server.base());
    let all = client.all(&ListGames::new(), PageOptions::default()).await.expect("a list");
    assert_eq!((all.items.len(), all.notices.len()), (2, 1));
    assert!(all.notices[0].is_notice() && all.notices[0].why().contains("17"), "{}", all.notices[0].why());
    let page = client.page(&ListGames::new(), 3, None).await.expect("a page");
    assert_eq!((page.items.len(), page.bad[0].index), (2, 1));
}

#[tokio::test]
async fn a_failing_page_ends_the_stream() {
    let script = vec![page(&["a"], Some("c1")), Reply::Cut];
    let (slugs, errors, targets) = walk(script, PageOptions::default()).await;
    assert_eq!((slugs, errors, targets.len()), (vec!["a".into()], vec![ErrorKind::Lost], 2));
}
