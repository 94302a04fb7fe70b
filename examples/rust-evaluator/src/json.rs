//! JSON as a tree. Numbers are binary64. Texts are lists of code points, because JSON can contain half a surrogate
//! pair and a Rust string cannot.

use std::collections::HashMap;

/// A sequence of code points.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Text(pub Vec<u32>);

impl From<&str> for Text {
    fn from(text: &str) -> Text {
        Text(text.chars().map(u32::from).collect())
    }
}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        self.0.iter().copied().eq(other.chars().map(u32::from))
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Number(f64),
    Text(Text),
    Array(Vec<Json>),
    Object(HashMap<Text, Json>),
}

impl Json {
    /// The member of an object; `None` if it is absent or the value is not an object.
    pub fn get(&self, name: &str) -> Option<&Json> {
        match self {
            Json::Object(members) => members.get(&Text::from(name)),
            _ => None,
        }
    }

    pub fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
        Json::Object(members.map(|(name, value)| (Text::from(name), value)).into())
    }

    pub fn text(text: &str) -> Json {
        Json::Text(Text::from(text))
    }

    /// Reads one value.
    pub fn parse(source: &str) -> Result<Json, String> {
        let mut reader = Reader { source, at: 0 };
        let value = reader.value()?;
        reader.blanks();
        if reader.at == source.len() {
            Ok(value)
        } else {
            reader.fail()
        }
    }

    /// Writes ASCII only. NaN and the infinities are tagged as in the vectors.
    pub fn write(&self, out: &mut String) {
        match self {
            Json::Null => out.push_str("null"),
            Json::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Json::Number(value) if value.is_finite() => out.push_str(&number_text(*value)),
            Json::Number(value) if value.is_nan() => out.push_str(r#"{"$number":"NaN"}"#),
            Json::Number(value) => {
                out.push_str(if *value > 0.0 { r#"{"$number":"Infinity"}"# } else { r#"{"$number":"-Infinity"}"# })
            }
            Json::Text(text) => write_text(text, out),
            Json::Array(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    out.push_str(if index > 0 { "," } else { "" });
                    item.write(out);
                }
                out.push(']');
            }
            Json::Object(members) => {
                out.push('{');
                for (index, (name, value)) in members.iter().enumerate() {
                    out.push_str(if index > 0 { "," } else { "" });
                    write_text(name, out);
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
        }
    }
}

fn write_text(text: &Text, out: &mut String) {
    out.push('"');
    for &code in &text.0 {
        match char::from_u32(code) {
            Some(plain @ (' '..='!' | '#'..='[' | ']'..='~')) => out.push(plain),
            Some(other) => {
                for unit in other.encode_utf16(&mut [0; 2]) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
            None => out.push_str(&format!("\\u{code:04x}")),
        }
    }
    out.push('"');
}

/// ECMAScript's Number::toString of a finite number.
pub fn number_text(number: f64) -> String {
    if number == 0.0 {
        return "0".into();
    }
    if number < 0.0 {
        return format!("-{}", number_text(-number));
    }
    // The format is d.ddde-n with the fewest digits; of two equally near decimals, ECMAScript takes the even one.
    let shortest = format!("{number:e}");
    let (mantissa, _) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    let nearest = format!("{number:.*e}", mantissa.len().saturating_sub(2));
    let scientific = if nearest.parse() == Ok(number) { nearest } else { shortest };
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let digits = mantissa.replace('.', "");
    let length = digits.len() as i32;
    let point = exponent.parse::<i32>().unwrap_or(0) + 1; // number of digits before the point
    let zeros = |count: i32| "0".repeat(count as usize);
    if length <= point && point <= 21 {
        digits + &zeros(point - length)
    } else if 0 < point && point <= 21 {
        let (whole, fraction) = digits.split_at(point as usize);
        format!("{whole}.{fraction}")
    } else if -6 < point && point <= 0 {
        format!("0.{}{digits}", zeros(-point))
    } else {
        let sign = if point > 0 { '+' } else { '-' };
        format!("{mantissa}e{sign}{}", (point - 1).abs())
    }
}

struct Reader<'a> {
    source: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn fail<T>(&self) -> Result<T, String> {
        Err(format!("not JSON at byte {}", self.at))
    }

    fn blanks(&mut self) {
        while matches!(self.source.as_bytes().get(self.at), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    fn take(&mut self, token: &str) -> bool {
        self.blanks();
        let found = self.source[self.at..].starts_with(token);
        self.at += if found { token.len() } else { 0 };
        found
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        if self.take(token) {
            Ok(())
        } else {
            self.fail()
        }
    }

    fn value(&mut self) -> Result<Json, String> {
        for (token, value) in [("null", Json::Null), ("true", Json::Bool(true)), ("false", Json::Bool(false))] {
            if self.take(token) {
                return Ok(value);
            }
        }
        if self.take("\"") {
            return self.text().map(Json::Text);
        }
        if self.take("[") {
            let mut items = Vec::new();
            if self.take("]") {
                return Ok(Json::Array(items));
            }
            loop {
                items.push(self.value()?);
                if !self.take(",") {
                    break;
                }
            }
            return self.expect("]").map(|()| Json::Array(items));
        }
        if self.take("{") {
            let mut members = HashMap::new();
            if self.take("}") {
                return Ok(Json::Object(members));
            }
            loop {
                self.expect("\"")?;
                let name = self.text()?;
                self.expect(":")?;
                members.insert(name, self.value()?);
                if !self.take(",") {
                    break;
                }
            }
            return self.expect("}").map(|()| Json::Object(members));
        }
        let rest = &self.source[self.at..];
        let length = rest.find(|c: char| !"+-.0123456789eE".contains(c)).unwrap_or(rest.len());
        let Ok(number) = rest[..length].parse() else { return self.fail() };
        self.at += length;
        Ok(Json::Number(number))
    }

    /// Reads a string after its opening quotation mark.
    fn text(&mut self) -> Result<Text, String> {
        let mut codes: Vec<u32> = Vec::new();
        loop {
            let Some(next) = self.source[self.at..].chars().next() else { return self.fail() };
            self.at += next.len_utf8();
            let code = match next {
                '"' => return Ok(Text(codes)),
                '\\' => self.escaped()?,
                plain => plain as u32,
            };
            // A surrogate pair is written as two escapes.
            match codes.last_mut() {
                Some(high @ 0xD800..=0xDBFF) if (0xDC00..=0xDFFF).contains(&code) => {
                    *high = 0x10000 + ((*high - 0xD800) << 10) + (code - 0xDC00);
                }
                _ => codes.push(code),
            }
        }
    }

    fn escaped(&mut self) -> Result<u32, String> {
        let letter = self.source.as_bytes().get(self.at).copied().unwrap_or(0);
        self.at += 1;
        let plain = match letter {
            b'"' | b'\\' | b'/' => letter,
            b'b' => 8,
            b'f' => 12,
            b'n' => 10,
            b'r' => 13,
            b't' => 9,
            b'u' => {
                let digits = self.source.get(self.at..self.at + 4).unwrap_or("");
                let Ok(code) = u32::from_str_radix(digits, 16) else { return self.fail() };
                self.at += 4;
                return Ok(code);
            }
            _ => return self.fail(),
        };
        Ok(plain.into())
    }
}
