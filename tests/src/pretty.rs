//! JSON as the suite's files have it: a value stands on one line where it fits.

use serde_json::Value as Json;

/// The longest line, but for texts that are longer by themselves.
const WIDTH: usize = 110;

/// The value as a file: two spaces a level, keys in their own order.
pub fn file(json: &Json) -> String {
    let mut out = String::new();
    write(&mut out, json, 0, 0);
    out.push('\n');
    out
}

/// Writes the value, which begins `column` characters behind the indent.
fn write(out: &mut String, json: &Json, indent: usize, column: usize) {
    let line = one_line(json);
    if indent > 0 && indent + column + line.chars().count() < WIDTH {
        out.push_str(&line);
        return;
    }
    let inner = indent + 2;
    let mut items = |items: Vec<(String, &Json)>, open: char, close: char| {
        out.push(open);
        let last = items.len() - 1;
        for (at, (name, value)) in items.into_iter().enumerate() {
            out.push('\n');
            out.push_str(&" ".repeat(inner));
            out.push_str(&name);
            write(out, value, inner, name.chars().count());
            if at < last {
                out.push(',');
            }
        }
        out.push('\n');
        out.push_str(&" ".repeat(indent));
        out.push(close);
    };
    match json {
        Json::Array(list) if !list.is_empty() => {
            items(list.iter().map(|value| (String::new(), value)).collect(), '[', ']');
        }
        Json::Object(members) if !members.is_empty() => {
            let named = members.iter().map(|(name, value)| (format!("{}: ", Json::from(name.as_str())), value));
            items(named.collect(), '{', '}');
        }
        _ => out.push_str(&line),
    }
}

fn one_line(json: &Json) -> String {
    match json {
        Json::Array(list) if !list.is_empty() => {
            format!("[{}]", list.iter().map(one_line).collect::<Vec<_>>().join(", "))
        }
        Json::Object(members) if !members.is_empty() => {
            let member =
                |(name, value): (&String, &Json)| format!("{}: {}", Json::from(name.as_str()), one_line(value));
            format!("{{ {} }}", members.iter().map(member).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}
