//! The conformance adapter: JSON lines on stdin and stdout, one answer for each request.

mod evaluator;
mod json;

use evaluator::{bucket_hash, Evaluator, Outcome, Revision};
use json::{Json, Text};
use std::io::{self, BufRead, Write};
use std::thread;

const STACK_BYTES: usize = 512 << 20;

fn main() -> io::Result<()> {
    // A thread with a large stack, because the JSON reader recurses and a ruleset may be nested deeply.
    let adapter = thread::Builder::new().stack_size(STACK_BYTES).spawn(run)?;
    adapter.join().unwrap_or_else(|_| std::process::exit(1))
}

fn run() -> io::Result<()> {
    let mut evaluator = Evaluator::new(&Json::Null);
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let request = Json::parse(&line).unwrap_or(Json::Null);
        let mut written = String::new();
        answer(&request, &mut evaluator).write(&mut written);
        writeln!(out, "{written}")?;
        out.flush()?;
        if request.get("cmd") == Some(&Json::text("stop")) {
            break;
        }
    }
    Ok(())
}

fn answer(request: &Json, evaluator: &mut Evaluator) -> Json {
    let (kind, body) = match request.get("cmd") {
        None => {
            let (kind, message) = (Json::text("request"), Json::text("not a request"));
            ("error", Json::object([("kind", kind), ("message", message)]))
        }
        Some(command) => match perform(command, request, evaluator) {
            Some(ok) => ("ok", ok),
            None => ("skipped", Json::object([("reason", Json::text("unknown command")), ("issue", Json::Null)])),
        },
    };
    let seq = request.get("seq").cloned().unwrap_or(Json::Null);
    Json::object([("seq", seq), (kind, body)])
}

/// Runs one command; `None` if the command is unknown.
fn perform(command: &Json, request: &Json, evaluator: &mut Evaluator) -> Option<Json> {
    let Json::Text(command) = command else { return None };
    let is = |name: &str| *command == *name;
    if is("hello") {
        return Some(hello());
    }
    if is("load") {
        *evaluator = Evaluator::new(&decode(request.get("ruleset")));
        return Some(Json::object([]));
    }
    if is("evaluate") {
        return Some(each(request, |call| evaluate(evaluator, call)));
    }
    if is("evaluateAll") {
        let context = decode(request.get("context"));
        let results = evaluator.evaluate_all(&context).into_iter();
        return Some(Json::Object(results.map(|(key, outcome)| (key.clone(), fields(outcome))).collect()));
    }
    if is("bucket") {
        return Some(each(request, bucket));
    }
    is("stop").then(|| Json::object([]))
}

/// Answers a single call, or the list in `calls`.
fn each(request: &Json, ask: impl Fn(&Json) -> Json) -> Json {
    match request.get("calls") {
        Some(Json::Array(calls)) => Json::object([("results", Json::Array(calls.iter().map(ask).collect()))]),
        _ => ask(request),
    }
}

fn hello() -> Json {
    Json::object([
        ("name", Json::text("rust-evaluator")),
        ("version", Json::text("1.0.0")),
        ("language", Json::text("rust")),
        ("runtime", Json::text("native")),
        ("bucketing", Json::Array(vec![Json::Number(1.0), Json::Number(2.0), Json::Number(3.0)])),
        ("capabilities", Json::Array(vec![Json::text("evaluate"), Json::text("bucket")])),
    ])
}

fn evaluate(evaluator: &Evaluator, call: &Json) -> Json {
    fields(evaluator.evaluate(call.get("flag").unwrap_or(&Json::Null), &decode(call.get("context"))))
}

fn fields(outcome: Outcome) -> Json {
    let text = |text: Option<&Text>| text.cloned().map_or(Json::Null, Json::Text);
    Json::object([
        ("value", outcome.value.cloned().unwrap_or(Json::Null)),
        ("reason", Json::text(outcome.reason)),
        ("rule_id", text(outcome.rule_id)),
        ("variation_key", text(outcome.variation_key)),
    ])
}

fn bucket(request: &Json) -> Json {
    let text = |name: &str| match request.get(name) {
        Some(Json::Text(text)) => text.clone(),
        _ => Text::default(),
    };
    let revision = if request.get("bucketing") == Some(&Json::Number(2.0)) { Revision::Two } else { Revision::One };
    let hash = bucket_hash(&text("flag"), &text("user"), revision);
    Json::object([("hash", Json::Number(hash.into())), ("bucket", Json::Number((hash % 100).into()))])
}

/// Decodes the tags for values that JSON lacks. Rust has no inherited properties, so these become absent.
fn decode(value: Option<&Json>) -> Json {
    match value {
        None => Json::Null,
        Some(Json::Array(items)) => Json::Array(items.iter().map(|item| decode(Some(item))).collect()),
        Some(tag @ Json::Object(members)) => {
            if let (1, Some(Json::Text(name))) = (members.len(), tag.get("$number")) {
                let numbers =
                    [("NaN", f64::NAN), ("Infinity", f64::INFINITY), ("-Infinity", -f64::INFINITY), ("-0", -0.0)];
                if let Some((_, number)) = numbers.iter().find(|(tagged, _)| *name == **tagged) {
                    return Json::Number(*number);
                }
            }
            let is_absent = |item: &Json| *item == Json::object([("$absent", Json::Bool(true))]);
            let kept = members.iter().filter(|(name, item)| **name != *"$inherited" && !is_absent(item));
            Json::Object(kept.map(|(name, item)| (name.clone(), decode(Some(item)))).collect())
        }
        Some(scalar) => scalar.clone(),
    }
}
