//! A flag evaluator for compiled rulesets in one file, with only the standard library. It was written from the
//! specification and what-an-evaluator-owes.md, whose sentences (EV-…) the comments cite. Evaluation never panics.

use crate::json::{number_text, Json, Text};
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

/// The result of an evaluation. The value is `None` if the flag does not exist.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome<'a> {
    pub value: Option<&'a Json>,
    pub reason: &'static str,
    pub rule_id: Option<&'a Text>,
    pub variation_key: Option<&'a Text>,
}

const NOT_FOUND: Outcome = Outcome { value: None, reason: "FLAG_NOT_FOUND", rule_id: None, variation_key: None };

/// Evaluates the flags of one ruleset.
pub struct Evaluator {
    flags: Vec<Flag>,
    by_key: HashMap<Text, usize>,
    segments: HashMap<Text, Vec<Condition>>,
}

struct Flag {
    key: Text,
    enabled: bool,
    values: HashMap<Text, Json>,
    default_variation: Text,
    rules: Vec<Rule>,
    prerequisites: Vec<(Text, Text)>,
}

struct Rule {
    id: Text,
    priority: f64,
    conditions: Vec<Condition>,
    serves: Serves,
}

enum Serves {
    Nothing,
    Variation(Text),
    /// With `None`, the rollout serves no user.
    Rollout {
        entries: Vec<(Text, f64)>,
        revision: Option<Revision>,
    },
    Units(Units),
}

/// Revision 3 of bucketing (EV-124 to EV-134).
struct Units {
    salt: Text,
    by: Text,
    ranges: Vec<Range>,
    gates: Vec<Range>,
}

/// Buckets from `from`, inclusive, to `to`, exclusive. `name` is a variation or, in a gate, a salt.
struct Range {
    name: Text,
    from: f64,
    to: f64,
}

impl Range {
    fn contains(&self, bucket: u32) -> bool {
        self.from <= f64::from(bucket) && f64::from(bucket) < self.to
    }
}

/// The revision of bucketing (EV-42 to EV-49).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Revision {
    One,
    Two,
}

impl Evaluator {
    /// Prepares a ruleset of any shape; broken parts count as absent (EV-7 to EV-27).
    pub fn new(ruleset: &Json) -> Evaluator {
        let mut evaluator = Evaluator { flags: Vec::new(), by_key: HashMap::new(), segments: HashMap::new() };
        for segment in items(ruleset.get("segments")).unwrap_or_default() {
            if let (Some(key), Some(conditions)) = (text(segment.get("key")), conditions(segment, false)) {
                evaluator.segments.entry(key.clone()).or_insert(conditions);
            }
        }
        for flag in items(ruleset.get("flags")).unwrap_or_default().iter().filter_map(read_flag) {
            if !evaluator.by_key.contains_key(&flag.key) {
                evaluator.by_key.insert(flag.key.clone(), evaluator.flags.len());
                evaluator.flags.push(flag);
            }
        }
        evaluator
    }

    /// Evaluates one flag.
    pub fn evaluate(&self, flag_key: &Json, context: &Json) -> Outcome<'_> {
        let found = text(Some(flag_key)).and_then(|key| self.by_key.get(key));
        found.map_or(NOT_FOUND, |&flag| self.decide(flag, &Context::new(context), &mut HashMap::new()))
    }

    /// Evaluates every flag that is not broken; returns keys and results.
    pub fn evaluate_all(&self, context: &Json) -> Vec<(&Text, Outcome<'_>)> {
        let (context, mut decided) = (Context::new(context), HashMap::new());
        let outcomes = self.flags.iter().enumerate();
        outcomes.map(|(number, flag)| (&flag.key, self.decide(number, &context, &mut decided))).collect()
    }

    /// Prerequisites (EV-117 to EV-123), without recursion, because a long chain would overflow the stack. `path` holds
    /// the flags being evaluated, each with the number of its prerequisites that hold so far.
    fn decide<'a>(
        &'a self,
        wanted: usize,
        context: &Context,
        decided: &mut HashMap<usize, Outcome<'a>>,
    ) -> Outcome<'a> {
        let mut path = vec![(wanted, 0)];
        let mut on_path = HashSet::from([wanted]);
        while let Some(&(number, holding)) = path.last() {
            let flag = &self.flags[number];
            let outcome = if let Some(&known) = decided.get(&number) {
                known
            } else if !flag.enabled {
                flag.by_default("DISABLED")
            } else if let Some((key, variation)) = flag.prerequisites.get(holding) {
                let needed = self.by_key.get(key);
                match needed.map(|needed| (needed, decided.get(needed))) {
                    Some((&needed, None)) if on_path.insert(needed) => {
                        path.push((needed, 0));
                        continue;
                    }
                    Some((_, Some(served))) if holds(served, variation) => {
                        path.pop();
                        path.push((number, holding + 1));
                        continue;
                    }
                    _ => flag.by_default("PREREQUISITE"),
                }
            } else {
                self.walk(flag, context)
            };
            decided.insert(number, outcome);
            on_path.remove(&number);
            path.pop();
        }
        decided[&wanted]
    }

    /// The rules in order (EV-36 to EV-39 and EV-50 to EV-53): the first rule whose conditions all match decides.
    fn walk<'a>(&'a self, flag: &'a Flag, context: &Context) -> Outcome<'a> {
        let Some(rule) = flag.rules.iter().find(|rule| self.all(&rule.conditions, context)) else {
            return flag.by_default("DEFAULT");
        };
        let served = match &rule.serves {
            Serves::Nothing => None,
            Serves::Variation(key) => flag.serve(key, "TARGETING_RULE", Some(&rule.id)),
            Serves::Rollout { entries, revision } => bucketed(flag, entries, *revision, context)
                .and_then(|key| flag.serve(key, "PERCENTAGE_ROLLOUT", Some(&rule.id))),
            Serves::Units(units) => {
                assigned(units, context).and_then(|key| flag.serve(key, "PERCENTAGE_ROLLOUT", Some(&rule.id)))
            }
        };
        served.unwrap_or_else(|| flag.by_default("DEFAULT"))
    }

    fn all(&self, conditions: &[Condition], context: &Context) -> bool {
        conditions.iter().all(|condition| self.matches(condition, context))
    }

    /// A negative operator matches where its positive counterpart does not, unless the attribute is missing.
    fn matches(&self, condition: &Condition, context: &Context) -> bool {
        let Some(test) = &condition.test else { return false };
        if let Test::MemberOf(keys) = test {
            let mut named = keys.iter().filter_map(|key| self.segments.get(key));
            return named.any(|conditions| self.all(conditions, context)) != condition.negative;
        }
        let found = match context.attribute(&condition.attribute) {
            Some(Json::Array(elements)) => elements.iter().any(|element| test.holds(element)),
            Some(scalar) if text_of(scalar).is_some() => test.holds(scalar),
            _ => return false,
        };
        found != condition.negative
    }
}

fn holds(served: &Outcome, variation: &Text) -> bool {
    !matches!(served.reason, "DISABLED" | "PREREQUISITE") && served.variation_key == Some(variation)
}

impl Flag {
    /// `None` if the variation does not exist.
    fn serve<'a>(&'a self, variation: &Text, reason: &'static str, rule_id: Option<&'a Text>) -> Option<Outcome<'a>> {
        let (key, value) = self.values.get_key_value(variation)?;
        Some(Outcome { value: Some(value), reason, rule_id, variation_key: Some(key) })
    }

    fn by_default(&self, reason: &'static str) -> Outcome<'_> {
        self.serve(&self.default_variation, reason, None).unwrap_or(NOT_FOUND)
    }
}

/// The 32-bit hash; the bucket is its remainder modulo 100.
pub fn bucket_hash(flag_key: &Text, user_key: &Text, revision: Revision) -> u32 {
    let codes = flag_key.0.iter().copied().chain([u32::from(':')]).chain(user_key.0.iter().copied());
    let mut hash = codes.fold(5381u32, |hash, code| hash.wrapping_mul(33).wrapping_add(code));
    if revision == Revision::Two {
        hash = (hash ^ hash >> 16).wrapping_mul(0x85eb_ca6b);
        hash = (hash ^ hash >> 13).wrapping_mul(0xc2b2_ae35);
        hash ^= hash >> 16;
    }
    hash
}

/// The variation that the rollout serves to this user (EV-50 to EV-53).
fn bucketed<'a>(
    flag: &Flag,
    entries: &'a [(Text, f64)],
    revision: Option<Revision>,
    context: &Context,
) -> Option<&'a Text> {
    let user_key = text(context.user_key).filter(|key| !key.0.is_empty())?;
    let bucket = f64::from(bucket_hash(&flag.key, user_key, revision?) % 100);
    let mut sum = 0.0;
    let mut entries = entries.iter();
    entries.find_map(|(variation, percentage)| {
        sum += percentage;
        (bucket < sum).then_some(variation)
    })
}

/// The bucket of a unit in revision 3, 0 to 9,999 (EV-129).
pub fn unit_bucket(salt: &Text, unit: &Text) -> u32 {
    bucket_hash(salt, unit, Revision::Two) % 10_000
}

/// The variation that the ranges serve to the context's unit (EV-126 to EV-133).
fn assigned<'a>(units: &'a Units, context: &Context) -> Option<&'a Text> {
    let value = if units.by == *"user_key" { context.user_key } else { context.attributes?.get(&units.by) };
    let unit = text_of(value?).filter(|unit| !unit.0.is_empty())?;
    if !units.gates.iter().all(|gate| gate.contains(unit_bucket(&gate.name, &unit))) {
        return None;
    }
    let bucket = unit_bucket(&units.salt, &unit);
    units.ranges.iter().find(|range| range.contains(bucket)).map(|range| &range.name)
}

/// The context (EV-7 to EV-27 and EV-57 to EV-59).
struct Context<'a> {
    user_key: Option<&'a Json>,
    attributes: Option<&'a HashMap<Text, Json>>,
}

impl<'a> Context<'a> {
    fn new(context: &'a Json) -> Context<'a> {
        let attributes = match context.get("attributes") {
            Some(Json::Object(attributes)) => Some(attributes),
            _ => None,
        };
        Context { user_key: context.get("user_key").filter(|key| text(Some(key)).is_some()), attributes }
    }

    fn attribute(&self, name: &Text) -> Option<&'a Json> {
        let own = self.attributes.and_then(|attributes| attributes.get(name));
        own.or(self.user_key.filter(|_| name == "user_key"))
    }
}

// The structure of a ruleset (EV-7 to EV-27): a broken part becomes `None`.

fn text(json: Option<&Json>) -> Option<&Text> {
    if let Some(Json::Text(text)) = json {
        Some(text)
    } else {
        None
    }
}

fn finite(json: Option<&Json>) -> Option<f64> {
    if let Some(Json::Number(number)) = json {
        Some(*number).filter(|number| number.is_finite())
    } else {
        None
    }
}

fn items(json: Option<&Json>) -> Option<&[Json]> {
    if let Some(Json::Array(items)) = json {
        Some(items)
    } else {
        None
    }
}

/// Reads an optional field: `Some(None)` if it is absent or null, `None` if it is broken.
fn optional<'a, T>(json: Option<&'a Json>, read: impl Fn(Option<&'a Json>) -> Option<T>) -> Option<Option<T>> {
    if matches!(json, None | Some(Json::Null)) {
        Some(None)
    } else {
        read(json).map(Some)
    }
}

fn each<'a, T>(json: Option<&'a Json>, read: impl Fn(&'a Json) -> Option<T>) -> Option<Vec<T>> {
    items(json)?.iter().map(read).collect()
}

fn read_flag(json: &Json) -> Option<Flag> {
    let variations = each(json.get("variations"), |item| Some((text(item.get("key"))?, item.get("value")?)))?;
    let mut values = HashMap::new();
    for (key, value) in variations {
        values.entry(key.clone()).or_insert_with(|| value.clone());
    }
    let mut rules = optional(json.get("targeting_rules"), |list| each(list, read_rule))?.unwrap_or_default();
    rules.sort_by(|one, other| one.priority.partial_cmp(&other.priority).unwrap_or(Ordering::Equal));
    let pair = |item: &Json| Some((text(item.get("flag_key"))?.clone(), text(item.get("variation"))?.clone()));
    Some(Flag {
        key: text(json.get("key"))?.clone(),
        enabled: if let Json::Bool(enabled) = json.get("enabled")? { *enabled } else { return None },
        default_variation: text(json.get("default_variation")).filter(|key| values.contains_key(key))?.clone(),
        values,
        rules,
        prerequisites: optional(json.get("prerequisites"), |list| each(list, pair))?.unwrap_or_default(),
    })
}

fn read_rule(json: &Json) -> Option<Rule> {
    let variation = optional(json.get("variation"), text)?;
    let entry = |item: &Json| Some((text(item.get("variation"))?.clone(), finite(item.get("percentage"))?));
    let rollout = optional(json.get("percentage_rollout"), |list| each(list, entry))?;
    let revision = match json.get("bucketing") {
        None | Some(Json::Null) => Some(Revision::One),
        Some(Json::Number(number)) if *number == 1.0 => Some(Revision::One),
        Some(Json::Number(number)) if *number == 2.0 => Some(Revision::Two),
        _ => None,
    };
    Some(Rule {
        id: text(json.get("id"))?.clone(),
        priority: finite(json.get("priority"))?,
        conditions: conditions(json, true)?,
        serves: match (rollout, json.get("bucketing").and_then(read_units), variation) {
            (Some(_), Some(units), _) => Serves::Units(units),
            (Some(entries), None, _) => Serves::Rollout { entries, revision },
            (None, _, Some(variation)) => Serves::Variation(variation.clone()),
            (None, _, None) => Serves::Nothing,
        },
    })
}

/// Reads revision 3 of bucketing; `None` for anything else (EV-124).
fn read_units(json: &Json) -> Option<Units> {
    let range = |item: &Json, name: &str| {
        let name = text(item.get(name))?.clone();
        Some(Range { name, from: finite(item.get("from"))?, to: finite(item.get("to"))? })
    };
    let gate = |item: &Json| range(item, "salt").filter(|gate| !gate.name.0.is_empty());
    finite(json.get("revision")).filter(|&revision| revision == 3.0)?;
    Some(Units {
        salt: text(json.get("salt")).filter(|salt| !salt.0.is_empty())?.clone(),
        by: text(json.get("by"))?.clone(),
        ranges: each(json.get("ranges"), |item| range(item, "variation"))?,
        gates: optional(json.get("gates"), |list| each(list, gate))?.unwrap_or_default(),
    })
}

fn conditions(json: &Json, may_name_segments: bool) -> Option<Vec<Condition>> {
    each(json.get("conditions"), |item| {
        let (attribute, operator) = (text(item.get("attribute"))?.clone(), text(item.get("operator"))?);
        let twins = [("is_not", "is"), ("not_contains", "contains"), ("not_one_of", "one_of")];
        let twin = twins.iter().find(|(negative, _)| operator == *negative);
        let asked = twin.map_or_else(|| operator.clone(), |(_, positive)| Text::from(*positive));
        let test = match Test::new(&asked, item.get("value").unwrap_or(&Json::Null)) {
            Some(Test::OneOf(keys)) if attribute == *"$segment" => may_name_segments.then_some(Test::MemberOf(keys)),
            test => test.filter(|_| attribute != *"$segment"),
        };
        Some(Condition { attribute, negative: twin.is_some(), test })
    })
}

// Conditions (EV-54 to EV-56, EV-60 to EV-80 and EV-110 to EV-116)

struct Condition {
    attribute: Text,
    negative: bool,
    /// `None` if the operator is unknown or the value has the wrong shape; the condition then never matches.
    test: Option<Test>,
}

enum Test {
    OneOf(HashSet<Text>),
    Contains(Text),
    Above(f64),
    Below(f64),
    Matches(Regex),
    VersionAbove(Version),
    VersionBelow(Version),
    MemberOf(HashSet<Text>),
}

impl Test {
    /// Parses a positive operator and its value.
    fn new(operator: &Text, value: &Json) -> Option<Test> {
        Some(match ascii(operator)?.as_str() {
            "is" => Test::OneOf(HashSet::from([text_of(value)?])),
            "one_of" => Test::OneOf(items(Some(value))?.iter().filter_map(text_of).collect()),
            "contains" => Test::Contains(text_of(value)?),
            "gt" => Test::Above(number_of(value)?),
            "lt" => Test::Below(number_of(value)?),
            "matches_regex" => Test::Matches(Regex::new(&text_of(value)?)?),
            "version_gt" => Test::VersionAbove(Version::parse(value)?),
            "version_lt" => Test::VersionBelow(Version::parse(value)?),
            _ => return None,
        })
    }

    /// Whether the test holds for a scalar; false for any other value.
    fn holds(&self, value: &Json) -> bool {
        let Some(text) = text_of(value) else { return false };
        match self {
            Test::OneOf(keys) => keys.contains(&text),
            Test::Contains(part) => part.0.is_empty() || text.0.windows(part.0.len()).any(|run| run == part.0),
            Test::Above(bound) => number_of(value).is_some_and(|number| number > *bound),
            Test::Below(bound) => number_of(value).is_some_and(|number| number < *bound),
            Test::Matches(regex) => regex.search(&text),
            Test::VersionAbove(bound) => Version::parse(value).is_some_and(|version| version > *bound),
            Test::VersionBelow(bound) => Version::parse(value).is_some_and(|version| version < *bound),
            Test::MemberOf(_) => false,
        }
    }
}

/// A scalar as text (EV-64 to EV-76).
fn text_of(value: &Json) -> Option<Text> {
    match value {
        Json::Text(text) => Some(text.clone()),
        Json::Bool(value) => Some(Text::from(if *value { "true" } else { "false" })),
        Json::Number(number) if number.is_finite() => Some(Text::from(number_text(*number).as_str())),
        _ => None,
    }
}

/// The value of a number or of a decimal text (EV-77 to EV-80).
fn number_of(value: &Json) -> Option<f64> {
    let Json::Text(text) = value else { return finite(Some(value)) };
    let text = ascii(text)?;
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(&text);
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    let is_decimal = (is_digits(whole) || whole.is_empty() && mantissa.starts_with('.'))
        && is_digits(fraction)
        && is_digits(exponent);
    text.parse().ok().filter(|number: &f64| is_decimal && number.is_finite())
}

fn ascii(text: &Text) -> Option<String> {
    text.0.iter().map(|&code| char::from_u32(code).filter(char::is_ascii)).collect()
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A version (EV-81 to EV-86). The derived order is that of SemVer: field by field, and a prerelease below its release.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Version {
    core: [Identifier; 3],
    prerelease: Prerelease,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Prerelease {
    Of(Vec<Identifier>),
    Released,
}

/// Numbers are digits without leading zeros, so a longer text is the greater number. Numbers are below words.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Identifier {
    Number(usize, String),
    Word(String),
}

impl Identifier {
    fn number(text: &str) -> Option<Identifier> {
        let is_number = is_digits(text) && (text == "0" || !text.starts_with('0'));
        is_number.then(|| Identifier::Number(text.len(), text.into()))
    }

    fn any(text: &str) -> Option<Identifier> {
        let is_word = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        if is_digits(text) {
            Identifier::number(text)
        } else {
            is_word.then(|| Identifier::Word(text.into()))
        }
    }
}

impl Version {
    fn parse(value: &Json) -> Option<Version> {
        let text = ascii(text(Some(value))?)?;
        let text = text.strip_prefix(['v', 'V']).unwrap_or(&text);
        let (text, build) = text.split_once('+').unwrap_or((text, "0"));
        let is_word =
            |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        if !build.split('.').all(is_word) {
            return None;
        }
        let (core, prerelease) = text.split_once('-').map_or((text, None), |(core, rest)| (core, Some(rest)));
        let mut numbers = core.split('.').map(Identifier::number).collect::<Option<Vec<_>>>()?;
        while numbers.len() < 3 {
            numbers.push(Identifier::Number(1, "0".into()));
        }
        let prerelease = match prerelease {
            None => Prerelease::Released,
            Some(rest) => Prerelease::Of(rest.split('.').map(Identifier::any).collect::<Option<_>>()?),
        };
        Some(Version { core: numbers.try_into().ok()?, prerelease })
    }
}

// Regular expressions (EV-87 to EV-109): parsed into a tree, then compiled to a nondeterministic automaton, all of
// whose possible steps are followed in parallel.

const META: &str = ".^$|()[]{}*+?\\";
const MAX_LENGTH: usize = 512;
const MAX_REPEAT: usize = 1_000;
const MAX_STATES: usize = 10_000;
const LAST: u32 = 0x10_FFFF;

/// A set of code points, as inclusive ranges.
type Set = Vec<(u32, u32)>;

enum Node {
    Take(Set),
    Assert(Assertion),
    Sequence(Vec<Node>),
    Choice(Vec<Node>),
    Repeat(Box<Node>, usize, Option<usize>),
}

#[derive(Clone, Copy)]
enum Assertion {
    Start,
    End,
    Border,
    NoBorder,
}

enum Step {
    /// Consumes a code point and leads to the next step.
    Take(Set),
    Assert(Assertion),
    /// Leads to two steps without consuming a code point.
    Fork(usize, usize),
}

struct Regex {
    steps: Vec<Step>,
    is_multiline: bool,
}

/// The kind of character on one side of a position in the text.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Edge,
    Newline,
    Word,
    Other,
}

impl Node {
    /// The part's number of states, for the limit of EV-100.
    fn states(&self) -> usize {
        match self {
            Node::Take(_) | Node::Assert(_) => 1,
            Node::Sequence(parts) | Node::Choice(parts) => {
                parts.iter().fold(0, |sum, part| part.states().saturating_add(sum))
            }
            Node::Repeat(part, min, max) => part.states().saturating_mul(max.unwrap_or(*min.max(&1))),
        }
    }

    /// Appends the part's steps. They lead to the step that is appended next.
    fn write(&self, steps: &mut Vec<Step>) {
        if self.states() == 0 {
            return; // matches only the empty text
        }
        match self {
            Node::Take(set) => steps.push(Step::Take(set.clone())),
            Node::Assert(assertion) => steps.push(Step::Assert(*assertion)),
            Node::Sequence(parts) => parts.iter().for_each(|part| part.write(steps)),
            Node::Choice(branches) => write_choice(branches, steps),
            Node::Repeat(part, min, Some(max)) => {
                (0..*min).for_each(|_| part.write(steps));
                let forks: Vec<usize> = (*min..*max).map(|_| write_fork(steps, |steps| part.write(steps))).collect();
                forks.into_iter().for_each(|fork| lead(steps, fork));
            }
            Node::Repeat(part, 0, None) => {
                let fork = write_fork(steps, |steps| part.write(steps));
                steps.push(Step::Fork(fork, fork));
                lead(steps, fork);
            }
            Node::Repeat(part, min, None) => {
                (1..*min).for_each(|_| part.write(steps));
                let last_copy = steps.len();
                part.write(steps);
                steps.push(Step::Fork(last_copy, steps.len() + 1));
            }
        }
    }
}

/// Appends the steps of a choice. Branches without states match only the empty text, so one of them is enough.
fn write_choice(branches: &[Node], steps: &mut Vec<Step>) {
    let full: Vec<&Node> = branches.iter().filter(|branch| branch.states() > 0).collect();
    let has_empty = full.len() < branches.len();
    let mut ends = Vec::new();
    for (index, branch) in full.iter().enumerate() {
        if index + 1 == full.len() && !has_empty {
            branch.write(steps);
            break;
        }
        let fork = write_fork(steps, |steps| branch.write(steps));
        ends.push(steps.len());
        steps.push(Step::Fork(0, 0));
        lead(steps, fork);
    }
    let behind = steps.len();
    ends.into_iter().for_each(|end| steps[end] = Step::Fork(behind, behind));
}

/// Appends a fork whose first branch is the next step; `lead` sets the second one.
fn write_fork(steps: &mut Vec<Step>, body: impl FnOnce(&mut Vec<Step>)) -> usize {
    let fork = steps.len();
    steps.push(Step::Fork(fork + 1, fork + 1));
    body(steps);
    fork
}

/// Sets the second branch of a fork to the step that is appended next.
fn lead(steps: &mut [Step], fork: usize) {
    steps[fork] = Step::Fork(fork + 1, steps.len());
}

impl Regex {
    /// Parses a pattern; `None` if it is outside the dialect.
    fn new(source: &Text) -> Option<Regex> {
        let mut parser = Parser { source: &source.0, at: 0, flags: String::new() };
        parser.read_flags();
        if source.0.len() > MAX_LENGTH || parser.at == source.0.len() {
            return None;
        }
        let tree = parser.alternation()?;
        if parser.at < source.0.len() || tree.states() > MAX_STATES {
            return None;
        }
        let mut steps = Vec::new();
        tree.write(&mut steps);
        Some(Regex { steps, is_multiline: parser.has('m') })
    }

    /// Whether the pattern matches anywhere in the text. Takes time linear in the text.
    fn search(&self, text: &Text) -> bool {
        let end = self.steps.len();
        let (mut alive, mut following) = (StepSet::new(end), StepSet::new(end));
        let mut before = Side::Edge;
        for code in text.0.iter().map(Some).chain([None]) {
            let after = code.map_or(Side::Edge, |&code| side_of(code));
            alive.add(0);
            let mut index = 0;
            while let Some(&number) = alive.items.get(index) {
                match self.steps.get(number) {
                    None => return true,
                    Some(Step::Take(set)) => {
                        if code.is_some_and(|code| set.iter().any(|(low, high)| low <= code && code <= high)) {
                            following.add(number + 1);
                        }
                    }
                    Some(Step::Assert(assertion)) => {
                        if self.holds(*assertion, before, after) {
                            alive.add(number + 1);
                        }
                    }
                    Some(Step::Fork(one, other)) => {
                        alive.add(*one);
                        alive.add(*other);
                    }
                }
                index += 1;
            }
            std::mem::swap(&mut alive, &mut following);
            following.clear();
            before = after;
        }
        false
    }

    fn holds(&self, assertion: Assertion, before: Side, after: Side) -> bool {
        let is_line = |side: Side| side == Side::Edge || self.is_multiline && side == Side::Newline;
        let is_border = (before == Side::Word) != (after == Side::Word);
        match assertion {
            Assertion::Start => is_line(before),
            Assertion::End => is_line(after),
            Assertion::Border => is_border,
            Assertion::NoBorder => !is_border,
        }
    }
}

/// A set of step numbers in order of insertion.
struct StepSet {
    items: Vec<usize>,
    has: Vec<bool>,
}

impl StepSet {
    fn new(last: usize) -> StepSet {
        StepSet { items: Vec::new(), has: vec![false; last + 1] }
    }

    fn add(&mut self, number: usize) {
        if !std::mem::replace(&mut self.has[number], true) {
            self.items.push(number);
        }
    }

    fn clear(&mut self) {
        self.items.drain(..).for_each(|number| self.has[number] = false);
    }
}

fn range(low: char, high: char) -> (u32, u32) {
    (low.into(), high.into())
}

fn is_word(code: u32) -> bool {
    char::from_u32(code).is_some_and(|char| char.is_ascii_alphanumeric() || char == '_')
}

fn side_of(code: u32) -> Side {
    if code == u32::from('\n') {
        Side::Newline
    } else if is_word(code) {
        Side::Word
    } else {
        Side::Other
    }
}

fn complement(mut set: Set) -> Set {
    set.sort_unstable();
    let (mut others, mut next) = (Vec::new(), 0);
    for (low, high) in set {
        if next < low {
            others.push((next, low - 1));
        }
        next = next.max(high + 1);
    }
    if next <= LAST {
        others.push((next, LAST));
    }
    others
}

struct Parser<'a> {
    source: &'a [u32],
    at: usize,
    flags: String,
}

impl Parser<'_> {
    fn peek(&self, ahead: usize) -> Option<char> {
        // Half a surrogate pair is not a char; U+FFFD replaces it, because neither is special in the grammar.
        self.source.get(self.at + ahead).map(|&code| char::from_u32(code).unwrap_or('\u{FFFD}'))
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.peek(0) == Some(wanted);
        self.at += usize::from(found);
        found
    }

    fn has(&self, flag: char) -> bool {
        self.flags.contains(flag)
    }

    fn read_flags(&mut self) {
        let letters: String =
            (2..).map_while(|ahead| self.peek(ahead)).take_while(|char| "ims".contains(*char)).collect();
        let is_closed = self.peek(2 + letters.len()) == Some(')');
        if self.peek(0) == Some('(') && self.peek(1) == Some('?') && !letters.is_empty() && is_closed {
            self.at = letters.len() + 3;
            self.flags = letters;
        }
    }

    fn alternation(&mut self) -> Option<Node> {
        let mut branches = vec![self.branch()?];
        while self.take('|') {
            branches.push(self.branch()?);
        }
        Some(Node::Choice(branches))
    }

    fn branch(&mut self) -> Option<Node> {
        let mut parts = Vec::new();
        while let Some(next) = self.peek(0).filter(|next| !"|)".contains(*next)) {
            let (assertion, length) = match (next, self.peek(1)) {
                ('^', _) => (Assertion::Start, 1),
                ('$', _) => (Assertion::End, 1),
                ('\\', Some('b')) => (Assertion::Border, 2),
                ('\\', Some('B')) => (Assertion::NoBorder, 2),
                _ => {
                    let atom = self.atom()?;
                    parts.push(self.quantified(atom)?);
                    continue;
                }
            };
            self.at += length;
            parts.push(Node::Assert(assertion));
        }
        Some(Node::Sequence(parts))
    }

    fn atom(&mut self) -> Option<Node> {
        if self.take('(') {
            if self.take('?') && !self.take(':') {
                return None;
            }
            let group = self.alternation()?;
            return self.take(')').then_some(group);
        }
        let set = if self.take('[') {
            self.class()?
        } else if self.take('.') {
            if self.has('s') {
                vec![(0, LAST)]
            } else {
                complement(vec![range('\n', '\n')])
            }
        } else if let Some(set) = self.shorthand("dDwWsS") {
            set
        } else {
            let code = self.character(META, "/")?;
            self.folded(vec![(code, code)])
        };
        Some(Node::Take(set))
    }

    fn quantified(&mut self, part: Node) -> Option<Node> {
        let (min, max) = if self.take('*') {
            (0, None)
        } else if self.take('+') {
            (1, None)
        } else if self.take('?') {
            (0, Some(1))
        } else if self.take('{') {
            let min = self.count()?;
            let max = match self.take(',') {
                false => Some(min),
                true if self.peek(0) == Some('}') => None,
                true => Some(self.count()?),
            };
            if !self.take('}') || max.is_some_and(|max| max < min) {
                return None;
            }
            (min, max)
        } else {
            return Some(part);
        };
        self.take('?');
        Some(Node::Repeat(Box::new(part), min, max))
    }

    fn count(&mut self) -> Option<usize> {
        let digits: String = (0..4).map_while(|ahead| self.peek(ahead)).take_while(char::is_ascii_digit).collect();
        self.at += digits.len();
        let is_plain = digits == "0" || !digits.starts_with('0');
        digits.parse().ok().filter(|count| is_plain && *count <= MAX_REPEAT)
    }

    /// Parses a literal: a character outside `refused`, or a backslash before one in META or `more`.
    fn character(&mut self, refused: &str, more: &str) -> Option<u32> {
        let is_escaped = self.take('\\');
        let (char, code) = (self.peek(0)?, self.source[self.at]);
        self.at += 1;
        match char {
            _ if !is_escaped => Some(code).filter(|_| !refused.contains(char)),
            't' => Some(9),
            'n' => Some(10),
            'f' => Some(12),
            'r' => Some(13),
            _ => Some(code).filter(|_| META.contains(char) || more.contains(char)),
        }
    }

    fn shorthand(&mut self, letters: &str) -> Option<Set> {
        let letter = self.peek(1).filter(|letter| self.peek(0) == Some('\\') && letters.contains(*letter))?;
        self.at += 2;
        let set = match letter.to_ascii_lowercase() {
            'd' => vec![range('0', '9')],
            'w' => vec![range('0', '9'), range('A', 'Z'), range('_', '_'), range('a', 'z')],
            _ => vec![range('\t', '\n'), range('\u{C}', '\r'), range(' ', ' ')],
        };
        Some(if letter.is_ascii_uppercase() { complement(set) } else { set })
    }

    /// Parses a class after its `[`.
    fn class(&mut self) -> Option<Set> {
        let is_negated = self.take('^');
        let mut set = self.class_item(true)?;
        while !self.take(']') {
            set.extend(self.class_item(false)?);
        }
        let set = self.folded(set);
        Some(if is_negated { complement(set) } else { set })
    }

    fn class_item(&mut self, is_first: bool) -> Option<Set> {
        if (is_first || self.peek(1) == Some(']')) && self.take('-') {
            return Some(vec![range('-', '-')]);
        }
        if let Some(set) = self.shorthand("dDwWs") {
            return Some(set);
        }
        let low = self.member()?;
        if self.peek(0) != Some('-') || self.peek(1) == Some(']') {
            return Some(vec![(low, low)]);
        }
        self.at += 1;
        let high = self.member()?;
        (low <= high).then(|| vec![(low, high)])
    }

    fn member(&mut self) -> Option<u32> {
        let is_doubled = self.peek(0) == self.peek(1) && self.peek(0).is_some_and(|char| "&~|".contains(char));
        if is_doubled {
            None
        } else {
            self.character("[]-", "/-")
        }
    }

    /// With the flag `i`, adds the other case of all ASCII letters.
    fn folded(&self, mut set: Set) -> Set {
        if !self.has('i') {
            return set;
        }
        for (low, high) in set.clone() {
            for (first, last) in [range('A', 'Z'), range('a', 'z')] {
                let (low, high) = (low.max(first), high.min(last));
                if low <= high {
                    set.push((low ^ 32, high ^ 32));
                }
            }
        }
        set
    }
}
